#include <ostream>

#include "harness/app/commands/selftest_report.h"
#include "harness/report/fields/json_maker.h"
#include "harness/report/tables/substitution_table.h"

namespace benchbench {

void visit_fields(const Growth& g, auto&& visit) {
  visit("component", g.component);
  visit("growth_ms", g.ms);
  visit("share", g.share);
  visit("bounded", g.bounded);
  visit("general", g.general);
}

}  // namespace benchbench

namespace benchbench::selftest {

void visit_fields(const KnownAnswer& a, auto&& visit) {
  visit("name", a.name);
  visit("truth_ms", a.truth_ms);
  visit("measured_ms", a.measured_ms);
  visit("error_share", a.error);
  visit("tolerance_share", a.tolerance);
  visit("repeat_difference_share", a.repeats ? std::optional(a.repeats->value) : std::nullopt);
  visit("outcome", outcome_word(a.outcome()));
}

void visit_fields(const Judged& j, auto&& visit) {
  visit("hit", j.hit);
  visit("missed", j.missed);
  visit("too_noisy", j.too_noisy);
}

void visit_fields(const FaultCase& k, auto&& visit) {
  visit("put_in", k.fault ? std::optional(k.fault->name) : std::nullopt);
  visit("expected", k.fault ? name_of(k.fault->component) : "none");
  visit("ground", k.ground);
  visit("share", k.share);
  visit("word", naming_word(k.found.naming, k.found.named, "none"));
  visit("named", k.found.named);
  visit("step_growth_ms", k.found.step_growth_ms);
  visit("growths", k.found.growths);
  visit("hit", k.hit());
}

void visit_fields(const TrialCounts& trials, auto&& visit) {
  visit("status", Fields{[&](auto&& status) {
          for (std::size_t i = 0; i < trials.by_status.size(); ++i)
            status(name_of(static_cast<Status>(i)), trials.by_status[i]);
        }});
  visit("reasons", Fields{[&](auto&& reason) {
          for (const auto& [rule, seen] : trials.reasons)
            reason(rule, Fields{[&](auto&& of_rule) {
                     of_rule("times", seen.first);
                     of_rule("first", seen.second);
                   }});
        }});
}

void visit_fields(const Confusion& c, auto&& visit) {
  visit("rows", c.rows);
  visit("columns", c.columns);
  visit("counts", c.counts);
}

void visit_fields(const SameAgainstSame& same, auto&& visit) {
  visit("comparisons", same.comparisons);
  visit("clear_of_zero", same.clear_of_zero);
  visit("pipelines_differ_by_share", same.pipelines);
}

void visit_fields(const WaitLateness& lateness, auto&& visit) {
  const auto environment = [](double Environment::* which) {
    return [which](const SelftestResult& r) { return r.environment.*which; };
  };
  visit("clock_read_ns", environment(&Environment::clock_read_ns));
  visit("clock_resolution_ns", environment(&Environment::clock_resolution_ns));
  visit("stage_scope_ns", environment(&Environment::stage_scope_ns));
  visit("queue_hop_ns", environment(&Environment::queue_hop_ns));
  visit("wait_lateness_ns_p50", lateness.p50_ns);
  visit("wait_lateness_ns_p99", lateness.p99_ns);
  visit("waits", lateness.waits);
}

void visit_fields(const SelftestResult& r, auto&& visit) {
  visit("selftest", 1);
  visit("clock", r.simulated ? "simulated" : "real");
  visit("rounds", r.rounds);
  visit("seconds", r.seconds);
  visit("conclusion", selftest_conclusion(r));
  visit("hit", r.hit());
  visit("outcome", outcome_word(r.outcome()));
  visit("judged", Fields{[&](auto&& judged) {
          judged("faults", r.faults());
          judged("known_answers", r.known_answers());
        }});
  visit("noise", r.noise());
  visit("calibration", r.lateness);
  visit("known_answers", r.answers);
  visit("observer_cost_share", r.observer ? std::optional(r.observer->share) : std::nullopt);
  visit("observer_outcome",
        r.observer ? std::optional(outcome_word(r.observer->outcome())) : std::nullopt);
  visit("confusion", r.confusion);
  visit("cases", r.cases);
  visit("trials", r.trials);
  visit("identical_trials", r.same);
}

}  // namespace benchbench::selftest

namespace benchbench {

void write_selftest_json(std::ostream& out, const selftest::SelftestResult& r) {
  out << json_text(make_json(r)) << '\n';
}

}  // namespace benchbench
