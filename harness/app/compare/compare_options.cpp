#include "harness/app/compare/compare_options.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "harness/app/options.h"
#include "harness/app/preparation/run_time.h"
#include "harness/app/run/output_guard.h"
#include "harness/core/error.h"
#include "harness/core/parse_number.h"
#include "harness/core/units.h"

namespace benchbench {
namespace {

constexpr Option kCompareOwn[] = {
    {"--fail-on", "GATES",
     "exit with 3 where these are broken (default slower:3%); e.g. "
     "slower:5%,wait:10%,memory:20%,verdict"},
    {"--confirm", "", "run what is SLOWER again by itself before it counts"},
    {"--spread", "SHARE",
     "of stored runs: what identical sessions differ by on this machine, such as 4%"},
    {"--across", "KEY", "of stored runs: pair points that differ in this setting", true},
    {"--interleave", "", "run FILE, or two files, as A and B in turn, run by run"},
    {"--b-set", "KEY=VALUE", "with --interleave: a setting of B alone", true},
    {"--b-program", "PATH", "with --interleave: another benchbench program runs the trials of B"},
    {"--budget", "TIME",
     "with --interleave or --confirm: start no round, and run no pair again, that does not end "
     "within this time"},
};
constexpr std::array<std::string_view, 9> kOfScenario{"--set",          "--only",   "--sweep",
                                                      "--variant",      "--rounds", "--substitute",
                                                      "--interference", "--clock",  "--cache"};

// Needs --interleave, since stored runs are as they are.
constexpr std::array<std::string_view, 9> kOfInterleave{
    "--b-set",   "--b-program", "--set",        "--only",        "--sweep",
    "--variant", "--rounds",    "--substitute", "--interference"};

void check_together(const Arguments& arguments) {
  const bool interleave = arguments.flag("--interleave");
  for (const std::string_view name : kOfInterleave)
    if (!interleave && arguments.flag(name))
      throw UsageError(
          fmt::format("{} needs --interleave: stored runs are compared as they are", name));
  if (arguments.flag("--budget") && !interleave && !arguments.flag("--confirm"))
    throw UsageError("--budget needs --interleave or --confirm: stored runs take no time");
  for (const std::string_view name : {"--spread", "--across"})
    if (interleave && arguments.flag(name))
      throw UsageError(fmt::format("{} is of stored runs, not of --interleave", name));
  if (interleave && arguments.positional().size() == 2 && arguments.flag("--b-set"))
    throw UsageError("--b-set changes the one file that is given; two are",
                     "give B its settings in its own file");
}

void check_outputs_of_compare(const Arguments& arguments) {
  if (arguments.text("--json") == "-" && arguments.text("--html") == "-")
    throw UsageError("only one of --json, --html can be written to standard output");
  OutputGuard guard;
  (arguments.flag("--interleave") ? guard.scenarios : guard.folders) = arguments.positional();
  for (const std::string& out : arguments.list("--out"))
    guard.folders.insert(guard.folders.end(), {out + "/a", out + "/b"});
  check_output_files(arguments, {"--json", "--html"}, guard);
}

double spread_from(const std::string& text) {
  std::string_view rest = text;
  const bool percent = rest.ends_with('%');
  if (percent) rest.remove_suffix(1);
  while (rest.ends_with(' ')) rest.remove_suffix(1);
  const double value = parse_number<double>(rest).value_or(-1) / (percent ? 100 : 1);
  if (!(value >= 0 && value < 1))
    throw UsageError(
        fmt::format("--spread {}: expected a share from 0 % to 100 %, such as 4% or 0.04", text));
  return value;
}

}  // namespace

std::vector<Option> compare_command_options() {
  return joined({kCompareOwn, shared_options({"--out", "--json", "--html", "--detail", "--quiet"}),
                 shared_options(kOfScenario)});
}

CompareOptions compare_options(const Arguments& arguments) {
  check_together(arguments);
  check_outputs_of_compare(arguments);
  CompareOptions out;
  out.gates = gates_from(arguments.text("--fail-on", "slower:3%"));
  if (arguments.flag("--spread")) out.asked.spread = spread_from(arguments.text("--spread"));
  out.asked.across = arguments.list("--across");
  out.b_sets = arguments.list("--b-set");
  out.b_program = arguments.text("--b-program");
  out.budget = arguments.text("--budget");
  if (arguments.flag("--budget")) out.budget_seconds = parse_budget(out.budget);
  out.interleave = arguments.flag("--interleave"), out.confirm = arguments.flag("--confirm");
  out.detail = arguments.flag("--detail"), out.quiet = arguments.flag("--quiet");
  return out;
}

Arguments side_arguments(const Arguments& given, const std::string& file,
                         const std::vector<std::string>& sets) {
  Arguments out;
  out.set_positional({file});
  for (const std::string_view name : kOfScenario)
    if (given.flag(name)) out.add(name, given.list(name));
  std::vector<std::string> all = given.list("--set");
  all.insert(all.end(), {"measure.budget=none", "measure.stop_at=none"});
  all.insert(all.end(), sets.begin(), sets.end());
  out.add("--set", all);
  if (!given.flag("--rounds")) out.add("--rounds", {kDefaultRounds});
  return out;
}

}  // namespace benchbench
