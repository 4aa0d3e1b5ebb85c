#include "harness/app/wrap/wrap_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <sstream>
#include <string_view>

#include "harness/app/options.h"
#include "harness/app/run/outputs.h"
#include "harness/app/wrap/wrap_try.h"
#include "harness/core/contains.h"
#include "harness/core/error.h"
#include "harness/core/parse_number.h"
#include "harness/record/value.h"

namespace benchbench {
namespace {

constexpr Nanoseconds kStretch = std::chrono::seconds{1}, kLeast = std::chrono::seconds{60},
                      kMost = std::chrono::minutes{5}, kTuneBudget = std::chrono::minutes{10};
constexpr Nanoseconds kHangAfter = std::chrono::seconds{60};
constexpr std::uint32_t kFirstOfTune = 3, kMostRounds = 10;

constexpr Option kMeasuringOptions[] = {
    {"--budget", "TIME", "for measuring, after the start (default: 1min to 5min)"},
    {"--patience", "TIME", "no batch, step or CPU use for so long is a hang (1min)"},
    {"--rounds", "N",
     "rounds of three stretches each, exactly (default: until the side is certain, 10 at most)"},
    {"--skip-steps", "N", "steps of the script before anything is measured"},
    {"--loader", "NAME", "the variable of the loader to measure, where several feed the steps"},
    {"--try", "N=V,...",
     "settings of the loader, in turns with its own: num_workers, "
     "prefetch_factor, pin_memory, in_order",
     true},
    {"--tune", "",
     "search the loader's settings while the script runs: num_workers, prefetch_factor, "
     "pin_memory"},
};
constexpr Option kScriptOptions[] = {
    {"--check", "", "end the script before its loop, and print what is seen"},
    {"--keep-going", "", "measure the script as it is, and let it run to its end"},
    {"--stop", "HOW",
     "hard (default): no clean-up of the script runs; exception: it does, and may save"},
    {"--offline", "", "set WANDB_MODE, HF_HUB_OFFLINE and the like for the script"},
    {"--copy-cwd", "",
     "run the script in a copy of the working directory, deleted afterwards (1 GiB at most)"},
    {"--out", "DIR", "folder for the record (default: below $XDG_STATE_HOME or ~/.local/state)"},
    {"--strict", "",
     "exit with 73 if a stretch is NOISY or INVALID, or --tune misses the target rate"},
};

std::optional<std::uint64_t> number_of(const Arguments& arguments, std::string_view option,
                                       std::uint64_t least, std::uint64_t most) {
  if (!arguments.flag(option)) return std::nullopt;
  const std::string text = arguments.text(option);
  const auto value = parse_number<std::uint64_t>(text);
  if (!value || *value < least || *value > most)
    throw UsageError(
        fmt::format("{} {}: expected a number from {} to {}", option, text, least, most));
  return value;
}

std::optional<Nanoseconds> time_of(const Arguments& arguments, std::string_view option) {
  if (!arguments.flag(option)) return std::nullopt;
  std::string why;
  const auto value = Value::parse(ParameterType::duration, arguments.text(option), &why);
  const auto* ns = value ? std::get_if<std::int64_t>(&value->held) : nullptr;
  if (!ns || *ns <= 0)
    throw UsageError(fmt::format("{} {}: expected {}", option, arguments.text(option),
                                 why.empty() ? "a duration above 0" : why),
                     fmt::format("e.g. {} 2min", option));
  return Nanoseconds{*ns};
}

bool stops_by_exception(const Arguments& arguments) {
  const std::string how = arguments.text("--stop", "hard");
  if (how != "hard" && how != "exception")
    throw UsageError(fmt::format("--stop {}: expected hard or exception", how));
  return how == "exception";
}

TriedSettings other_of(const Arguments& arguments) {
  const std::vector<std::string> given = arguments.list("--try");
  if (given.size() > 1)
    throw UsageError(
        "--try can be given once, for now: each run compares the loader with one other",
        "several settings of one other: --try num_workers=4,prefetch_factor=8");
  return given.empty() ? TriedSettings{} : settings_to_try(given.front());
}

double rate_of(const Arguments& arguments, const char* option) {
  const std::string text = arguments.text(option);
  char* end = nullptr;
  const double rate = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(rate > 0) || std::isinf(rate))
    throw UsageError(fmt::format("{} {}: expected a number of samples/s above 0", option, text));
  return rate;
}

// The first rounds are few: the search has rounds of its own.
void tune_in(const Arguments& arguments, WrapOrder& order) {
  order.tune = arguments.flag("--tune");
  for (const char* own : {"--max-workers", "--target-rate"})
    if (!order.tune && arguments.flag(own)) throw UsageError(fmt::format("{} is of --tune", own));
  if (!order.tune) return;
  for (const char* other : {"--try", "--check", "--keep-going"})
    if (arguments.flag(other))
      throw UsageError(fmt::format("--tune and {} exclude each other", other));
  if (!order.budget) order.budget = kTuneBudget;
  if (!arguments.flag("--rounds")) order.rounds = kFirstOfTune;
  order.most_rounds = 0;
}

WrapOrder order_of(const Arguments& arguments) {
  WrapOrder order;
  order.rounds =
      static_cast<std::uint32_t>(number_of(arguments, "--rounds", 1, 1000).value_or(order.rounds));
  order.stretch = kStretch;
  if (!arguments.flag("--rounds")) order.most_rounds = kMostRounds;
  order.exact = arguments.flag("--rounds") && !arguments.flag("--keep-going");
  order.budget = time_of(arguments, "--budget");
  order.most = kMost;
  order.skip_steps = number_of(arguments, "--skip-steps", 0, 1'000'000'000).value_or(0);
  order.loader = arguments.text("--loader");
  order.keep_going = arguments.flag("--keep-going");
  order.check = arguments.flag("--check");
  if (!order.keep_going) order.least = kLeast;  // else as many stretches as it has time for
  order.by_exception = stops_by_exception(arguments);
  order.other = other_of(arguments);
  if (!order.other.empty()) order.most_rounds = 0;  // it is F against f that has to be certain
  if (!order.other.empty() && (order.keep_going || order.check))
    throw UsageError(
        fmt::format("--try and {} exclude each other", order.check ? "--check" : "--keep-going"));
  tune_in(arguments, order);
  if (order.keep_going && order.check)
    throw UsageError("--check and --keep-going exclude each other");
  return order;
}

}  // namespace

std::vector<Option> wrap_options() {
  return joined({kMeasuringOptions, shared_options({"--max-workers", "--target-rate"}),
                 kScriptOptions, output_options()});
}

namespace {

constexpr std::string_view kShells[] = {"sh", "bash", "dash", "zsh", "ksh"};

// The word that names the user's code; empty: none does.
std::string code_in(const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].ends_with(".py")) return words[i];
    if (words[i] == "-m" && i + 1 < words.size() && words[i + 1].find("torch.distributed") != 0)
      return words[i + 1];
  }
  return "";
}

// `bash -c "cd x && python 'train.py' --lr 1"`: what the shell is given, cut at blanks, quotes and
// what ends a command.
std::vector<std::string> shells_words(const std::vector<std::string>& words) {
  const std::string program = std::filesystem::path(words.front()).filename().string();
  if (!contains(kShells, program)) return {};
  for (std::size_t i = 1; i + 1 < words.size(); ++i) {
    if (!words[i].starts_with("-") || !words[i].ends_with("c")) continue;
    std::string text = words[i + 1];
    for (char& c : text)
      if (std::string_view("'\";&|()<>\n\t").find(c) != std::string_view::npos) c = ' ';
    std::istringstream cut(text);
    return {std::istream_iterator<std::string>(cut), {}};
  }
  return {};
}

}  // namespace

std::string script_in(const std::vector<std::string>& words) {
  if (words.empty()) return "";
  for (const auto& those : {shells_words(words), words})
    if (const std::string code = code_in(those); !code.empty()) return code;
  return std::filesystem::path(words.front()).filename().string();
}

WrapRequest wrap_request(const Arguments& arguments) {
  WrapRequest request;
  request.order = order_of(arguments);
  request.words = arguments.positional();
  if (request.words.empty())
    throw UsageError("benchbench wrap: no command",
                     "e.g. benchbench wrap -- python train.py --epochs 3");
  if (arguments.flag("--offline"))
    request.environment = {"WANDB_MODE=offline", "HF_HUB_OFFLINE=1", "HF_DATASETS_OFFLINE=1",
                           "TRANSFORMERS_OFFLINE=1"};
  request.script = script_in(request.words);
  request.folder = arguments.text("--out");
  if (arguments.flag("--target-rate")) request.target_rate = rate_of(arguments, "--target-rate");
  request.max_workers =
      static_cast<std::uint32_t>(number_of(arguments, "--max-workers", 1, 1024).value_or(0));
  request.hang_after = time_of(arguments, "--patience").value_or(kHangAfter);
  request.traces = arguments.flag("--trace");
  request.copies = arguments.flag("--copy-cwd");
  request.gives_stdout_away = takes_standard_output(arguments);
  if (request.copies && request.order.keep_going)
    throw UsageError(
        "--copy-cwd and --keep-going exclude each other: what the script makes until its end would "
        "be deleted with the copy");
  return request;
}

}  // namespace benchbench
