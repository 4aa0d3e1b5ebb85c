#include "harness/app/wrap/ending/wrap_ending.h"
#include "harness/report/fields/schema_maker.h"

namespace benchbench {

// A script's end. `end` is empty if its process said nothing.
struct Ending {
  WrapEnd end;
  std::optional<HangSeen> hang;
  RunTimes times;
};

void visit_fields(const WrapFrame& f, auto&& visit) {
  visit("where", f.where);
  visit("function", f.function);
  visit("users", f.users);
}
void visit_fields(const WrapThread& thread, auto&& visit) {
  visit("name", thread.name);
  visit("frames", thread.frames);
}
void visit_fields(const WrapHeldLock& lock, auto&& visit) {
  visit("name", lock.name);
  visit("thread", lock.thread);
  visit("where", lock.where);
  visit("forked", lock.forked);
}

void visit_fields(const WrapStacks& stacks, auto&& visit) {
  visit("pid", stacks.pid);
  visit("worker", stacks.worker);
  visit("waits", [&](const Ending& e) {
    const auto waits = e.hang->waits.find(stacks.pid);
    return waits == e.hang->waits.end() ? "" : waits->second;
  });
  visit("lock", stacks.lock);
  visit("threads", stacks.threads);
}

void visit_fields(const HangSeen& hang, auto&& visit) {
  visit("silent_s", to_seconds(hang.silent));
  visit("past_budget", hang.past_budget);
  visit("last_sign_s", to_seconds(hang.last_sign),
        "From the start of the command to the last message of its processes, or the last CPU time "
        "that they used.");
  visit("said_after_s", to_seconds(hang.said_after),
        "From then to the first line that says that nothing comes.");
  visit("processes", hang.stacks);
}

void visit_fields(const WrapSteps& steps, auto&& visit) {
  visit("timed", steps.timed);
  visit("before_ns", steps.before.count());
  visit("backward_ns", steps.backward.count());
  visit("rest_ns", steps.rest.count());
}

void visit_fields(const Ending& e, auto&& visit) {
  const auto& first = e.times.first_stretch;
  visit("reason", e.end.reason);
  visit("message", e.end.message);
  visit("first_stretch_s", first ? std::optional(to_seconds(*first)) : std::nullopt,
        "From the start of the command; null: nothing was measured.");
  visit("end_s", to_seconds(e.times.end),
        "From the start of the command until it had ended and was heard to the end.");
  visit("steps", e.end.steps.timed > 0 ? std::optional(e.end.steps) : std::nullopt);
  visit("hang", e.hang);
}

JsonValue make_ending(const WrapEnd* end, const std::optional<HangSeen>& hang,
                      const RunTimes& times) {
  return make_json(Ending{end ? *end : WrapEnd{}, hang, times});
}

JsonValue ending_schema() {
  JsonValue schema = SchemaMaker<Ending>().make(Ending{});
  schema["description"] =
      "Of `wrap` only: how the script ended, its optimizer's steps, and where its processes stood "
      "when it hung.";
  return schema;
}

}  // namespace benchbench
