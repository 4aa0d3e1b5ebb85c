#include "harness/app/wrap/wrap_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "harness/analysis/external/script_end.h"
#include "harness/app/output_file.h"
#include "harness/app/tell.h"
#include "harness/app/wrap/wrap_ranks.h"
#include "harness/app/wrap/wrap_words.h"
#include "harness/core/child_process.h"
#include "harness/core/units.h"
#include "harness/part/child_probe.h"
#include "harness/trial/readings/utc_now.h"
#include "harness/trial/trial_probes.h"

namespace benchbench {

// Behind an NVML that takes longer than this in a throw-away child, no card is watched.
constexpr Nanoseconds kMostOfNvml = std::chrono::seconds{10};
// How often threads that run are counted while a stretch is measured.
constexpr Nanoseconds kCountEvery = std::chrono::milliseconds{100};

// Its tree, from outside.
struct WrapRun::Watched {
  Watched(Runtime& runtime, int pid, bool gentle) : tree(runtime, pid, kCountEvery, gentle) {}
  TreeWatch tree;
  ResourceCounters counters;
  std::optional<ResourceUse> used;
  std::unique_ptr<GpuWatch> gpu;      // null: its steps are not on a card
  std::optional<TrialProbes> probes;  // of the card, in a stretch

  void begin_segment(Runtime& runtime) {
    if (!gpu) return;
    if (!probes)
      probes.emplace(TrialProbes::Order{
          .runtime = runtime, .every = kCountEvery, .gpu = gpu.get(), .rows = {}});
    probes->begin_segment();
  }
  ProbeResults take_probes() {
    if (!probes) return {};
    probes->stop();
    ProbeResults results = probes->results();
    results.series.clear();  // each would be a file, synced while the script runs
    probes.reset();
    gpu->rest();
    return results;
  }
};

WrapRun::WrapRun(const WrapRequest& request, Runtime& runtime)
    : request_(request), runtime_(runtime), started_(runtime.now()) {
  if (!request.order.tune) return;
  const double cores = std::max(1.0, std::floor(observe_environment().cores_available));
  tune_.emplace(request.order.budget.value_or(Nanoseconds{0}),
                request.max_workers ? request.max_workers : cores, request.target_rate);
}
WrapRun::~WrapRun() = default;

WrapProcess* WrapRun::process(int pid) const {
  for (auto at = processes_.rbegin(); at != processes_.rend(); ++at)  // a number may come again
    if ((*at)->hello.pid == pid) return at->get();
  return nullptr;
}

const WrapHello* WrapRun::hello(int pid) const {
  const WrapProcess* p = process(pid);
  return p ? &p->hello : nullptr;
}

// Which one trains is known only once it does, and what is a rank of the same training as well.
void WrapRun::connected(const WrapHello& hello) {
  processes_.push_back(
      std::make_unique<WrapProcess>(WrapProcess{hello, {}, {}, {}, {}, {}, {}, {}, {}}));
  teller_.connected(hello);
}

// Ranks are measured together; any other training after the first is left alone.
bool WrapRun::belongs(const WrapProcess& process, const WrapSteady& steady) const {
  if (!lead_ || process.planned) return true;
  const WrapPlanned& with = *lead_->planned;
  if (!steady.rank || !with.rank || steady.world != with.world || steady.group != with.group)
    return false;
  return std::ranges::none_of(
      processes_, [&](const auto& p) { return p->planned && p->planned->rank == steady.rank; });
}

// All ranks have the rounds of the first one, as they change from one stretch to the next together.
WrapStart WrapRun::begin(WrapProcess& process, const WrapSteady& steady) {
  const bool together = steady.rank && !request_.order.keep_going;
  if (together && !first_rank_) first_rank_ = steady;
  process.schedule.emplace(request_.order, together ? *first_rank_ : steady);
  process.planned = process.schedule->planned(steady);
  WrapStart start{{},
                  request_.order.keep_going ? Nanoseconds::max() : process.planned->stops_after};
  start.first = together ? process.schedule->take_all() : *process.schedule->next({});
  return start;
}

std::optional<WrapStart> WrapRun::steady(int pid, const WrapSteady& steady) {
  WrapProcess* p = process(pid);
  if (!p) return std::nullopt;
  if (!belongs(*p, steady)) {
    p->left_alone = steady.loader;
    teller_.left_alone(pid, steady.loader, lead_->end.has_value());
    return std::nullopt;
  }
  WrapStart start = begin(*p, steady);
  p->planned_at = runtime_.now();
  if (!times_.first_stretch) times_.first_stretch = since_start();
  if (tune_) {
    tune_->planned(*p->planned);
    tries_.clear();
    p->planned->dropped.clear();  // those are of --try
  }
  // The rank is as torch has it: a launcher's variables may be absent, or of something else.
  p->hello.rank = steady.rank;
  p->hello.world = steady.world;
  p->stretches.clear();  // of a loop that was not the training
  const bool first = !lead_;
  if (first || (p->hello.rank && lead_->hello.rank && *p->hello.rank < *lead_->hello.rank))
    lead_ = p;
  if (first || p == lead_) teller_.planned(request_, *p->planned, pid);
  watched_.emplace(pid, std::make_unique<Watched>(runtime_, pid, request_.order.keep_going));
  watch_card(pid, p->planned->device);
  return start;
}

void WrapRun::look_at_cards() {
  const std::vector<std::string> child{kOwnProgram, "probe-module", "nvml"};
  if (ask_child(child, kMostOfNvml).empty()) cards_ = CardSearch::make({}, runtime_);
}

// Its steps have run by now, so that its context is there.
void WrapRun::watch_card(int pid, const std::string& device) {
  if (!cards_ || device == "cpu") return;
  auto& gpu = watched_.at(pid)->gpu;
  gpu = cards_->find(pid);
  if (!gpu) gpu = cards_->watch_named(device);
}

// What is true of a stretch that ends now.
std::vector<std::string> WrapRun::others_that_train() const {
  std::vector<std::string> notices;
  for (const auto& p : processes_)
    if (p->left_alone && !p->end)
      notices.push_back(
          fmt::format("process {} has a loop of its own at the same time ({}): it is not measured, "
                      "and these rates are with it on the machine",
                      p->hello.pid, loader_words(*p->left_alone)));
  return notices;
}

void WrapRun::progressed(int pid, const std::string& phase, std::optional<WrapKind> kind,
                         std::optional<std::uint32_t> round,
                         const std::optional<std::vector<int>>& workers) {
  phase_ = phase;
  if (!lead_ && phase == "warming up") teller_.warms_up(request_, pid);
  if (lead_ && lead_->hello.pid == pid) teller_.measures(phase, kind, round);
  const auto at = watched_.find(pid);
  if (workers && at != watched_.end()) at->second->tree.workers(*workers);
}

void WrapRun::spent(int pid, ExternalLedger ledger, std::vector<WrapLoader> loaders) {
  if (WrapProcess* p = process(pid)) p->ledger = std::move(ledger), p->loaders = std::move(loaders);
}

// Counts what all ranks had of the CPUs as ours.
ResourceCounters WrapRun::read_with_trees() {
  std::int64_t spent_ns = spent_by_ended_ns_;
  for (auto& [pid, watched] : watched_) spent_ns += watched->tree.read_spent_ns();
  ResourceCounters read = read_resources();
  if (read.shared) read.shared->own_s += 1e-9 * static_cast<double>(spent_ns);
  return read;
}

void WrapRun::segment_begins(int pid, std::optional<WrapKind> kind,
                             const std::vector<int>& workers) {
  const auto at = watched_.find(pid);
  if (at == watched_.end()) return;
  at->second->tree.workers(workers);
  // Elsewhere its memory says nothing of the script's.
  const bool as_it_is = kind && mode_of(*kind) == Mode::pipeline;
  at->second->tree.begin_segment(as_it_is ? MemoryAtBegin::of_new_workers : MemoryAtBegin::none);
  at->second->begin_segment(runtime_);
  at->second->counters = read_with_trees();
}

void WrapRun::segment_ends(int pid) {
  const auto at = watched_.find(pid);
  if (at == watched_.end()) return;
  Watched& watched = *at->second;
  watched.tree.end_segment();
  const ResourceUse use = used_between(watched.counters, read_with_trees());
  watched.used = watched.used ? *watched.used + use : use;
  if (watched.probes) watched.probes->end_segment();
}

void WrapRun::finished(int pid, WrapStretch stretch) {
  WrapProcess* p = process(pid);
  if (!p || !p->planned) return;
  const auto took = tune_ && p == lead_ ? tune_->finished(stretch) : std::nullopt;
  const bool is_of_search = p->planned->tunes && stretch.round >= p->planned->rounds;
  if (p == lead_) is_of_search ? teller_.searched(stretch) : teller_.finished(stretch);
  SeenStretch seen{std::move(stretch), utc_now(), {}, {}, {}, {}, took};
  for (const std::string& notice : others_that_train())
    seen.stretch.result.notices.push_back(notice);
  if (const auto at = watched_.find(pid); at != watched_.end()) {
    Watched& watched = *at->second;
    seen.memory = watched.tree.memory().growth();
    seen.tree = watched.tree.take();
    seen.used = watched.used;
    watched.used.reset();
    seen.probes = watched.take_probes();
  }
  p->schedule->finished(seen.stretch, seen.used);
  if (!is_of_search)  // the report of the script as it is is of the rounds before
    p->stretches.push_back(std::move(seen));
  else if (p == lead_ && has_new_try())
    add_try({}, std::move(seen));
  ++heard_;
}

std::optional<WrapNext> WrapRun::next(int pid, const WrapState& state) {
  WrapProcess* p = process(pid);
  if (!p || !p->schedule) return std::nullopt;
  if (auto next = p->schedule->next(state, p == lead_ ? is_answer_open_ : nullptr)) return next;
  if (!tune_ || p != lead_ || !p->planned->tunes) return std::nullopt;
  const std::optional<TriedRound> tried = tune_->next(state.refused);
  if (has_new_try()) add_try(state.refused, {}), ++heard_;
  if (!tried) return std::nullopt;
  return p->schedule->add(tried->own ? WrapKind::full : WrapKind::changed_full, tried->settings);
}

bool WrapRun::has_new_try() const noexcept {
  return tune_ && tune_->search().trials().size() > tries_.size();
}

void WrapRun::add_try(std::vector<std::string> refused, std::optional<SeenStretch> seen) {
  const Observation& last = tune_->search().trials().back();
  tries_.push_back({{last.point, last.round, last.purpose}, std::move(refused), std::move(seen)});
}

void WrapRun::ready(int pid, std::uint32_t rank, std::uint32_t world) {
  if (WrapProcess* p = process(pid)) {
    p->hello.rank = rank;
    p->hello.world = world;
  }
}

void WrapRun::waits(const std::string& why, Nanoseconds longer) {
  teller_.clear();
  print_fitted(stderr, "benchbench: {}; they are waited for another {}.\n", why,
               human_duration(longer));
}

// Once for each process, which may have been asked by several signals.
void WrapRun::stood(const WrapStacks& stacks) {
  std::erase_if(stacks_, [&](const WrapStacks& before) { return before.pid == stacks.pid; });
  stacks_.push_back(stacks);
}

void WrapRun::ended(int pid, const WrapEnd& end) {
  WrapProcess* p = process(pid);
  if (p && !p->end) ended_.push_back(p);
  if (p) p->end = end;
  if (p && ends_as_ && end.reason == WrapReason::lost) p->end->reason = *ends_as_;
  if (p && !end.served.facts.ledger) p->end->served.facts.ledger = p->ledger;
  if (p && end.loaders.empty()) p->end->loaders = p->loaders;
  if (p == lead_) teller_.clear();
  const auto at = watched_.find(pid);
  if (at == watched_.end()) return;
  spent_by_ended_ns_ += at->second->tree.read_spent_ns();
  watched_.erase(at);
}

void WrapRun::look() {
  for (auto& [pid, watched] : watched_) watched->tree.look();
}

const WrapProcess* WrapRun::lead() const {
  if (lead_) return lead_;
  for (const auto& p : processes_)
    if (p->end && p->end->reason == WrapReason::refused) return p.get();
  for (const auto& p : processes_)  // one that was stopped before it could be measured
    if (p->end && p->end->reason != WrapReason::script_ended) return p.get();
  return nullptr;
}

const WrapProcess* WrapRun::ended_first() const {
  const WrapProcess* of = lead();
  if (of && !of->hello.rank) return of->end ? of : nullptr;
  const WrapProcess* gone = nullptr;  // it had no more to do: what becomes of the others counts
  for (const WrapProcess* p : ended_) {
    if (!p->hello.rank || !is_of_itself(p->end->reason)) continue;
    if (p->end->reason != WrapReason::script_ended) return p;
    if (!gone) gone = p;
  }
  if (gone) return gone;
  if (of && of->end) return of;
  return ended_.empty() ? nullptr : ended_.front();
}

std::vector<const WrapProcess*> WrapRun::ranks() const {
  std::vector<const WrapProcess*> ranks;
  for (const auto& p : processes_)
    if (p->planned) ranks.push_back(p.get());
  return ranks;
}

const WrapProcess* WrapRun::shown() const {
  const auto all = ranks();
  return all.empty() ? nullptr : slowest_of(all);
}

std::vector<const SeenStretch*> WrapRun::stretches(WhichRank of) const {
  const WrapProcess* rank = of == WhichRank::lead ? lead_ : shown();
  std::vector<const SeenStretch*> found;
  if (rank)
    for (const SeenStretch& seen : rank->stretches) found.push_back(&seen);
  return found;
}

}  // namespace benchbench
