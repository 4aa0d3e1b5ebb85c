// A run whose points differ in swept settings, with a rate for each round.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "harness/analysis/conclusion/analyse.h"
#include "harness/analysis/findings.h"
#include "tests/unit/analysis/made_run.h"

namespace benchbench::test {

struct Swept : MadeRun {
  Mode mode = Mode::pipeline;

  std::uint32_t add(std::vector<std::pair<std::string, std::string>> labels, SettingsMap settings,
                    std::vector<double> by_round) {
    const auto p = point(std::move(labels), std::move(settings));
    rates(trial(p, mode), std::move(by_round));
    return p;
  }
  std::uint32_t workers(std::int64_t n, std::vector<double> by_round) {
    return add(n == 2 ? decltype(Point::labels){}
                      : decltype(Point::labels){{"loader.num_workers", std::to_string(n)}},
               settings(n), std::move(by_round));
  }
  std::uint32_t format(const char* name, std::vector<double> by_round) {
    SettingsMap s = settings(2);
    s.set("dataset.format", words(name));
    return add({{"dataset.format", name}}, std::move(s), std::move(by_round));
  }
  void axis(const char* key) { plan.scenario.axes.push_back({key, {}}); }
  Findings found() const { return analyse(plan, records); }
};

inline std::vector<double> six(double rate) { return std::vector<double>(6, rate); }

}  // namespace benchbench::test
