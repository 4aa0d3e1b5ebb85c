#include "harness/app/wrap/ending/wrap_hang_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/app/wrap/wrap_places.h"

namespace benchbench {
namespace {

constexpr std::size_t kMostProcesses = 8, kMostThreads = 4;
constexpr double kUsesCores = 0.05;

std::string name_missing(std::size_t processes, const std::string& phase, bool measures,
                         Nanoseconds silent) {
  if (measures) return fmt::format("no batch and no step for {:.0f} s", to_seconds(silent));
  if (processes == 0) return "no Python of it that benchbench is in has imported torch yet";
  if (phase.empty()) return "torch is imported, and no batch of a DataLoader was fetched yet";
  if (phase == "stepping") return "it makes steps, and fetches no batch of a DataLoader";
  if (phase == "starting") return "its batches are not followed by steps of a training yet";
  if (phase == "waiting") return "its loop is steady, and it waits for the other ranks";
  return "its loop is not steady yet";
}

std::string frame_words(const WrapFrame& frame) {
  return frame.function == "<module>" ? frame.where
                                      : fmt::format("{} in {}()", frame.where, frame.function);
}

// The user's innermost call, and the innermost one of all.
std::string place_words(const WrapThread& thread) {
  if (thread.frames.empty()) return "somewhere outside of Python";
  const WrapFrame *users = find_users(thread), *last = &thread.frames.front();
  if (!users || users == last) return frame_words(*last);
  return fmt::format("{}, within {}", frame_words(*users), frame_words(*last));
}

std::string lock_words(const WrapHeldLock& lock) {
  if (lock.thread.empty()) return fmt::format("; {} is locked", lock.name);
  return fmt::format("; {} is locked: thread \"{}\" held it ({}){}", lock.name, lock.thread,
                     lock.where, lock.forked ? " when this process was forked" : "");
}

// One that a call names may be its own.
bool waits_for_lock(const WrapStacks& stacks, const std::string& waits) {
  return stacks.lock && (stacks.lock->forked || waits.empty() || waits == kWaitsForLock);
}

std::string process_words(const WrapStacks& stacks, const std::string& waits) {
  const std::string who = stacks.worker
                              ? fmt::format("worker {}, process {}", *stacks.worker, stacks.pid)
                              : fmt::format("process {}", stacks.pid);
  std::string text = fmt::format("  {}: {}{}{}\n", who,
                                 stacks.threads.empty() ? "" : place_words(stacks.threads.front()),
                                 waits.empty() ? "" : "; it " + waits,
                                 waits_for_lock(stacks, waits) ? lock_words(*stacks.lock) : "");
  std::size_t threads = 0;
  for (std::size_t i = 1; i < stacks.threads.size() && threads < kMostThreads; ++i)
    if (find_users(stacks.threads[i]) && ++threads)
      text += fmt::format("    its thread \"{}\": {}\n", stacks.threads[i].name,
                          place_words(stacks.threads[i]));
  return text;
}

bool comes_before(const WrapStacks& a, const WrapStacks& b) {
  return std::pair(a.worker.has_value(), a.worker.value_or(0)) <
         std::pair(b.worker.has_value(), b.worker.value_or(0));
}

std::string advice(const std::vector<WrapStacks>& all) {
  for (const WrapStacks& stacks : all)
    if (stacks.lock && stacks.lock->forked)
      return fmt::format(
          "benchbench: a worker that is forked has a copy of {0} as it is then, and no thread that "
          "would release it: start workers{2} while {0} is free, before thread \"{1}\", or with "
          "multiprocessing_context=\"forkserver\"{3}.\n",
          stacks.lock->name, stacks.lock->thread,
          stacks.kept.value_or(true) ? "" : " once (persistent_workers=True),",
          stacks.guarded ? ""
                         : ", which runs the script once more in each worker, so that its training "
                           "has to stand under if __name__ == \"__main__\"");
  return "";
}

}  // namespace

const WrapFrame* find_users(const WrapThread& thread) {
  const auto at = std::ranges::find_if(thread.frames, &WrapFrame::users);
  return at == thread.frames.end() ? nullptr : &*at;
}

std::string waiting_words(const std::string& script, const WrapClock& clock, std::size_t processes,
                          const std::string& phase, bool measures) {
  const std::string use =
      clock.cores() < kUsesCores ? "uses no CPU" : fmt::format("uses {:.1f} cores", clock.cores());
  return fmt::format("benchbench: {:.0f} s: {} is waited for: {}; it {}.\n",
                     to_seconds(clock.passed()), script,
                     name_missing(processes, phase, measures, clock.silent()), use);
}

std::string hang_words(const std::string& script, const HangSeen& seen) {
  const double seconds = to_seconds(seen.silent);
  std::string text = fmt::format(
      "benchbench: {} hangs: {}. {}\n", script,
      seen.past_budget ? fmt::format("its budget is over, and it has not ended within {:.0f} s "
                                     "after it was asked to",
                                     seconds)
                       : fmt::format("no batch, no step and no CPU time for {:.0f} s", seconds),
      seen.end);
  std::vector<WrapStacks> stacks = seen.stacks;
  std::ranges::stable_sort(stacks, comes_before);
  for (std::size_t i = 0; i < std::min(stacks.size(), kMostProcesses); ++i) {
    const auto waits = seen.waits.find(stacks[i].pid);
    text += process_words(stacks[i], waits == seen.waits.end() ? "" : waits->second);
  }
  for (const auto& [pid, waits] : seen.waits)
    if (std::ranges::none_of(stacks, [&](const WrapStacks& s) { return s.pid == pid; }))
      text += fmt::format("  process {}: its stack could not be read{}\n", pid,
                          waits.empty() ? "" : "; it " + waits);
  return text + advice(stacks);
}

}  // namespace benchbench
