// Each sentence holds for the data it is printed for.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "harness/core/units.h"
#include "harness/report/require/require_report.h"

namespace benchbench {
namespace {

std::string per_second(double bytes) {
  return bytes >= 1e9   ? fmt::format("{:.3g} GB/s", bytes / 1e9)
         : bytes >= 1e6 ? fmt::format("{:.3g} MB/s", bytes / 1e6)
                        : fmt::format("{:.3g} kB/s", bytes / 1e3);
}

double rate_at(const RequireReport& r, std::size_t rung) { return r.problem.rates.at(rung); }

std::string tolerance_text(const RequireReport& r) {
  return fmt::format("{:g} %", 100 * r.problem.tolerance);
}

// Where both ends are known.
std::string interval_text(const RequireReport& r) {
  if (!r.found.surely_enough || !r.found.surely_too_little) return "";
  return fmt::format(" [{}, {}]", human_count(rate_at(r, *r.found.surely_too_little)),
                     human_count(rate_at(r, *r.found.surely_enough)));
}

std::string why_no_rate(const RequireReport& r) {
  switch (r.stop) {
    case RequireStop::no_trainer:
      return "nothing can be said: no trial of the cached-batch step has a usable rate";
    case RequireStop::no_supply:
      return "nothing can be said: trials of the step fed at a rate were not usable";
    case RequireStop::never_enough:
      return fmt::format(
          "no supply up to {} samples/s brings the step within {} of the "
          "cached-batch step ({} samples/s)",
          human_count(r.problem.rates.back()), tolerance_text(r), human_count(r.trainer_rate));
    case RequireStop::budget:
      return "the budget ended before any supply was found to be enough";
    default:
      return "interrupted before any supply was found to be enough";
  }
}

std::string amount_lines(const RequireReport& r, double rate) {
  std::string text = fmt::format("  {} batches/s of {}", human_count(rate / r.batch_size),
                                 counted(r.batch_size, "sample"));
  if (r.batch_bytes)
    text += fmt::format(": {} into the trainer ({} a sample)", per_second(rate * *r.batch_bytes),
                        human_bytes(*r.batch_bytes));
  text += "\n";
  if (r.stored_bytes)
    text += fmt::format("  {} of stored samples ({} a sample)\n",
                        per_second(rate * *r.stored_bytes), human_bytes(*r.stored_bytes));
  if (r.reads)
    text += fmt::format("  {} read requests/s to the storage ({:.3g} a sample)\n",
                        human_count(rate * *r.reads), *r.reads);
  if (r.dataset_samples)
    text +=
        fmt::format("  the whole data set ({}) in {}\n", counted(*r.dataset_samples, "sample"),
                    human_duration(from_seconds(static_cast<double>(*r.dataset_samples) / rate)));
  return text;
}

std::string workers_line(const RequireReport& r, double rate) {
  const auto workers = workers_for(r, rate);
  if (!workers) return "";
  const LoaderAlone& own = r.loaders.front();
  const double one = own.rate / std::max(1u, own.workers);
  std::string text =
      fmt::format("  {} of this loader, if each gives {} samples/s as with num_workers={}\n",
                  counted(*workers, "worker"), human_count(one), own.workers);
  for (const LoaderAlone& l : r.loaders)
    text += fmt::format("    num_workers={}: {} samples/s alone, {}\n", l.workers,
                        human_count(l.rate), l.rate >= rate ? "enough" : "too little");
  return text;
}

std::string stores_lines(const RequireReport& r, double rate) {
  if (r.stores.empty() && r.stores_left.empty()) return "";
  std::string text = fmt::format("  dataset.storage.like, with num_workers={}:\n", r.store_workers);
  for (const StoreAlone& s : r.stores)
    text += s.rate ? fmt::format("    {} {}: {} samples/s\n", s.preset,
                                 *s.rate >= rate ? "suffices" : "does not suffice",
                                 human_count(*s.rate))
                   : fmt::format("    {}: not known, its trial has no usable rate\n", s.preset);
  if (!r.stores_left.empty())
    text += fmt::format("    not measured: {}\n", fmt::join(r.stores_left, ", "));
  return text;
}

std::string cores_line(const RequireReport& r, double rate) {
  if (!r.cpu_per_sample) return "";
  return fmt::format(
      "  {:.2g} cores for each accelerator ({} of CPU time a sample for the loader; "
      "this machine has {:g})\n",
      rate * *r.cpu_per_sample, human_duration(from_seconds(*r.cpu_per_sample)), r.cores);
}

std::string looks_lines(const RequireReport& r) {
  std::string text;
  for (std::size_t i = 0; i < r.problem.rates.size(); ++i) {
    double sum = 0, n = 0;
    for (const SupplyLook& l : r.looks)
      if (l.rung == i) sum += l.slower, ++n;
    if (n > 0)
      text += fmt::format("  {:>9}  {:>+8.2f} %  {:>5}\n", human_count(rate_at(r, i)),
                          100 * std::expm1(sum / n), n);
  }
  return text.empty() ? text
                      : "\nThe step fed at a rate, against the cached-batch step of the same "
                        "round:\n  samples/s        step  looks\n" +
                            text;
}

std::string problem_notes(const RequireReport& r) {
  std::string text;
  for (const Note& n : r.problems) text += fmt::format("  {}\n", n.text);
  return text.empty() ? text : "\nTrials that are not used, and noisy ones:\n" + text;
}

std::string stop_line(const RequireReport& r) {
  const auto trials = counted(r.trials, "trial");
  if (r.stop == RequireStop::interrupted) return fmt::format("\nInterrupted after {}.\n", trials);
  if (r.stop == RequireStop::budget)
    return fmt::format("\nThe search's share of the budget ended before it did; {} in all.\n",
                       trials);
  return fmt::format("\nCost: {}{}.\n", trials, r.simulated ? " in virtual time" : "");
}

}  // namespace

std::string require_summary(const RequireReport& r) {
  const auto rate = required_of(r);
  if (!rate) return why_no_rate(r);
  const bool open = r.stop != RequireStop::found;
  const std::string_view doubt = !is_too_noisy(r) ? ""
                                 : open           ? "not said closely: "
                                                  : "too noisy to say closely: ";
  return fmt::format(
      "{}the step needs {}{} samples/s{} to be within {} of the cached-batch step ({} samples/s)",
      doubt, open || !r.found.too_little ? "at most " : "", human_count(*rate), interval_text(r),
      tolerance_text(r), human_count(r.trainer_rate));
}

std::string require_text(const RequireReport& r) {
  std::string text = fmt::format("{}: {}\n", r.scenario, require_summary(r));
  if (const auto rate = required_of(r))
    text += amount_lines(r, *rate) + workers_line(r, *rate) + stores_lines(r, *rate) +
            cores_line(r, *rate);
  return text + looks_lines(r) + problem_notes(r) + stop_line(r);
}

}  // namespace benchbench
