#include "harness/app/wrap/ending/wrap_ending.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/app/wrap/wrap_step_words.h"
#include "harness/app/wrap/wrap_words.h"

namespace benchbench {
namespace {

using Json = nlohmann::ordered_json;

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

Json lay_out_lock(const std::optional<WrapHeldLock>& lock) {
  if (!lock) return nullptr;
  return {{"name", lock->name},
          {"thread", lock->thread},
          {"where", lock->where},
          {"forked", lock->forked}};
}

Json lay_out_threads(const std::vector<WrapThread>& threads) {
  Json all = Json::array();
  for (const WrapThread& thread : threads) {
    Json frames = Json::array();
    for (const WrapFrame& f : thread.frames)
      frames.push_back({{"where", f.where}, {"function", f.function}, {"users", f.users}});
    all.push_back({{"name", thread.name}, {"frames", std::move(frames)}});
  }
  return all;
}

Json lay_out_process(const WrapStacks& stacks, const HangSeen& hang) {
  const auto waits = hang.waits.find(stacks.pid);
  return {{"pid", stacks.pid},
          {"worker", stacks.worker ? Json(*stacks.worker) : Json(nullptr)},
          {"waits", waits == hang.waits.end() ? "" : waits->second},
          {"lock", lay_out_lock(stacks.lock)},
          {"threads", lay_out_threads(stacks.threads)}};
}

Json lay_out_hang(const HangSeen& hang) {
  Json processes = Json::array();
  for (const WrapStacks& stacks : hang.stacks) processes.push_back(lay_out_process(stacks, hang));
  return {{"silent_s", to_seconds(hang.silent)},
          {"past_budget", hang.past_budget},
          {"last_sign_s", to_seconds(hang.last_sign)},
          {"said_after_s", to_seconds(hang.said_after)},
          {"processes", std::move(processes)}};
}

Json lay_out_steps(const WrapSteps& steps) {
  return {{"timed", steps.timed},
          {"before_ns", steps.before.count()},
          {"backward_ns", steps.backward.count()},
          {"rest_ns", steps.rest.count()}};
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

Json write_ending(const WrapEnd* end, const std::optional<HangSeen>& hang, const RunTimes& times) {
  const auto& first = times.first_stretch;
  const Json out{{"reason", name_of(end ? end->reason : WrapReason::lost)},
                 {"message", end ? end->message : ""},
                 {"first_stretch_s", first ? Json(to_seconds(*first)) : Json(nullptr)},
                 {"end_s", to_seconds(times.end)},
                 {"steps", end && end->steps.timed > 0 ? lay_out_steps(end->steps) : Json(nullptr)},
                 {"hang", hang ? lay_out_hang(*hang) : Json(nullptr)}};
  return out;
}

}  // namespace benchbench
