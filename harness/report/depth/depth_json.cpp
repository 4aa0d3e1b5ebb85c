#include <nlohmann/json.hpp>

#include "harness/report/depth/depth_words.h"

namespace benchbench {
namespace {

using Members = nlohmann::ordered_json;

Members members_of(const ForetoldStep& s) {
  return {{"num_workers", s.workers},
          {"prefetch_factor", s.prefetch > 0 ? Members(s.prefetch) : Members(nullptr)},
          {"in_order", s.in_order},
          {"step_ms", s.step_ms},
          {"constant_step_ms", s.constant_ms},
          {"exponential_step_ms", s.exponential_ms}};
}

}  // namespace

nlohmann::ordered_json depth_values(const Findings& f) {
  Members all = Members::array();
  for (const DepthForetold& d : f.depths) {
    Members steps = Members::array();
    for (const ForetoldStep& s : d.steps) steps.push_back(members_of(s));
    all.push_back({{"point", f.points[d.point].name},
                   {"measured_step_ms", d.measured_ms},
                   {"foretold", members_of(d.measured)},
                   {"off_share", d.off()},
                   {"trainer_ms", d.trainer_ms},
                   {"steps", steps}});
  }
  return all;
}

}  // namespace benchbench
