#include "harness/report/words/order_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "harness/analysis/choice/another_job.h"
#include "harness/record/setting_keys.h"
#include "harness/report/text/cells.h"

namespace benchbench {
namespace {

std::string order_of(const Plan& plan, const PointFindings& p) {
  return plan.points[p.point].settings.get_if(keys::loader.access).value_or(p.name);
}

}  // namespace

std::string orders_line(const Findings& f, const Plan& plan) {
  if (!orders_differ(f.points)) return "";
  std::vector<std::string> said;
  std::string text;
  for (const PointFindings& p : f.points) {
    if (!p.shuffle_displacement || !p.shuffle_together) continue;
    std::string one = fmt::format("{} {:.2f} ({}", order_of(plan, p), *p.shuffle_displacement,
                                  share_text(*p.shuffle_together));
    if (std::ranges::find(said, one) != said.end()) continue;
    text += fmt::format("{}{}{})", said.empty() ? "" : ", ", one,
                        said.empty() ? " of neighbours together" : "");
    said.push_back(std::move(one));
  }
  return text;
}

}  // namespace benchbench
