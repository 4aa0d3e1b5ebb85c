// Plans and records made by hand, with numbers that can be checked on paper.
#pragma once
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "harness/analysis/rules/judged_trials.h"
#include "harness/analysis/rules/rules.h"

namespace benchbench::test {

inline Value whole(std::int64_t n) { return {ParameterType::integer, n}; }
inline Value words(std::string text) { return {ParameterType::text, std::move(text)}; }

inline constexpr std::int64_t kSecond = 1'000'000'000;

// Facts of a window of 1 s with `rate` samples in batches of `batch`, that fire no rule.
inline Facts good_facts(double rate, std::uint64_t batch = 10) {
  Facts f;
  f.window.samples = static_cast<std::uint64_t>(std::llround(rate));
  f.window.steps = std::max<std::uint64_t>(5, f.window.samples / batch);
  f.window.ns =
      static_cast<std::int64_t>(std::llround(static_cast<double>(f.window.samples) / rate * 1e9));
  if (f.window.ns < kSecond) f.window.ns = kSecond;
  f.accounting.issued = f.window.samples + 20;
  f.accounting.delivered = f.window.samples;
  f.accounting.in_flight = 20;
  f.workers.count = 1;
  f.workers.wall_ns = f.window.ns;
  f.workers.fill_ns = f.window.ns;
  f.cpu.cores_available = 2;
  return f;
}

// Returns it as an analysis judges it. The record must outlive that.
inline JudgedRecord judged(const TrialRecord& record) { return {judge(record), &record}; }

// A run in the making. Point 0 is the base.
struct MadeRun {
  Plan plan;
  std::vector<TrialRecord> records;

  MadeRun() {
    plan.scenario.name = "made";
    plan.scenario.source = "made.yaml";
    plan.anchor = kNoAnchor;
    plan.rounds = 0;
  }

  SettingsMap settings(std::int64_t workers, std::int64_t batch = 10) const {
    SettingsMap s;
    s.set("loader.num_workers", whole(workers));
    s.set("loader.batch_size", whole(batch));
    return s;
  }

  std::uint32_t point(std::vector<std::pair<std::string, std::string>> labels,
                      SettingsMap settings) {
    Point p;
    p.index = static_cast<std::uint32_t>(plan.points.size());
    p.labels = std::move(labels);
    p.settings = std::move(settings);
    plan.points.push_back(std::move(p));
    return plan.points.back().index;
  }

  // A trial of the point's own.
  std::uint32_t trial(std::uint32_t point, Mode mode) {
    Trial t;
    t.index = static_cast<std::uint32_t>(plan.trials.size());
    t.digest = "digest " + std::to_string(t.index);
    t.mode = mode;
    t.settings = plan.points[point].settings;
    plan.trials.push_back(std::move(t));
    share(point, plan.trials.back().index);
    return plan.trials.back().index;
  }

  void share(std::uint32_t point, std::uint32_t trial) {
    plan.trials[trial].points.push_back(point);
    plan.points[point].trials.emplace_back(plan.trials[trial].mode, trial);
  }

  TrialRecord& record(std::uint32_t trial, std::uint32_t round, Facts facts,
                      std::uint32_t repeat = 0) {
    TrialRecord r;
    r.sequence = records.size();
    r.trial = plan.trials[trial];
    r.planned = {trial, round, repeat};
    r.facts = std::move(facts);
    r.started_at = "2026-11-21T10:00:00Z";
    plan.order.push_back(r.planned);
    plan.rounds = std::max(plan.rounds, round + 1);
    records.push_back(std::move(r));
    return records.back();
  }

  // One record a round with these rates.
  void rates(std::uint32_t trial, std::vector<double> by_round, std::uint64_t batch = 10) {
    for (std::uint32_t round = 0; round < by_round.size(); ++round)
      record(trial, round, good_facts(by_round[round], batch));
  }
};

}  // namespace benchbench::test
