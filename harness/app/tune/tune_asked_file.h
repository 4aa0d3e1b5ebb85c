// What a tune was asked for, kept in its folder: --resume goes on with it.
#pragma once
#include <string>

#include "harness/app/command.h"

namespace benchbench {

// Beside the journal. Options that say where output goes, and --resume itself, are not kept.
void write_asked(const std::string& folder, const Arguments& arguments);
// As given, and where an option was not given as it is in the folder's file, if there is one. StoreError where it cannot be read.
Arguments with_stored_options(const std::string& folder, const Arguments& arguments);

}  // namespace benchbench
