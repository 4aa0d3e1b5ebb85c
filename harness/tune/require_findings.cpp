#include "harness/tune/require_findings.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "harness/analysis/statistics/statistics.h"

namespace benchbench {

std::optional<double> required_of(const RequireFindings& r) {
  return r.found.enough ? std::optional(r.problem.rates.at(*r.found.enough)) : std::nullopt;
}

std::optional<std::uint32_t> workers_for(const RequireFindings& r, double rate) {
  if (r.loaders.empty() || r.loaders.front().rate <= 0) return std::nullopt;
  const LoaderAlone& own = r.loaders.front();
  constexpr double kMost = 4096;
  return static_cast<std::uint32_t>(
      std::clamp(std::ceil(rate / own.rate * std::max(1u, own.workers)), 1.0, kMost));
}

bool is_too_noisy(const RequireFindings& r) {
  constexpr double kWide = 1.1;
  const RequiredRate& found = r.found;
  if (!found.enough || r.stop == RequireStop::interrupted) return false;
  if (!found.surely_enough) return true;
  if (!found.surely_too_little) return found.too_little.has_value();
  return r.problem.rates.at(*found.surely_enough) >
         kWide * r.problem.rates.at(*found.surely_too_little);
}

bool gives_too_little(const RequireFindings& r) {
  const auto rate = required_of(r);
  return rate && !r.loaders.empty() && r.loaders.front().rate < *rate;
}

double expected_noise(std::span<const double> trainer_rates, bool simulated) {
  constexpr double kLeast = 0.003, kMost = 0.05;
  std::vector<double> logs;
  for (const double rate : trainer_rates) logs.push_back(std::log(rate));
  // A look is a difference of two trials.
  const double noise = std::numbers::sqrt2 * standard_deviation(logs);
  return simulated ? noise : std::clamp(noise, kLeast, kMost);
}

std::optional<std::uint32_t> next_workers(const RequireFindings& r) {
  constexpr std::size_t kTries = 3;
  const auto rate = required_of(r);
  if (!rate || r.loaders.empty() || r.loaders.size() > kTries) return std::nullopt;
  const LoaderAlone &own = r.loaders.front(), &last = r.loaders.back();
  if (r.loaders.size() > 1 && last.rate >= *rate) return std::nullopt;
  const auto workers =
      r.loaders.size() == 1
          ? workers_for(r, *rate)
          : static_cast<std::uint32_t>(std::ceil(last.workers * *rate / last.rate));
  const double most = std::max(4 * r.cores, 4.0 * own.workers);
  const auto has = [&](const LoaderAlone& l) { return l.workers == workers; };
  return !workers || *workers > most || std::ranges::any_of(r.loaders, has) ? std::nullopt
                                                                            : workers;
}

bool is_close(const RequireFindings& r, double rate) {
  constexpr double kNear = 0.1;
  const auto required = required_of(r);
  return required && std::abs(std::log(rate / *required)) <= kNear;
}

}  // namespace benchbench
