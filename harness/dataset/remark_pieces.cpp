#include "harness/dataset/remark_pieces.h"

#include <algorithm>

#include "harness/part/sample_format.h"

namespace benchbench {

std::vector<std::string_view> remark_pieces(std::string_view remark) {
  std::vector<std::string_view> pieces;
  while (!remark.empty()) {
    const std::size_t end = std::min(remark.find("; "), remark.size());
    pieces.push_back(remark.substr(0, end));
    remark.remove_prefix(std::min(end + 2, remark.size()));
  }
  return pieces;
}

std::vector<std::string_view> passed_over_pieces(std::string_view remark) {
  std::vector<std::string_view> pieces = remark_pieces(remark);
  std::erase_if(pieces, [](std::string_view piece) { return !piece.starts_with(kPassedOver); });
  return pieces;
}

}  // namespace benchbench
