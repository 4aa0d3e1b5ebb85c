#include <nlohmann/json.hpp>
#include <ostream>

#include "harness/app/commands/selftest_report.h"
#include "harness/report/substitution_table.h"

namespace benchbench {
namespace {

using namespace selftest;
using Json = nlohmann::ordered_json;

Json json_of(const Estimate& e) {
  return {{"value", e.value}, {"low", e.low}, {"high", e.high}, {"n", e.n}};
}
Json json_of(const Measured& m) { return m ? json_of(*m) : Json(nullptr); }

Json calibration(const SelftestResult& r) {
  if (!r.lateness) return nullptr;
  return {{"clock_read_ns", r.environment.clock_read_ns},
          {"clock_resolution_ns", r.environment.clock_resolution_ns},
          {"stage_scope_ns", r.environment.stage_scope_ns},
          {"queue_hop_ns", r.environment.queue_hop_ns},
          {"wait_lateness_ns_p50", r.lateness->p50_ns},
          {"wait_lateness_ns_p99", r.lateness->p99_ns},
          {"waits", r.lateness->waits}};
}

Json json_of(const KnownAnswer& a) {
  return {{"name", a.name},
          {"truth_ms", a.truth_ms},
          {"measured_ms", a.measured_ms},
          {"error_share", a.error},
          {"tolerance_share", a.tolerance},
          {"repeat_difference_share", a.repeats ? Json(a.repeats->value) : Json(nullptr)},
          {"outcome", outcome_word(a.outcome())}};
}

Json json_of(const Judged& j) {
  return {{"hit", j.hit}, {"missed", j.missed}, {"too_noisy", j.too_noisy}};
}

Json json_of(const FaultCase& k) {
  Json growths = Json::array();
  for (const Growth& g : k.found.growths)
    growths.push_back({{"component", name_of(g.component)},
                       {"growth_ms", json_of(g.ms)},
                       {"share", g.share},
                       {"bounded", g.bounded},
                       {"general", g.general}});
  Json named = Json::array();
  for (const Component c : k.found.named) named.push_back(name_of(c));
  return {{"put_in", k.fault ? Json(k.fault->name) : Json(nullptr)},
          {"expected", k.fault ? name_of(k.fault->component) : "none"},
          {"ground", name_of(k.ground)},
          {"share", k.share},
          {"word", naming_word(k.found.naming, k.found.named, "none")},
          {"named", named},
          {"step_growth_ms", json_of(k.found.step_growth_ms)},
          {"growths", growths},
          {"hit", k.hit()}};
}

Json json_of(const TrialCounts& trials) {
  Json status = Json::object(), reasons = Json::object();
  for (std::size_t i = 0; i < trials.by_status.size(); ++i)
    status[std::string(name_of(static_cast<Status>(i)))] = trials.by_status[i];
  for (const auto& [rule, seen] : trials.reasons)
    reasons[rule] = {{"times", seen.first}, {"first", seen.second}};
  return {{"status", status}, {"reasons", reasons}};
}

template <class T>
Json list_of(const std::vector<T>& values) {
  Json list = Json::array();
  for (const T& value : values) list.push_back(json_of(value));
  return list;
}

}  // namespace

void write_selftest_json(std::ostream& out, const SelftestResult& r) {
  Json document{
      {"selftest", 1},
      {"clock", r.simulated ? "simulated" : "real"},
      {"rounds", r.rounds},
      {"seconds", r.seconds},
      {"conclusion", selftest_conclusion(r)},
      {"hit", r.hit()},
      {"outcome", outcome_word(r.outcome())},
      {"judged", {{"faults", json_of(r.faults())}, {"known_answers", json_of(r.known_answers())}}},
      {"noise", r.noise()},
      {"calibration", calibration(r)},
      {"known_answers", list_of(r.answers)},
      {"observer_cost_share", r.observer ? json_of(r.observer->share) : Json(nullptr)},
      {"observer_outcome", r.observer ? Json(outcome_word(r.observer->outcome())) : Json(nullptr)},
      {"confusion",
       {{"rows", r.confusion.rows},
        {"columns", r.confusion.columns},
        {"counts", r.confusion.counts}}},
      {"cases", list_of(r.cases)},
      {"trials", json_of(r.trials)},
      {"identical_trials",
       {{"comparisons", r.same.comparisons},
        {"clear_of_zero", r.same.clear_of_zero},
        {"pipelines_differ_by_share", json_of(r.same.pipelines)}}}};
  out << document.dump(2) << '\n';
}

}  // namespace benchbench
