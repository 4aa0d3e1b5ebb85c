// The pieces of what an archive says of itself (SampleArchive::remark).
#pragma once
#include <string_view>
#include <vector>

namespace benchbench {

// Returns them as views into `remark`.
std::vector<std::string_view> remark_pieces(std::string_view remark);
// Returns those of them that say what was not read.
std::vector<std::string_view> passed_over_pieces(std::string_view remark);

}  // namespace benchbench
