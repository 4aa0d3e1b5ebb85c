#include "harness/app/wrap/wrap_watch.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "harness/app/output_file.h"
#include "harness/app/tell.h"
#include "harness/app/wrap/ending/wrap_hang_words.h"
#include "harness/app/wrap/wrap_places.h"
#include "harness/core/contains.h"
#include "harness/core/process_tree.h"

namespace benchbench {
namespace {

constexpr auto kEvery = std::chrono::seconds{1};  // a look at all processes
// For an answer: until the next signal, until C code is asked, until it has written.
constexpr auto kWakeAfter = std::chrono::milliseconds{500};
constexpr auto kLastAfter = std::chrono::seconds{2};
constexpr auto kWritten = std::chrono::milliseconds{2300};
constexpr Nanoseconds kKilledAfter = std::chrono::seconds{2};
// A script ends by itself at its first fetch after its budget.
constexpr auto kLate = std::chrono::seconds{5};
constexpr auto kUnattachedAfter = std::chrono::seconds{20};
constexpr auto kSaidAgainAfter = std::chrono::minutes{3};
constexpr auto kGivenUpAfter = std::chrono::seconds{10};  // since SIGKILL

std::string find_site(const std::vector<std::string>& environment) {
  const std::string name = "PYTHONPATH=";
  for (const std::string& variable : environment)
    if (variable.starts_with(name))
      return variable.substr(name.size(), variable.find(':') - name.size());
  return "";
}

std::set<int> find_parents(const std::vector<int>& pids) {
  std::set<int> parents;
  for (const int pid : pids)
    if (const auto seen = see_process(pid)) parents.insert(seen->parent);
  return parents;
}

// True if a debugger or a signal has stopped it, or it waits for a disk or the like: whatever that
// is ends from outside.
bool is_held(int pid) {
  const auto seen = see_process(pid);
  return seen && (seen->state == 'T' || seen->state == 't' || seen->state == 'D');
}

double count_cores() noexcept { return static_cast<double>(::sysconf(_SC_NPROCESSORS_ONLN)); }

}  // namespace

WrapWatch::WrapWatch(const WrapRequest& request, WrapRun& run, const WrapRest& rest,
                     Runtime& runtime, int root, const std::vector<std::string>& environment)
    : request_(request),
      run_(run),
      rest_(rest),
      runtime_(runtime),
      root_(root),
      site_(find_site(environment)),
      own_modules_(std::filesystem::path(site_).parent_path() / "benchbench_dl"),
      tree_(runtime, root, Nanoseconds{0}, true),
      clock_(request.hang_after, runtime.now().time_since_epoch(), count_cores()),
      looked_(runtime.now()),
      at_(looked_) {}

void WrapWatch::look(WrapSession& session) {
  switch (state_) {
    case State::watching:
      if (runtime_.now() - looked_ >= kEvery) watch(session);
      return;
    case State::asking:
      return await_answers(session);
    case State::ending:
      return await_end();
    case State::killed:
      if (passed() >= kGivenUpAfter) give_up();
      return;
    case State::given_up:
      return;
  }
}

bool WrapWatch::measures() const {
  const WrapProcess* lead = run_.lead();
  return lead && lead->planned && !lead->end;
}

bool WrapWatch::has_measured() const {
  const WrapProcess* lead = run_.lead();
  return lead && lead->planned && lead->end;
}

void WrapWatch::watch(WrapSession& session) {
  looked_ = runtime_.now();
  // While a stretch is measured, a look at all processes would be a part of its cost.
  const bool speaks = session.messages() != messages_;
  messages_ = session.messages();
  if (!measures() || !speaks) tree_.read_spent_ns();
  const auto due = clock_.look(looked_.time_since_epoch(), messages_, tree_.spent_ns(), measures());
  if (clock_.works()) note_sign();
  const bool hang = due == WrapClock::Due::hang;
  if (run_.connections() == 0 && (hang || clock_.passed() >= searched_ + kUnattachedAfter))
    find_unattached();
  if (clock_.stands_still() && !hang_said_ && may_hang()) return ask();
  if (due != WrapClock::Due::nothing && !has_measured()) say_line();
  // A script that stands still is left to the clock, which has it asked where it stands.
  if (state_ == State::watching && clock_.works() && is_past_budget()) {
    find_asked();
    begin_end(session, WrapReason::budget_over);
  }
}

bool WrapWatch::is_unattached() const {
  return run_.connections() == 0 && !run_.unattached().empty();
}

// True if each process without a child is a Python that benchbench is in, and these wait for locks
// that nothing will release; the others wait for these. A Python may wait for a file, for its user
// or for a free card as long as that takes, and a client of a container, of another machine or of a
// scheduler for what runs there.
bool WrapWatch::waits_for_python_alone(const std::vector<int>& running) const {
  const std::set<int> parents = find_parents(running);
  return !running.empty() && std::ranges::all_of(running, [&](int pid) {
    const bool is_parent = parents.contains(pid);
    return is_attached(pid, site_) ? waits_for_good(pid, is_parent) : is_parent;
  });
}

bool WrapWatch::may_hang() const {
  const std::vector<int> running = rest_.running();
  if (std::ranges::any_of(running, is_held)) return false;
  if (run_.connections() > 0) return true;
  if (!run_.unattached().empty()) return false;
  return std::ranges::any_of(running, has_torch) || waits_for_python_alone(running);
}

// Notes that it works.
void WrapWatch::note_sign() {
  last_sign_ = run_.since_start();
  said_after_.reset();
  hang_said_ = false;
}

// Notes that a line says now how long it has been silent.
void WrapWatch::note_said() {
  if (!said_after_) said_after_ = run_.since_start() - last_sign_;
}

void WrapWatch::say_line() {
  note_said();
  if (is_unattached()) {
    if (clock_.passed() >= unattached_said_ + kSaidAgainAfter) say_unattached("is not measured:");
    return;
  }
  run_.clear_line();
  print_fitted(
      stderr, waiting_words(request_.script, clock_, run_.connections(), run_.phase(), measures()));
}

// A slow import says hello late: without a known reason, torch has to be there at two searches.
void WrapWatch::find_unattached() {
  if (!run_.unattached().empty()) return;
  searched_ = clock_.passed();
  const std::vector<int> before = std::exchange(with_torch_, {});
  for (const int pid : rest_.running()) {
    if (!run_.unattached().empty() || !has_torch(pid)) continue;
    with_torch_.push_back(pid);
    const std::string why = explain_unattached(pid, site_);
    const bool stays = contains(before, pid);
    if (why.empty() && (!stays || is_of_multiprocessing(pid))) continue;
    run_.is_unattached(why.empty() ? "the reason is not known" : why);
    say_unattached(fmt::format("cannot be measured: process {} has loaded torch, and", pid));
  }
}

void WrapWatch::say_unattached(const std::string& what) {
  unattached_said_ = clock_.passed();
  run_.clear_line();
  print_fitted(stderr,
               "benchbench: {:.0f} s: {} {} benchbench is not in it: {}. It "
               "goes on as it is.\n",
               to_seconds(unattached_said_), request_.script, what, run_.unattached());
}

// A worker says no hello, and may hang before a message names it: it runs the interpreter of the
// process that started it, or the forkserver's, which does.
bool WrapWatch::has_our_handlers(int pid) const {
  const std::string program = read_program(pid);
  for (auto seen = see_process(pid); seen; seen = see_process(seen->parent)) {
    if (const WrapHello* hello = run_.hello(seen->pid)) return hello->mute.empty();
    if (program.empty() || read_program(seen->parent) != program) return false;
  }
  return false;
}

// Finds each Python that has our handlers; none other is disturbed. Before torch is there these are
// the ones without a child: launchers and the like wait for them.
void WrapWatch::find_asked() {
  asked_.clear();
  by_c_code_.clear();
  run_.forget_stacks();
  std::vector<int> pids = rest_.running();
  const std::set<int> parents = find_parents(pids);
  pids.push_back(root_);
  for (const int pid : pids)
    if ((catches(pid, kAskSignal) && has_our_handlers(pid)) ||
        (run_.connections() == 0 && !parents.contains(pid) && is_attached(pid, site_)))
      asked_.emplace(pid, read_wait(pid));
}

void WrapWatch::ask() {
  note_said();
  find_asked();
  state_ = State::asking;
  at_ = runtime_.now();
  sent_ = 1;
  send(kAskSignal);
}

std::vector<int> WrapWatch::silent() const {
  std::vector<int> pids;
  for (const auto& [pid, waits] : asked_)
    if (std::ranges::none_of(run_.stacks(), [p = pid](const auto& s) { return s.pid == p; }))
      pids.push_back(pid);
  return pids;
}

void WrapWatch::send(int signal) const {
  for (const int pid : silent())
    if (catches(pid, signal) && (signal == kWakeSignal || has_our_handlers(pid)))
      ::kill(pid, signal);
}

void WrapWatch::await_answers(WrapSession& session) {
  if (sent_ == 1 && passed() >= kWakeAfter && ++sent_) send(kWakeSignal);
  // This signal has crashed interpreters: one that is to go on does not get it.
  if (sent_ == 2 && passed() >= kLastAfter && ++sent_ && !request_.order.keep_going)
    send(kLastSignal);
  if (!silent().empty() && passed() < kWritten) return;
  for (const int pid : silent())
    if (auto stacks = read_last_stacks(pid, own_modules_)) by_c_code_.push_back(std::move(*stacks));
  say_hang(session);
}

// The hang's place is that of the first one.
void WrapWatch::put_measured_first(std::vector<WrapStacks>& stacks) const {
  const WrapProcess* lead = run_.lead();
  std::ranges::stable_sort(stacks, {}, [&](const WrapStacks& s) {
    return lead && s.pid == lead->hello.pid ? 0 : run_.hello(s.pid) ? 1 : 2;
  });
}

void WrapWatch::say_hang(WrapSession& session) {
  HangSeen seen{request_.hang_after,
                run_.stacks(),
                asked_,
                request_.order.keep_going
                    ? "With --keep-going it is left as it is; its processes stand here:"
                    : "It is ended; its processes stood here:",
                past_budget_,
                last_sign_,
                said_after_.value_or(Nanoseconds{0})};
  seen.stacks.insert(seen.stacks.end(), by_c_code_.begin(), by_c_code_.end());
  put_measured_first(seen.stacks);
  if (asked_.empty())
    for (const int pid : rest_.running()) seen.waits.emplace(pid, read_wait(pid));
  run_.clear_line();
  print_fitted(stderr, hang_words(request_.script, seen));
  run_.stood_at_hang(std::move(seen));
  hang_said_ = true;
  state_ = State::watching;
  if (!request_.order.keep_going) begin_end(session, WrapReason::hangs);
}

void WrapWatch::begin_end(WrapSession& session, WrapReason reason) {
  past_budget_ = reason == WrapReason::budget_over;
  ends_within_ = past_budget_ ? request_.hang_after : kKilledAfter;
  session.end_who_is_asked(reason);
  run_.ends_as(reason);
  state_ = State::ending;
  at_ = looked_ = runtime_.now();
  run_.forget_stacks();
  send(kAskSignal);
}

// One that writes a checkpoint says so, and is asked again.
void WrapWatch::await_end() {
  if (runtime_.now() - looked_ >= kWakeAfter) {
    looked_ = runtime_.now();
    if (!run_.hung() && std::ranges::any_of(run_.stacks(), &WrapStacks::saves)) at_ = looked_;
    run_.forget_stacks();
    send(kWakeSignal);
  }
  if (passed() < ends_within_) return;
  if (past_budget_) return ask();
  kill_all();
  state_ = State::killed;
  at_ = runtime_.now();
}

void WrapWatch::give_up() {
  std::set<int> left{root_};
  for (const int pid : rest_.running()) left.insert(pid);
  run_.clear_line();
  tell("benchbench: still there 10 s after SIGKILL, and left as it is: {} {}\n",
       left.size() == 1 ? "process" : "processes", fmt::join(left, ", "));
  state_ = State::given_up;
}

void WrapWatch::kill_all() {
  rest_.kill();
  for (const ProcessSeen& p : descendants_of(root_)) ::kill(p.pid, SIGKILL);
  ::kill(root_, SIGKILL);
}

// Ranks are stopped together, by the session.
bool WrapWatch::is_past_budget() const {
  const WrapProcess* lead = run_.lead();
  if (!lead || !lead->planned || lead->end || lead->hello.rank || request_.order.keep_going)
    return false;
  return runtime_.now() - lead->planned_at > lead->planned->stops_after + kLate;
}

}  // namespace benchbench
