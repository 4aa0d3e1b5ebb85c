// `benchbench selftest`: is this instrument, on this machine, today, right?
#include "harness/selftest/selftest.h"
#include "harness/app/options.h"
#include "harness/core/parse_number.h"

#include <fmt/format.h>

#include <iostream>

#include "harness/app/commands/selftest_report.h"
#include "harness/app/exit_code.h"
#include "harness/app/interrupt.h"
#include "harness/app/output_file.h"
#include "harness/app/preparation/prepared_plan.h"
#include "harness/app/run/output_guard.h"
#include "harness/app/status_line.h"
#include "harness/core/error.h"
#include "harness/core/spelling.h"

namespace benchbench {
namespace {

constexpr double kTooEarly = 0.01;  // of the whole: how long the rest takes is not known yet
constexpr unsigned kWidth = 160;
constexpr std::uint32_t kMinRounds = 2, kMaxRounds = 1000;

const selftest::InjectedFault* fault_named(const std::string& name) {
  if (name.empty()) return nullptr;
  if (const auto* fault = selftest::find_fault(name)) return fault;
  std::vector<std::string> names;
  for (const selftest::InjectedFault& fault : selftest::injected_faults())
    names.emplace_back(fault.name);
  throw UsageError(fmt::format("--only {}: unknown fault", name),
                   fmt::format("allowed: {}", listed(names, names.size())));
}

std::uint32_t rounds_of(const Arguments& arguments, std::uint32_t otherwise) {
  if (!arguments.flag("--rounds")) return otherwise;
  const std::string text = arguments.text("--rounds");
  const auto rounds = parse_number<std::uint32_t>(text);
  if (!rounds || *rounds < kMinRounds || *rounds > kMaxRounds)
    throw UsageError(fmt::format("--rounds {}: expected a whole number from {} to {}", text,
                                 kMinRounds, kMaxRounds));
  return *rounds;
}

std::string write_progress(const selftest::SelftestProgress& p) {
  const std::string left =
      p.share < kTooEarly ? "" : fmt::format(", {:.0f} s left", p.seconds_left);
  return fmt::format("{}, round {} of {}, {:.0f} %{}", p.doing, p.round, p.rounds, 100 * p.share,
                     left);
}

// Runs it with a line that is drawn over on a terminal; elsewhere one line a round.
selftest::SelftestResult run_with_progress(const selftest::SelftestOptions& options) {
  StatusLine line({.redraw = {}, .print = std::chrono::milliseconds{0}});
  std::string said;
  return run_selftest(options, [&](const selftest::SelftestProgress& p) {
    const std::string round = fmt::format("{} {}", p.doing, p.round);
    if (line.is_on_terminal() || round != said) line.show(write_progress(p));
    said = round;
  });
}

int run_selftest_command(const Arguments& arguments) {
  check_output_files(arguments, {"--json"}, {});
  selftest::SelftestOptions options{.catalog = built_in_catalog()};
  options.simulated = simulated_clock(arguments);
  options.only = fault_named(arguments.text("--only"));
  options.rounds = rounds_of(arguments, options.rounds);
  listen_for_interrupts();
  options.stop = &interrupted();
  const selftest::SelftestResult result = run_with_progress(options);
  const std::string json = arguments.text("--json");
  if (json != "-") write_selftest_text(std::cout, result, output_width().value_or(kWidth));
  if (!json.empty()) write_to(json, [&](std::ostream& out) { write_selftest_json(out, result); });
  switch (result.outcome()) {
    case selftest::Outcome::hit:
      return kDone;
    case selftest::Outcome::missed:
      return kTrialFailed;
    case selftest::Outcome::too_noisy:
      return kInconclusive;
  }
  return kTrialFailed;
}

constexpr Option kSelftestOptions[] = {
    {"--only", "FAULT", "inject only this fault and skip the known answers"},
    {"--rounds", "N",
     "rounds of the faults (default 5; with fewer, a fault must cost 10 % of the step)"},
};

}  // namespace

extern const Command selftest_command{
    "selftest",
    "measure",
    "check benchbench on this machine: known answers, and injected faults it must name",
    "",
    joined({shared_options({"--clock"}), kSelftestOptions, shared_options({"--json"})}),
    "  benchbench selftest                      # under 4 minutes; exit 0: all correct, 1: a miss, "
    "4: no miss, some too noisy to judge\n"
    "  benchbench selftest --clock simulated\n"
    "  benchbench selftest --only straggler --rounds 10\n",
    run_selftest_command};

}  // namespace benchbench
