// Kept nights made by hand: "n01", "n02", ..., a run each, of one series.
#pragma once
#include <fmt/format.h>

#include <string>
#include <utility>

#include "harness/analysis/history/history.h"

namespace benchbench::test {

struct KeptNights {
  KeptHistory all;

  explicit KeptNights(std::size_t nights, double rate = 100) {
    all.series["s"] = {"night", "base", "loader_rate", false, "loader.num_workers=2\n"};
    for (std::size_t i = 0; i < nights; ++i) add("s", rate);
  }
  // One more night with this series alone.
  void add(const std::string& series, double rate) {
    KeptRun run;
    run.folder = fmt::format("run{:02}", all.runs.size() + 1);
    run.started_at = fmt::format("2026-11-{:02}T02:00:00Z", all.runs.size() + 1);
    run.machine = "m";
    run.labels = {{"night", fmt::format("n{:02}", all.runs.size() + 1)}};
    run.values = {{series, rate, 3}};
    all.runs.push_back(std::move(run));
  }
  KeptValue& value(std::size_t night) { return all.runs.at(night).values.at(0); }
  void lose(std::size_t night, const std::string& reason) {
    value(night) = {value(night).series, 0, 0, 0, reason};
  }
  void widen(std::size_t night, const std::string& reason) {
    value(night).width = 0.06, value(night).reason = reason;
  }
  void skip(std::size_t night) { all.runs.at(night).values.clear(); }
  MachineHistory judged() const { return make_history(all).machines.at(0); }
};

}  // namespace benchbench::test
