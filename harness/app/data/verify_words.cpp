#include "harness/app/data/verify_words.h"

#include <fmt/format.h>

#include "harness/core/visible_text.h"
#include "harness/dataset/remark_pieces.h"
#include "harness/part/sample_format.h"

namespace benchbench {
std::string classes_words(const DataPass& pass) {
  if (pass.classes == 0) return {};
  if (pass.remark.find(kNoLabels) != std::string::npos) return fmt::format("1: {}", kNoLabels);
  std::string words = pass.classes == 1
                          ? "1 (label 0)"
                          : fmt::format("{} (labels 0 to {})", pass.classes, pass.classes - 1);
  const std::uint32_t without = pass.classes - pass.labels_met;
  if (without > 0)
    words += fmt::format(", of which {} {} no sample", without, without == 1 ? "has" : "have");
  return words;
}

std::string remark_lines(std::string_view remark) {
  std::string lines;
  for (const std::string_view piece : remark_pieces(remark)) {
    if (piece == kNoLabels) continue;
    lines +=
        fmt::format("{}{}\n", piece.starts_with(kPassedOver) ? "" : "note        ", visible(piece));
  }
  return lines;
}

std::string whole_words(const DataPass& pass, bool has_manifest) {
  std::string over;
  for (std::string_view piece : passed_over_pieces(pass.remark)) {
    piece = piece.substr(0, piece.find(": "));
    over += fmt::format("{}{}", over.empty() ? "" : " and ",
                        visible(piece.substr(over.empty() ? 0 : kPassedOver.size())));
  }
  return fmt::format("{}{}{}", has_manifest ? "sound" : "readable", over.empty() ? "" : ", but ",
                     over);
}

}  // namespace benchbench
