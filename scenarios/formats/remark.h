// Putting together what an archive says of itself.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace benchbench {

// Adds a piece to a remark, where there is one to add.
void add_remark(std::string& remark, std::string_view piece);
// The piece for `without` of `samples` samples that have no label and are given 0; empty where all
// have one.
std::string unlabelled_piece(std::uint64_t without, std::uint64_t samples);

}  // namespace benchbench
