#include "harness/app/wrap/wrap_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>

#include "harness/analysis/external/script_end.h"
#include "harness/app/wrap/wrap_step_words.h"
#include "harness/app/wrap/wrap_try.h"
#include "harness/core/units.h"

namespace benchbench {
namespace {

std::string settings_text(const WrapLoader& loader) {
  const std::string text = settings_words(loader.own);
  return text.empty() ? "" : fmt::format("\n    DataLoader({})", text);
}

// Files that it writes without a saver are not known.
std::string unsaved_words(const WrapEnd& end) {
  return end.saves == 0 ? ", before it called torch.save or another saver that is known" : "";
}

// The process is gone, and said nothing: only signals and os._exit() keep it from that.
std::string lost_words(const ChildEnd& script) {
  if (script.signal) return fmt::format("was {}.", script.text());
  if (script.status > 128 && script.status <= 128 + SIGRTMAX)
    return fmt::format("was killed by {}.", signal_name(script.status - 128));
  return "ended without its exit handlers: it was killed, or called os._exit.";
}

// Returns a predicate, "was stopped before its loop."
std::string why_it_ended(const WrapEnd& end, const ChildEnd& script) {
  switch (end.reason) {
    case WrapReason::answer:
      return fmt::format("was stopped after the last round{}.", unsaved_words(end));
    case WrapReason::budget_over:
      return fmt::format("was stopped at the end of its budget{}.", unsaved_words(end));
    case WrapReason::saver_called:
      return fmt::format("was stopped before {} wrote.",
                         end.saver.empty() ? "it saved and" : end.saver);
    case WrapReason::checked:
      return "was stopped before its loop.";
    case WrapReason::refused:
      return fmt::format("was stopped: {}.", end.message);
    case WrapReason::script_failed:
      if (end.message.starts_with("KeyboardInterrupt")) return "was interrupted.";
      if (!end.saver.empty())
        return fmt::format("was stopped before {} wrote, as {} had come up.", end.saver,
                           end.message.empty() ? "an exception" : end.message);
      return fmt::format("failed{}.", end.message.empty() ? "" : ": " + end.message);
    case WrapReason::script_ended:
      return "ended by itself.";
    case WrapReason::internal:
      break;  // no end of the script's own
    case WrapReason::stopped:
      return "was stopped with another rank.";
    case WrapReason::hangs:
      return "hung, and was ended.";
    case WrapReason::no_fetch:
      return fmt::format(
          "was stopped, as it trains on without its loader: no fetch since step {}, {} since.",
          end.steps.last_fetch.value_or(0), counted(end.steps.since, "step"));
    case WrapReason::no_loader:
      return "was stopped: its steps get their batches without a DataLoader.";
    case WrapReason::lost:
      return lost_words(script);
  }
  return "";
}

std::string how_it_ended(const std::string& s, const WrapEnd& end, const ChildEnd& script) {
  if (end.reason == WrapReason::internal)
    return fmt::format(
        "measuring failed within {}: {}; this is a defect of benchbench: please report it.", s,
        end.message);
  return s + " " + why_it_ended(end, script);
}

std::string nothing_trained(const WrapEnd& end) {
  const std::string rate = knows_rate(end) ? steps_words(end.steps) : "";
  if (end.reason == WrapReason::no_fetch) return rate;
  if (end.loaders.empty())
    return (end.reason == WrapReason::no_loader
                ? ""
                : " No DataLoader that feeds a training step was seen.") +
           rate + by_hand_words(end.steps);
  std::vector<std::string> names;
  for (const WrapLoader& loader : end.loaders) names.push_back(loader_words(loader));
  return fmt::format(
      " It had batches of {}, with too few steps of a training behind them. A loop without a "
      "backward pass, as an evaluation is, is measured where it takes"
      " longer than {}.",
      fmt::join(names, ", "), human_duration(kLookedAt));
}

// Whole ones: it is an estimate.
std::string about(Nanoseconds time) {
  const double s = std::max(1.0, to_seconds(time)), whole = s < 10 ? 1 : s < 120 ? 5 : 60;
  const double rounded = std::round(s / whole) * whole;
  return rounded < 120 ? fmt::format("{:.0f} s", rounded) : fmt::format("{:.0f} min", rounded / 60);
}

std::string round_needs(const WrapPlanned& planned) {
  const Nanoseconds round = planned.round;
  const auto steps = static_cast<std::uint64_t>(std::max<std::int64_t>(
      1, round.count() / std::max<std::int64_t>(1, planned.loop.batch.count())));
  return fmt::format(" There was no time for one round, which takes about {}, or {} of this loop.",
                     about(round), counted(steps, "step"));
}

std::string never_steady(const WrapEnd& end) {
  std::uint64_t steps = 0;
  for (const WrapLoader& loader : end.loaders)
    steps = std::max(steps, loader.trains ? loader.served : 0);
  return fmt::format(
      " Its loop ended before it was steady{}: measuring takes some seconds of steps, "
      "with more epochs or more data.",
      steps > 0 ? ", after " + counted(steps, "step") : "");
}

std::string why_no_round(const WrapRequest& request, const WrapEnd& end,
                         const WrapPlanned* planned) {
  if (!was_too_short(end.reason)) return "";
  if (request.order.keep_going) return " There was no time for one stretch.";
  if (!planned) return end.reason == WrapReason::script_ended ? never_steady(end) : "";
  std::string text =
      planned->loop.batch.count() > 0 ? round_needs(*planned) : " There was no time for one round.";
  if (end.reason == WrapReason::budget_over) text += " A larger --budget has room for it.";
  if (end.reason == WrapReason::saver_called)
    text += fmt::format(
        " Without {} it can be measured; with --keep-going it saves as it likes, "
        "and is measured as it is alone.",
        saving_words(end.saver));
  return text;
}

// "rank 1", where the others ended with it: at the last round's end, and at the budget's, all do.
std::string what_ended(const WrapRequest& request, const WrapEnd* end,
                       std::optional<std::uint32_t> rank) {
  const bool by_itself =
      end && end->reason != WrapReason::answer && end->reason != WrapReason::budget_over;
  return rank && by_itself ? fmt::format("rank {}", *rank) : request.script;
}

int code_of(const ChildEnd& script) { return script.signal ? 128 + script.signal : script.status; }

}  // namespace

std::string saving_words(std::string_view saver) {
  if (saver.ends_with("Trainer.save_checkpoint"))
    return "its checkpoints (Trainer(enable_checkpointing=False))";  // of Lightning
  return saver.ends_with("Trainer._save_checkpoint") ? "its checkpoints (save_strategy=\"no\")"
                                                     : "its checkpoints";
}

std::string loader_words(const WrapLoader& loader) {
  const std::string name =
      loader.name.empty() ? loader.kind.empty() ? "a DataLoader" : "a " + loader.kind : loader.name;
  return loader.where.empty() ? name : fmt::format("{} ({})", name, loader.where);
}

std::string start_words(const WrapRequest& request, const std::string& copied) {
  const std::string& s = request.script;
  std::string env = request.environment.empty() ? ""
                                                : fmt::format("benchbench: set for it: {}\n",
                                                              fmt::join(request.environment, ", "));
  if (request.gives_stdout_away)
    env += fmt::format(
        "benchbench: standard output is for the report: "
        "what {} prints there goes to standard error.\n",
        s);
  const std::string real =
      copied.empty()
          ? ""
          : fmt::format("It runs in a copy of {}, which is deleted afterwards. ", copied);
  if (request.order.check)
    return env + fmt::format(
                     "benchbench: {} is stopped where it first iterates a DataLoader. {}What it "
                     "does before that is real{}.\n",
                     s, real, copied.empty() ? "" : " elsewhere");
  if (request.order.keep_going)
    return env + fmt::format(
                     "benchbench: {} gets all of its batches and is not stopped: its loop is "
                     "watched only. All that it does is real.\n",
                     s);
  return env +
         fmt::format(
             "benchbench: once the loop of {} is steady, short stretches of it are measured as it "
             "is, with batches held before, and with its loader alone; then it is stopped{}.\n",
             s,
             request.order.by_exception ? " by an exception: its clean-up runs, and may save"
                                        : " without its clean-up") +
         (copied.empty() ? fmt::format("benchbench: what {} does until its loop is steady is real: "
                                       "files it writes there, logs, connections.\n",
                                       s)
                         : fmt::format("benchbench: {}What it does elsewhere until its loop is "
                                       "steady is real: files, logs, connections.\n",
                                       real));
}

namespace {

std::string rounds_words(const WrapPlanned& p) {
  return p.until_settled ? "1 to " + counted(p.rounds, "round") : counted(p.rounds, "round");
}

// Rounds that end once the side is certain keep to what is expected, with validations; on top of
// others these come.
std::string most_words(const WrapPlanned& p) {
  if (p.until_settled)
    return (about(p.round) != about(p.expected) ? about(p.round) + " to " : "") + about(p.expected);
  return about(p.expected) + (p.ends_after > p.expected + p.expected / 4
                                  ? fmt::format(", {} at most", about(p.ends_after))
                                  : "");
}

std::string cut_words(const WrapRequest& request, const WrapPlanned& p) {
  if (!p.fewer.empty()) return "; " + p.fewer;
  if (!p.cut || !p.why.empty()) return "";
  return fmt::format("; {} ones than usual, as the budget has no room",
                     request.order.exact ? "shorter" : "fewer or shorter");
}

}  // namespace

std::string planned_words(const WrapRequest& request, const WrapPlanned& p) {
  if (request.order.keep_going)
    return fmt::format("benchbench: watching {}\n", loader_words(p.loader));
  std::string others;
  for (const std::string& name : p.others)
    others += fmt::format("{}{}", others.empty() ? "" : ", ",
                          name.empty() ? "a loader without a name" : name);
  std::string text = p.device == "cpu" ? ""
                                       : fmt::format("benchbench: steps run on {}: {}\n", p.device,
                                                     kUntriedDevice);
  text +=
      fmt::format("benchbench: measuring {}{}: {} of {}, about {}{}{}{}\n", loader_words(p.loader),
                  p.changed ? fmt::format(", with {} in turns with its own settings",
                                          settings_words(applied(request.order.other, p)))
                            : "",
                  rounds_words(p),
                  p.changed        ? "5 stretches"
                  : p.kinds == "F" ? "one stretch"
                                   : "3 stretches",
                  most_words(p), p.until_settled ? ", until the side is certain" : "",
                  cut_words(request, p), others.empty() ? "" : "; left alone: " + others);
  if (!p.why.empty())
    text += fmt::format(
        "benchbench: the loop is measured as it is only, "
        "neither its loader alone nor held batches: {}\n",
        p.why);
  if (p.tunes)
    text += fmt::format(
        "benchbench: then other settings of it are measured, "
        "until none is likely to be faster, or {} have passed\n",
        human_duration(p.ends_after));
  for (const std::string& why : p.dropped) text += fmt::format("benchbench: --try: {}\n", why);
  return text;
}

std::string unpatched_words(const WrapHello& process) {
  const std::string mute =
      process.mute.empty() ? ""
                           : fmt::format("benchbench: where process {} hangs cannot be said: {}\n",
                                         process.pid, process.mute);
  if (process.failed.empty()) return mute;
  return mute + fmt::format(
                    "benchbench: not all that is watched of torch {} could be patched ({}): "
                    "loaders or steps of "
                    "this script may not be seen\n",
                    process.torch, process.failed);
}

std::string left_alone_words(int pid, const WrapLoader& loader, bool after) {
  return fmt::format(
      "benchbench: process {} has a loop of its own{} ({}): "
      "it is left as it is, and not measured.\n",
      pid, after ? ", after the one that is measured" : " at the same time", loader_words(loader));
}

std::string end_words(const WrapRequest& request, const WrapEnd* end, const ChildEnd& script,
                      std::uint32_t rounds, const WrapPlanned* planned,
                      std::optional<std::uint32_t> rank, const std::string& unattached) {
  const std::string name = what_ended(request, end, rank);
  std::string text = end ? how_it_ended(name, *end, script)
                     : !unattached.empty()
                         ? fmt::format(
                               "{} ended, and nothing of it was measured: benchbench was "
                               "not in it: {}.",
                               name, unattached)
                         : fmt::format("{} was not seen to import torch{}.", name,
                                       code_of(script) == 0 ? "" : " before it ended");
  if (end && end->caught)
    text += fmt::format(
        " {} caught the exception that was to end it, "
        "and was stopped at its next batch, without its clean-up.",
        name);
  const bool said =
      end && script.signal && (end->reason == WrapReason::lost || end->reason == WrapReason::hangs);
  if (code_of(script) != 0 && !said)
    text += fmt::format(" The command {}{}.", script.signal ? "was " : "", script.text());
  const bool by_itself =
      end && (end->reason == WrapReason::script_ended || end->reason == WrapReason::no_fetch ||
              end->reason == WrapReason::no_loader);
  if (by_itself && !end->seen && code_of(script) == 0) text += nothing_trained(*end);
  if (end && end->seen && rounds == 0) text += why_no_round(request, *end, planned);
  return text + "\n";
}

std::string interpreter_words(const std::string& program) {
  if (!std::filesystem::path(program).filename().string().starts_with("python")) return "";
  return fmt::format("The interpreter was {}: is it the one that has torch?\n", program);
}

std::string check_words(const WrapRequest& request, const WrapEnd& end) {
  std::string text = fmt::format("{}: {}\n", request.script, end.versions);
  text += end.loaders.size() > 1 ? "The loaders that it iterates, up to the last one:\n"
                                 : "The first loader that it iterates:\n";
  for (const WrapLoader& loader : end.loaders) {
    text += fmt::format("  {}{}", loader_words(loader), settings_text(loader));
    if (loader.samples)
      text += fmt::format("\n    {} in an epoch", counted(*loader.samples, "sample"));
    text += "\n";
  }
  text +=
      "It was stopped there, so others are not known. "
      "Measured is one whose batches are followed by a backward pass.\n";
  text +=
      "Patched, in each of its processes that import torch: DataLoader.__init__ and _get_iterator, "
      "its iterators' __next__, _reset and _shutdown_workers (where loaders are made, each epoch, "
      "fetch "
      "and end); "
      "torch.autograd.backward, Module.train and the optimizers' steps (counted); torch.save and "
      "other known savers (the first one ends the run while it is measured); sys.excepthook "
      "(tracebacks without our frames). The loader that is measured gets a "
      "worker_init_fn round its own.\n";
  return text;
}

int exit_code_of(const WrapEnd* end, const ChildEnd& script, bool answered, int ours) {
  const CommandEnd command = end_of_command(end, script, answered);
  if (command == CommandEnd::hung) return kHung;
  if (command == CommandEnd::failed) return code_of(script);
  if (ours != 0) return ours + kOursAdded;
  return command == CommandEnd::answered ? 0 : kNoAnswer;
}

}  // namespace benchbench
