// Which Python runs the user's code, and where our side of it is.
#pragma once
#include <string>

#include "harness/part/settings.h"

namespace benchbench::python_part {

// The path of an executable file: `python` of the loader or the trainer (either may be null; a name
// without a slash is searched in PATH), else that of $VIRTUAL_ENV, else python3 of PATH.
// ScenarioError where they name two, or where there is none, with what was tried.
std::string interpreter_for(const Settings* loader, const Settings* trainer);

// The same by the name alone; empty: none is given.
std::string interpreter_named(std::string_view name);

// start_child.py in the folder python/ next to the program. PartError where it is not there.
std::string child_script();

}  // namespace benchbench::python_part
