// What is wrong with the user's own loader, as far as it costs most.
#include <fmt/format.h>

#include "harness/analysis/conclusion/answer.h"
#include "harness/analysis/conclusion/conclusion.h"
#include "harness/analysis/faults/external_findings.h"
#include "harness/core/units.h"
#include "harness/report/conclusion/conclusion_part_words.h"
#include "harness/report/external/external_words.h"

namespace benchbench {

std::string findings_words(const Telling& t) {
  const ExternalPoint* at = external_subject(t.f);
  if (!at) return "";
  const std::size_t most = t.brief < 2 ? t.wrapped() ? 4 : 2 : 1;
  std::string text;
  std::size_t found = 0;
  for (const ExternalFinding& each : t.f.external.findings) {
    if (each.point != at->point || ++found > most) continue;
    text += (text.empty() ? "" : " ") + finding_words(each, t.brief, is_change_certain(each, t.f));
  }
  // `use` has named the point to use, and of the base all is said that names none. A wrapped script
  // is the base, whatever else was tried.
  const bool other = at->point != 0 && (t.wrapped() || at->point != other_point_to_use(t.f));
  if (other && !text.empty()) text = fmt::format("Of {}: {}", point_words(t, at->point), text);
  if (found > most) text += fmt::format(" {}: --detail.", counted(found - most, "more finding"));
  return text;
}

}  // namespace benchbench
