// Ends a wrapped script that does not end by itself: one that hangs, once it has been asked where
// it stands, and one that goes past its budget within a step.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/app/wrap/wrap_clock.h"
#include "harness/app/wrap/wrap_rest.h"
#include "harness/app/wrap/wrap_run.h"

namespace benchbench {

// One thread.
class WrapWatch {
 public:
  // `root`: the command's process. `environment`: that it was started with.
  WrapWatch(const WrapRequest& request, WrapRun& run, const WrapRest& rest, Runtime& runtime,
            int root, const std::vector<std::string>& environment);

  // Is called as often as there is time.
  void look(WrapSession& session);
  // True once what was killed has not ended for 10 s: the command is not waited for any longer.
  bool gave_up() const noexcept { return state_ == State::given_up; }

 private:
  enum class State : std::uint8_t { watching, asking, ending, killed, given_up };

  void watch(WrapSession& session);
  void note_sign();
  void note_said();
  void say_line();
  void find_unattached();
  void say_unattached(const std::string& what);
  bool is_unattached() const;
  bool may_hang() const;
  bool waits_for_python_alone(const std::vector<int>& running) const;
  bool has_our_handlers(int pid) const;
  void find_asked();
  void ask();
  void await_answers(WrapSession& session);
  void put_measured_first(std::vector<WrapStacks>& stacks) const;
  void say_hang(WrapSession& session);
  void begin_end(WrapSession& session, WrapReason reason);
  void await_end();
  void kill_all();
  void give_up();
  // To those of the asked ones that have not answered and catch it.
  void send(int signal) const;
  std::vector<int> silent() const;
  bool measures() const;
  bool has_measured() const;
  bool is_past_budget() const;
  // Since `at_`.
  Nanoseconds passed() const { return runtime_.now() - at_; }

  const WrapRequest& request_;
  WrapRun& run_;
  const WrapRest& rest_;
  Runtime& runtime_;
  const int root_;
  std::string site_;         // the folder that PYTHONPATH begins with
  std::string own_modules_;  // the folder of them
  TreeWatch tree_;
  WrapClock clock_;
  State state_ = State::watching;
  TimePoint looked_, at_;
  std::uint64_t messages_ = 0;
  Nanoseconds ends_within_{0};
  int sent_ = 0;                           // signals of ours, in their order
  std::map<int, std::string> asked_;       // processes, and what the kernel said of them before
  std::vector<WrapStacks> by_c_code_;      // of those that gave no answer
  bool past_budget_ = false;               // it was asked to end for that
  Nanoseconds searched_{0};                // on the clock: for a process that benchbench is not in
  Nanoseconds unattached_said_{0};         // on the clock: the last line that it is in none
  Nanoseconds last_sign_{0};               // when it worked last, since the command was started
  std::optional<Nanoseconds> said_after_;  // from then to the first line that says so, if any did
  bool hang_said_ = false;                 // since it worked last
  std::vector<int> with_torch_;            // that had torch then
};

}  // namespace benchbench
