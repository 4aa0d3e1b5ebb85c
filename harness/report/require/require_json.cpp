#include "harness/report/fields/json_maker.h"
#include "harness/report/require/require_report.h"

namespace benchbench {

constexpr std::array<std::string_view, 6> kRequireStops{"found",       "never_enough", "budget",
                                                        "interrupted", "no_trainer",   "no_supply"};

void visit_fields(const SupplyLook& look, auto&& visit) {
  visit("samples_per_second",
        [&](const RequireReport& r) { return r.problem.rates.at(look.rung); });
  visit("step_ratio", std::exp(look.slower));
}
void visit_fields(const LoaderAlone& l, auto&& visit) {
  visit("num_workers", l.workers);
  visit("samples_per_second", l.rate);
}
void visit_fields(const StoreAlone& s, auto&& visit) {
  visit("like", s.preset);
  visit("samples_per_second", s.rate);
  visit("suffices", [&](const RequireReport& r) {
    const auto rate = required_of(r);
    return s.rate && rate ? std::optional(*s.rate >= *rate) : std::nullopt;
  });
}

// The members that follow from the required rate.
void visit_required(const RequireReport& r, const std::optional<double>& rate, auto&& visit) {
  const auto times = [&](const std::optional<double>& each) {
    return rate && each ? std::optional(*rate * *each) : std::nullopt;
  };
  const auto rung = [&](const std::optional<std::size_t>& at) {
    return at ? std::optional(r.problem.rates.at(*at)) : std::nullopt;
  };
  visit("required_samples_per_second", rate);
  visit("surely_too_little", rung(r.found.surely_too_little));
  visit("surely_enough", rung(r.found.surely_enough));
  visit("trainer_samples_per_second", r.trainer_rate);
  visit("required_batches_per_second", rate ? std::optional(*rate / r.batch_size) : std::nullopt);
  visit("required_bytes_per_second", times(r.batch_bytes));
  visit("required_stored_bytes_per_second", times(r.stored_bytes));
  visit("required_reads_per_second", times(r.reads));
  visit("required_workers", rate ? workers_for(r, *rate) : std::nullopt);
  visit("required_cores", times(r.cpu_per_sample));
  visit("dataset_seconds", rate && r.dataset_samples
                               ? std::optional(static_cast<double>(*r.dataset_samples) / *rate)
                               : std::nullopt);
}

void visit_fields(const RequireReport& r, auto&& visit) {
  visit("scenario", r.scenario);
  visit("loader", r.loader);
  visit("summary", require_summary(r));
  visit("stop", kRequireStops[static_cast<std::size_t>(r.stop)]);
  visit_required(r, required_of(r), visit);
  visit("loaders", r.loaders);
  visit("stores", r.stores);
  visit("looks", r.looks);
  visit("problems", texts_of(r.problems));
  visit("trials", r.trials);
}

std::string require_json(const RequireReport& r) { return json_text(make_json(r)) + "\n"; }

}  // namespace benchbench
