#include "harness/app/wrap/wrap_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/app/wrap/wrap_try.h"
#include "harness/core/units.h"

namespace benchbench {
namespace {

std::string named(const WrapLoader& loader) {
  const std::string name = loader.name.empty() ? loader.kind.empty() ? "a DataLoader" : "a " + loader.kind : loader.name;
  return loader.where.empty() ? name : fmt::format("{} ({})", name, loader.where);
}

std::string settings_text(const WrapLoader& loader) {
  const std::string text = settings_words(loader.own);
  return text.empty() ? "" : fmt::format("\n    DataLoader({})", text);
}

std::string why_it_ended(const WrapRequest& request, const WrapEnd& end) {
  const std::string& s = request.script;
  switch (end.reason) {
    case WrapReason::answer: return fmt::format("{} was stopped after the last round.", s);
    case WrapReason::budget_over: return fmt::format("{} was stopped at the end of its budget.", s);
    case WrapReason::saver_called: return fmt::format("{} was stopped before {} wrote.", s, end.saver.empty() ? "it saved and" : end.saver);
    case WrapReason::checked: return fmt::format("{} was stopped before its loop.", s);
    case WrapReason::refused: return fmt::format("{} was stopped: {}.", s, end.message);
    case WrapReason::script_failed:
      return fmt::format("{} failed{}{}.", s, end.message.empty() ? "" : ": " + end.message,
                         end.saver.empty() ? "" : fmt::format("; {} was kept from writing while that came up", end.saver));
    case WrapReason::script_ended: return fmt::format("{} ended by itself.", s);
    case WrapReason::internal: return fmt::format("measuring failed within {}: {}; this is a defect of benchbench: please report it.", s, end.message);
    case WrapReason::stopped: return fmt::format("{} was stopped with another rank.", s);
    case WrapReason::lost: return fmt::format("{} ended without a word{}.", s, end.message.empty() ? "" : ": " + end.message);
  }
  return "";
}

int code_of(const ChildEnd& script) { return script.signal ? 128 + script.signal : script.status; }

}  // namespace

std::string start_words(const WrapRequest& request, const std::string& copied) {
  const std::string& s = request.script;
  const std::string env = request.environment.empty() ? "" : fmt::format("benchbench: set for it: {}\n", fmt::join(request.environment, ", "));
  const std::string real = copied.empty() ? "" : fmt::format("It runs in a copy of {}, which is deleted afterwards. ", copied);
  if (request.order.check) return env + fmt::format("benchbench: the command {} is stopped as soon as its loop begins. {}What it does before that is real{}.\n", s, real, copied.empty() ? "" : " elsewhere");
  if (request.order.keep_going)
    return env + fmt::format("benchbench: nothing of {} is changed or stopped: it is watched only. All that it does is real.\n", s);
  return env +
         fmt::format("benchbench: once the loop of {} is steady, short stretches of it are measured as it is, with batches held before, and with its loader alone; then it is stopped{}.\n", s,
                     request.order.by_exception ? " by an exception: its clean-up runs, and may save" : " without its clean-up, before it saves anything") +
         (copied.empty() ? fmt::format("benchbench: what {} does until its loop is steady is real: files it writes there, logs, connections.\n", s)
                         : fmt::format("benchbench: {}What it does elsewhere until its loop is steady is real: files, logs, connections.\n", real));
}

std::string planned_words(const WrapRequest& request, const WrapPlanned& p) {
  if (request.order.keep_going) return fmt::format("benchbench: watching {}\n", named(p.loader));
  std::string others;
  for (const std::string& name : p.others) others += fmt::format("{}{}", others.empty() ? "" : ", ", name.empty() ? "a loader without a name" : name);
  std::string text = p.device == "cpu" ? "" : fmt::format("benchbench: steps run on {}: {}\n", p.device, kUntriedDevice);
  text += fmt::format("benchbench: measuring {}{}: {} of {}, about {}{}{}\n", named(p.loader), p.changed ? fmt::format(", with {} in turns with its own settings", settings_words(applied(request.order.other, p))) : "", counted(p.rounds, "round"),
                                 p.changed ? "5 stretches" : p.kinds == "F" ? "one stretch" : "3 stretches", human_duration(p.expected),
                                 p.cut || p.rounds < request.rounds_asked ? "; fewer or shorter ones than asked for, as the budget has no room" : "",
                                 others.empty() ? "" : "; left alone: " + others);
  if (!p.why.empty()) text += fmt::format("benchbench: the loop is measured as it is only, neither its loader alone nor held batches: {}\n", p.why);
  for (const std::string& why : p.dropped) text += fmt::format("benchbench: --try: {}\n", why);
  return text;
}

std::string end_words(const WrapRequest& request, const WrapEnd* end, const ChildEnd& script, std::uint32_t rounds) {
  std::string text = end ? why_it_ended(request, *end) : fmt::format("{} was not seen to import torch.", request.script);
  if (code_of(script) != 0) text += fmt::format(" The command {}.", script.text());
  if (end && !end->seen && end->reason == WrapReason::script_ended && code_of(script) == 0)
    text += " No DataLoader that feeds a training step was seen. A loop that has its batches from elsewhere can be measured as `loader.use: python`.";
  if (end && end->seen && rounds == 0) text += " There was no time for one round.";
  return text + "\n";
}

std::string check_words(const WrapRequest& request, const WrapEnd& end) {
  std::string text = fmt::format("{}: {}\n", request.script, end.versions);
  for (const WrapLoader& loader : end.loaders) {
    text += fmt::format("  {}{}", named(loader), settings_text(loader));
    if (loader.samples) text += fmt::format("\n    {} in an epoch", counted(*loader.samples, "sample"));
    text += "\n";
  }
  text += "The first loader to be iterated is the last one shown. Which one is measured is known once batches of it are followed by a backward pass.\n";
  text += "Patched: DataLoader.__iter__ and its iterators' __next__, Tensor.backward and the optimizers' steps (counted), savers such as torch.save (stop the run).\n";
  return text;
}

int exit_code_of(const WrapEnd* end, const ChildEnd& script, bool answered, int ours) {
  const bool stopped = end && (end->reason == WrapReason::answer || end->reason == WrapReason::budget_over || end->reason == WrapReason::saver_called ||
                               end->reason == WrapReason::checked || end->reason == WrapReason::stopped);
  if (code_of(script) != 0 && !(stopped && answered)) return code_of(script);
  if (ours != 0) return ours + kOursAdded;
  return answered ? 0 : kNoAnswer;
}

}  // namespace benchbench
