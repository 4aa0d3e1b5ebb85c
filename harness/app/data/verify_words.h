// The words of `data --verify` for a data set's labels, and for what was not read.
#pragma once
#include <string>
#include <string_view>

#include "harness/trial/data_pass.h"

namespace benchbench {

// Returns "12 (labels 0 to 11), of which 2 have no sample"; "" where samples have no labels.
std::string classes_words(const DataPass& pass);
// Returns a line for each piece of a remark but that of missing labels, which classes_words() has.
std::string remark_lines(std::string_view remark);
// Returns the last line for data that are whole: "sound", or "readable, but passed over 30 files
// that are not an image".
std::string whole_words(const DataPass& pass, bool has_manifest);

}  // namespace benchbench
