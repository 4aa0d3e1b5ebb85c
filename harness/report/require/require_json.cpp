#include <nlohmann/json.hpp>

#include <cmath>

#include "harness/report/require/require_report.h"

namespace benchbench {
namespace {

template <class T>
nlohmann::json json_or_null(const std::optional<T>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

nlohmann::json times(const std::optional<double>& rate, const std::optional<double>& each) {
  return rate && each ? nlohmann::json(*rate * *each) : nlohmann::json(nullptr);
}

nlohmann::json rung_json(const RequireReport& r, const std::optional<std::size_t>& rung) {
  return rung ? nlohmann::json(r.problem.rates.at(*rung)) : nlohmann::json(nullptr);
}

constexpr const char* kRequireStops[] = {"found",       "never_enough", "budget",
                                         "interrupted", "no_trainer",   "no_supply"};

}  // namespace

std::string require_json(const RequireReport& r) {
  using nlohmann::json;
  const auto rate = required_of(r);
  json looks = json::array(), loaders = json::array(), stores = json::array(),
       problems = json::array();
  for (const SupplyLook& l : r.looks)
    looks.push_back(
        {{"samples_per_second", r.problem.rates.at(l.rung)}, {"step_ratio", std::exp(l.slower)}});
  for (const LoaderAlone& l : r.loaders)
    loaders.push_back({{"num_workers", l.workers}, {"samples_per_second", l.rate}});
  for (const StoreAlone& s : r.stores)
    stores.push_back({{"like", s.preset},
                      {"samples_per_second", json_or_null(s.rate)},
                      {"suffices", s.rate && rate ? json(*s.rate >= *rate) : json(nullptr)}});
  for (const Note& n : r.problems) problems.push_back(n.text);
  const json out{{"scenario", r.scenario},
                 {"loader", r.loader},
                 {"summary", require_summary(r)},
                 {"stop", kRequireStops[static_cast<std::size_t>(r.stop)]},
                 {"required_samples_per_second", json_or_null(rate)},
                 {"surely_too_little", rung_json(r, r.found.surely_too_little)},
                 {"surely_enough", rung_json(r, r.found.surely_enough)},
                 {"trainer_samples_per_second", r.trainer_rate},
                 {"required_batches_per_second", rate ? json(*rate / r.batch_size) : json(nullptr)},
                 {"required_bytes_per_second", times(rate, r.batch_bytes)},
                 {"required_stored_bytes_per_second", times(rate, r.stored_bytes)},
                 {"required_reads_per_second", times(rate, r.reads)},
                 {"required_workers", rate ? json_or_null(workers_for(r, *rate)) : json(nullptr)},
                 {"required_cores", times(rate, r.cpu_per_sample)},
                 {"dataset_seconds", rate && r.dataset_samples
                                         ? json(static_cast<double>(*r.dataset_samples) / *rate)
                                         : json(nullptr)},
                 {"loaders", loaders},
                 {"stores", stores},
                 {"looks", looks},
                 {"problems", problems},
                 {"trials", r.trials}};
  return out.dump(2) + "\n";
}

}  // namespace benchbench
