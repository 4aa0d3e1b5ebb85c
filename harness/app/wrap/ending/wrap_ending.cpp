#include "harness/app/wrap/ending/wrap_ending.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/app/wrap/wrap_step_words.h"
#include "harness/app/wrap/wrap_words.h"

namespace benchbench {
namespace {

// The user's innermost line; "" where the thread is in none.
std::string find_place(const WrapStacks& stacks) {
  const WrapFrame* users = stacks.threads.empty() ? nullptr : find_users(stacks.threads.front());
  return users ? users->where : "";
}

ExternalNoticed notice_hang(const HangSeen& hang) {
  ExternalNoticed seen{.kind = std::string(kHang), .what = {}, .where = {}, .count = 1};
  const auto main = std::ranges::find_if(hang.stacks, [](const auto& s) { return !s.worker; });
  if (main != hang.stacks.end()) seen.where = find_place(*main);
  return seen;
}

ExternalNoticed notice_lock(const WrapStacks& stacks, std::uint32_t count) {
  const WrapHeldLock& lock = *stacks.lock;
  return {
      .kind = "lock held at fork",
      .what = fmt::format("{}, which thread \"{}\" held ({})", lock.name, lock.thread, lock.where),
      .where = find_place(stacks),
      .count = count};
}

ExternalNoticed notice_steps(const WrapSteps& steps) {
  return {.kind = std::string(kStepsAlone),
          .what = {},
          .where = {},
          .count = static_cast<std::uint32_t>(steps.timed),
          .numbers = {{"before_ns", steps.before.count()},
                      {"backward_ns", steps.backward.count()},
                      {"rest_ns", steps.rest.count()}}};
}

}  // namespace

std::vector<ExternalNoticed> notice_ending(const WrapEnd* end,
                                           const std::optional<HangSeen>& hang) {
  std::vector<ExternalNoticed> all;
  if (hang) {
    all.push_back(notice_hang(*hang));
    const auto hangs = [](const WrapStacks& s) { return s.worker && s.lock && s.lock->forked; };
    const auto first = std::ranges::find_if(hang->stacks, hangs);
    if (first != hang->stacks.end())
      all.push_back(notice_lock(
          *first, static_cast<std::uint32_t>(std::ranges::count_if(hang->stacks, hangs))));
  }
  if (end && knows_rate(*end)) all.push_back(notice_steps(end->steps));
  return all;
}

std::string explain_early_end(const WrapEnd& end, std::optional<std::uint32_t> rank) {
  const std::string who = rank ? fmt::format("rank {}", *rank) : "the script";
  if (end.reason == WrapReason::script_failed && end.message.starts_with("KeyboardInterrupt"))
    return who + " was interrupted";
  if (end.reason == WrapReason::script_failed)
    return fmt::format("{} failed{}", who, end.message.empty() ? "" : ": " + end.message);
  if (end.reason != WrapReason::saver_called) return "";
  return fmt::format("{} was stopped before {} wrote; more rounds can be measured without {}", who,
                     end.saver.empty() ? "it saved and" : end.saver, saving_words(end.saver));
}

}  // namespace benchbench
