// What is heard of a script while it runs, kept for its report.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/app/wrap/ending/wrap_ending.h"
#include "harness/app/wrap/wrap_progress.h"
#include "harness/app/wrap/wrap_ranks.h"
#include "harness/app/wrap/wrap_record.h"
#include "harness/app/wrap/wrap_tune.h"
#include "harness/core/runtime.h"
#include "harness/trial/probes/card_search.h"

namespace benchbench {

// A trial of the search for other settings: its stretch, or why its settings were refused.
struct SearchTry {
  SearchTrial trial;
  std::vector<std::string> refused;
  std::optional<SeenStretch> seen;
};

// While it runs that of the measured process is shown, of ranks the lowest; in the end that of the
// slowest rank.
enum class WhichRank : std::uint8_t { lead, slowest };

// One thread.
class WrapRun final : public WrapListener {
 public:
  WrapRun(const WrapRequest& request, Runtime& runtime);
  ~WrapRun() override;

  void connected(const WrapHello& process) override;
  std::optional<WrapStart> steady(int pid, const WrapSteady& steady) override;
  void progressed(int pid, const std::string& phase, std::optional<WrapKind> kind,
                  std::optional<std::uint32_t> round,
                  const std::optional<std::vector<int>>& workers) override;
  void spent(int pid, ExternalLedger ledger, std::vector<WrapLoader> loaders) override;
  void segment_begins(int pid, std::optional<WrapKind> kind,
                      const std::vector<int>& workers) override;
  void segment_ends(int pid) override;
  void finished(int pid, WrapStretch stretch) override;
  std::optional<WrapNext> next(int pid, const WrapState& state) override;
  void ready(int pid, std::uint32_t rank, std::uint32_t world) override;
  void waits(const std::string& why, Nanoseconds longer) override;
  void stood(const WrapStacks& stacks) override;
  void ended(int pid, const WrapEnd& end) override;

  // Returns the stacks that processes have said since they were asked last.
  const std::vector<WrapStacks>& stacks() const noexcept { return stacks_; }
  void forget_stacks() noexcept { stacks_.clear(); }
  // Notes where its processes stood when it hung.
  void stood_at_hang(HangSeen seen) { hang_ = std::move(seen); }
  const std::optional<HangSeen>& hang() const noexcept { return hang_; }
  // A process that is killed from now on has ended for this reason.
  void ends_as(WrapReason reason) noexcept { ends_as_ = reason; }
  // Notes why benchbench is not in a process that has torch: a sentence without its stop.
  void is_unattached(std::string why) { unattached_ = std::move(why); }
  // Returns that; "" where it is in all.
  const std::string& unattached() const noexcept { return unattached_; }
  bool hung() const noexcept { return ends_as_ == WrapReason::hangs; }
  // Returns the phase that was said last, "warming up"; empty: none was.
  const std::string& phase() const noexcept { return phase_; }

  // Asked after a round of the measured process that settles its side: true where another one could
  // change the answer all the same.
  void ask_of_answer(std::function<bool()> is_open) { is_answer_open_ = std::move(is_open); }

  // Notes that the command was started, or has ended with all that it started.
  void command_started() { started_ = runtime_.now(); }
  void command_ended() { times_.end = since_start(); }
  // Returns the time since it was started.
  Nanoseconds since_start() const { return runtime_.now() - started_; }
  const RunTimes& times() const noexcept { return times_; }

  // Notes who is on the cards: once, before the script starts, so that these are no processes of
  // it. An NVML that crashes or hangs does so in a throw-away child.
  void look_at_cards();
  // As often as there is time.
  void look();
  // Null: it was not asked for.
  const WrapTune* tune() const noexcept { return tune_ ? &*tune_ : nullptr; }
  // Before anything is printed by others.
  void clear_line() { teller_.clear(); }
  // The process that is measured, of several ranks the lowest one; null: none is.
  const WrapProcess* lead() const;
  std::vector<const SeenStretch*> stretches(WhichRank of) const;
  // The process that the report is of; null: none was measured.
  const WrapProcess* shown() const;
  // Returns the trials of the search so far, in their order.
  const std::vector<SearchTry>& tries() const noexcept { return tries_; }
  // Stretches and refusals that came, of whichever process.
  std::size_t heard() const noexcept { return heard_; }
  // What comes before words of ours on standard error.
  const std::string& apart() const noexcept { return teller_.apart(); }
  // Ranks that were measured together.
  std::vector<const WrapProcess*> ranks() const;
  // How it ended: of several ranks the first end that is not only that of another one, one that
  // ended by itself last, else of the measured process; where none is measured, of whichever said
  // one. Null: none did.
  const WrapProcess* ended_first() const;
  std::size_t connections() const noexcept { return processes_.size(); }
  // Returns what it said of itself; null: it said nothing.
  const WrapHello* hello(int pid) const;

 private:
  struct Watched;
  bool belongs(const WrapProcess& process, const WrapSteady& steady) const;
  WrapStart begin(WrapProcess& process, const WrapSteady& steady);
  std::optional<WrapSteady> first_rank_;  // from which the rounds of all ranks are planned
  std::vector<std::string> others_that_train() const;
  ResourceCounters read_with_trees();
  void watch_card(int pid, const std::string& device);
  bool has_new_try() const noexcept;
  void add_try(std::vector<std::string> refused, std::optional<SeenStretch> seen);

  const WrapRequest& request_;
  Runtime& runtime_;
  std::vector<std::unique_ptr<WrapProcess>> processes_;  // in the order in which they connected
  std::vector<const WrapProcess*> ended_;                // in the order in which they did
  std::unique_ptr<CardSearch> cards_;                    // null where there is no card
  std::map<int, std::unique_ptr<Watched>> watched_;
  std::int64_t spent_by_ended_ns_ = 0;  // by those that are not watched any more
  WrapProcess* lead_ = nullptr;
  std::size_t heard_ = 0;
  std::vector<WrapStacks> stacks_;
  std::optional<HangSeen> hang_;
  std::optional<WrapReason> ends_as_;
  std::string phase_, unattached_;
  TimePoint started_;
  RunTimes times_;
  std::optional<WrapTune> tune_;
  std::vector<SearchTry> tries_;
  WrapTeller teller_;
  std::function<bool()> is_answer_open_;

  WrapProcess* process(int pid) const;
};

}  // namespace benchbench
