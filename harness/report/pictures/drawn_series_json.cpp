#include "harness/report/pictures/drawn_series_json.h"

#include <nlohmann/json.hpp>

#include "harness/report/pictures/drawn_series.h"

namespace benchbench {

nlohmann::ordered_json drawn_series_values(const ReportInput& in) {
  auto all = nlohmann::ordered_json::array();
  for (const DrawnTrial& trial : drawn_trials(in))
    for (const auto* series : {&trial.steps, &trial.probes})
      for (const DrawnSeries& s : *series) {
        nlohmann::ordered_json at = nlohmann::ordered_json::array(),
                               values = nlohmann::ordered_json::array();
        for (const auto& [x, y] : s.values) at.push_back(x), values.push_back(y);
        all.push_back({{"point", in.findings.points[trial.point].name},
                       {"sequence", trial.record->sequence},
                       {"series", s.name},
                       {"unit", s.unit},
                       {"kept", s.kept},
                       {"kept_every", s.kept_every},
                       {"at", std::move(at)},
                       {"values", std::move(values)}});
      }
  return all;
}

}  // namespace benchbench
