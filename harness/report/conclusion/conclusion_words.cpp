#include "harness/report/conclusion/conclusion_words.h"

#include <algorithm>

#include "harness/report/conclusion/conclusion_part_words.h"
#include "harness/report/text/text_table.h"

namespace benchbench {
namespace {

constexpr std::size_t kLabel = 10, kLeastColumns = 60;
constexpr std::size_t kLinesOfScript = 16;   // of a wrapped one, whose report is short
constexpr std::size_t kLinesOfEmulated = 4;  // more, where a device is emulated next to the base's
constexpr int kBriefest = 3;

struct PartWords {
  std::string_view label;
  std::string (*text)(const Telling&);
};
constexpr PartWords kParts[] = {
    {"binds", binds_words},       {"use", use_words},           {"loaders", loaders_words},
    {"axes", axes_words},         {"emulated", emulated_words}, {"findings", findings_words},
    {"headroom", headroom_words}, {"depth", depth_words},       {"epoch", epoch_words},
    {"job", job_words},           {"next", next_words}};

std::vector<std::string> lines_of(const ConclusionPart& part, std::size_t width) {
  const std::string text = wrapped(part.text, width, kLabel, kLabel);
  std::vector<std::string> lines;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    lines.push_back(
        cut_to_width(text.substr(from, end - from), lines.empty() ? width - kLabel : width));
    from = end + 1;
  }
  std::string label(part.label);
  label.resize(kLabel, ' ');
  lines.front().insert(0, label);
  return lines;
}

std::size_t count(const std::vector<std::vector<std::string>>& all) {
  std::size_t n = 0;
  for (const auto& lines : all) n += lines.size();
  return n;
}

// Which part gives a line when names of any length are swept: axes that take over two, then what is
// told elsewhere too, what binds last.
std::size_t sacrifice(const std::vector<std::string>& part) {
  // The last one gives a line first.
  constexpr std::string_view order[] = {"binds", "use",  "emulated", "loaders",  "findings", "job",
                                        "axes",  "next", "epoch",    "headroom", "depth"};
  if (part.size() < 2) return 0;
  if (part.front().starts_with("axes") && part.size() > 2) return std::size(order) + 1;
  const auto at = std::ranges::find_if(
      order, [&](std::string_view label) { return part.front().starts_with(label); });
  return static_cast<std::size_t>(at - std::begin(order)) + 1;
}

void cut_one_line(std::vector<std::vector<std::string>>& all, std::size_t width) {
  const auto part = std::ranges::max_element(all, {}, sacrifice);
  part->pop_back();
  std::string& last = part->back();
  last = cut_to_width(last, width - 2);
  if (!last.ends_with("…")) last += " …";
}

}  // namespace

std::vector<ConclusionPart> conclusion_parts(const Findings& findings, const Plan& plan,
                                             int brief) {
  std::vector<ConclusionPart> parts;
  for (const PartWords& p : kParts)
    if (std::string text = p.text({findings, plan, brief}); !text.empty())
      parts.push_back({p.label, std::move(text)});
  return parts;
}

std::vector<std::string> conclusion_lines(const Findings& findings, const Plan& plan,
                                          std::size_t width) {
  width = std::max(width, kLeastColumns);
  const bool emulates = !emulated_words({findings, plan}).empty();
  const std::size_t most = wraps_script(plan) ? kLinesOfScript
                           : emulates         ? kConclusionLines + kLinesOfEmulated
                                              : kConclusionLines;
  std::vector<std::vector<std::string>> all;
  for (int brief = 0; brief <= kBriefest; ++brief) {
    all.clear();
    for (const ConclusionPart& part : conclusion_parts(findings, plan, brief))
      all.push_back(lines_of(part, width));
    if (count(all) <= most) break;
  }
  while (count(all) > most) cut_one_line(all, width);
  std::vector<std::string> lines;
  for (auto& part : all) std::ranges::move(part, std::back_inserter(lines));
  return lines;
}

std::string conclusion_text(const Findings& findings, const Plan& plan) {
  std::string text;
  for (const ConclusionPart& part : conclusion_parts(findings, plan))
    text += (text.empty() ? "" : " ") + part.text;
  return text;
}

}  // namespace benchbench
