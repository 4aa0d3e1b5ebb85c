#include "scenarios/formats/remark.h"

#include <fmt/format.h>

#include "harness/part/sample_format.h"

namespace benchbench {

void add_remark(std::string& remark, std::string_view piece) {
  if (piece.empty()) return;
  if (!remark.empty()) remark += "; ";
  remark += piece;
}

std::string unlabelled_piece(std::uint64_t without, std::uint64_t samples) {
  if (without == 0) return {};
  if (without == samples) return std::string(kNoLabels);
  return fmt::format("{} of {} samples have no label: they get label 0", without, samples);
}

}  // namespace benchbench
