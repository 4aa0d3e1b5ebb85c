// The last paragraph: what binds, what to use, what the axes gave, what is wrong with the user's
// own loader, headroom, times, what to try next.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "harness/analysis/findings.h"

namespace benchbench {

struct ConclusionPart {
  // "binds", "use", "loaders", "axes", "findings", "headroom", "depth", "epoch", "job", "next"
  std::string_view label;
  std::string text;  // plain sentences
};
// Those that these findings have something for, in that order. From `brief` 1 on reasons and
// intervals are left out.
std::vector<ConclusionPart> conclusion_parts(const Findings& findings, const Plan& plan,
                                             int brief = 0);

inline constexpr std::size_t kConclusionLines = 8;
// The parts below each other, labels in front: at most kConclusionLines lines, of a wrapped script
// twice as many, and four more where a device is emulated next to the base's. None is wider than
// `width`, of which 60 columns are taken at least.
std::vector<std::string> conclusion_lines(const Findings& findings, const Plan& plan,
                                          std::size_t width);
// All of it in one line, without labels.
std::string conclusion_text(const Findings& findings, const Plan& plan);

}  // namespace benchbench
