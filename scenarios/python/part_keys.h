// Parameters that the loader and the trainer of the user's Python share.
#pragma once
#include "harness/part/description.h"

namespace benchbench::python_part {

using enum ParameterType;

inline constexpr Parameter kScript{
    "script", text, "none",
    "The Python file that holds `call`, relative to the working directory; or set `module`."};
inline constexpr Parameter kModule{"module", text, "none",
                                   "The Python module that holds `call`, such as my_pkg.data."};
inline constexpr Parameter kInterpreter{"python", text, "none",
                                        "The Python interpreter. Default: that of $VIRTUAL_ENV, "
                                        "else python3 of PATH. Loader and trainer share one."};

}  // namespace benchbench::python_part
