#include <algorithm>
#include <utility>

#include "harness/analysis/faults/external_findings.h"

namespace benchbench {
namespace {

void take(const ExternalNoticed& seen, ExternalFinding& found) {
  found.what = seen.what;
  found.where = seen.where;
  found.count = seen.count;
  found.numbers = seen.numbers;
}

const ExternalNoticed* noticed_last(const ExternalScene& scene, std::string_view kind) {
  return find_noticed(*scene.trial.last()->external, kind);
}

// What costs no time that could be measured.
std::optional<ExternalFinding> without_time(const ExternalScene& scene, ExternalFault fault,
                                            std::string_view kind, bool counts = true) {
  const ExternalNoticed* seen = noticed_last(scene, kind);
  if (!seen || (counts && seen->count == 0)) return std::nullopt;
  ExternalFinding found = finding_of(fault, scene);
  take(*seen, found);
  return found;
}

constexpr std::string_view
    kSnapshots = "snapshots",
    kHostCopies = "host copies", kPinThread = "pin thread", kIterator = "iterator each step",
    kWithoutFetch = "batches without a fetch", kForked = "fork after threads",
    kLockAtFork = kWordsOf<ExternalFault>[static_cast<std::size_t>(ExternalFault::lock_at_fork)];

void add_cost(const ExternalNoticed& seen, ExternalFinding& found) {
  const auto bytes = static_cast<double>(seen.bytes);
  if (bytes > 0) found.bytes = known_once(bytes);
  found.share = 1;
}

std::optional<double> ms_of(const ExternalWindow& w, std::string_view kind) {
  const ExternalNoticed* seen = find_noticed(w.external, kind);
  return seen && seen->ns > 0 ? std::optional(static_cast<double>(seen->ns) * 1e-6) : std::nullopt;
}

std::optional<double> within_wait(const ExternalWindow& w, std::optional<double> ms) {
  return ms && w.wait_ms ? std::optional(std::min(*w.wait_ms, *ms)) : std::nullopt;
}

// Workers tell states of their batches side by side.
std::optional<double> snapshots_ms(const ExternalWindow& w) {
  const auto ms = ms_of(w, kSnapshots);
  return within_wait(w, ms ? std::optional(*ms / std::max(1u, w.workers)) : std::nullopt);
}

std::optional<double> pin_thread_ms(const ExternalWindow& w) {
  return within_wait(w, ms_of(w, kPinThread));
}

// The rest of the step and what the device does in these calls could be at the same time.
std::optional<double> host_copies_ms(const ExternalWindow& w) {
  const auto ms = ms_of(w, kHostCopies);
  return ms ? std::optional(std::min(*ms, std::max(0.0, w.step_ms - *ms))) : std::nullopt;
}

// A part of the wait and of the step, as the workers end in that.
std::optional<double> iterator_ms(const ExternalWindow& w) {
  const auto ms = ms_of(w, kIterator);
  return ms ? std::optional(std::min(*ms, w.step_ms)) : std::nullopt;
}

std::optional<ExternalFinding> noticed(const ExternalScene& scene, ExternalFault fault,
                                       std::string_view kind, const LoaderTrials::Number& ms) {
  auto found = costing_once(fault, scene, ms);
  const ExternalNoticed* seen = found ? noticed_last(scene, kind) : nullptr;
  if (!seen) return std::nullopt;
  take(*seen, *found);
  return found;
}

}  // namespace

const ExternalNoticed* find_remade(const ExternalFacts& e, std::string_view made) {
  const auto at = std::ranges::find_if(e.noticed, [&](const ExternalNoticed& seen) {
    return seen.kind == "loader each epoch" && seen.where == made;
  });
  return at == e.noticed.end() ? nullptr : &*at;
}

std::optional<ExternalFinding> snapshots(const ExternalScene& scene) {
  return noticed(scene, ExternalFault::snapshots, kSnapshots, snapshots_ms);
}

std::optional<ExternalFinding> host_copies(const ExternalScene& scene) {
  return noticed(scene, ExternalFault::host_copies, kHostCopies, host_copies_ms);
}

std::optional<ExternalFinding> pin_thread(const ExternalScene& scene) {
  return noticed(scene, ExternalFault::pin_thread, kPinThread, pin_thread_ms);
}

std::optional<ExternalFinding> iterator_each_step(const ExternalScene& scene) {
  return noticed(scene, ExternalFault::iterator_each_step, kIterator, iterator_ms);
}

// Known of a cycle before any step goes without.
std::optional<ExternalFinding> without_fetch(const ExternalScene& scene) {
  auto found = without_time(scene, ExternalFault::without_fetch, kWithoutFetch, false);
  if (found) add_cost(*noticed_last(scene, kWithoutFetch), *found);
  return found;
}

std::optional<ExternalFinding> lock_at_fork(const ExternalScene& scene) {
  auto found = without_time(scene, ExternalFault::lock_at_fork, kLockAtFork);
  if (found) found->share = 1;
  return found;
}

std::optional<ExternalFinding> fork_beside_threads(const ExternalScene& scene) {
  return without_time(scene, ExternalFault::fork_beside_threads, kForked);
}

std::vector<ExternalFinding> findings_without_window(const ExternalPoint& seen) {
  std::vector<ExternalFinding> all;
  for (const auto& [fault, kind] : {std::pair(ExternalFault::lock_at_fork, kLockAtFork),
                                    std::pair(ExternalFault::without_fetch, kWithoutFetch)})
    if (const ExternalNoticed* noticed = find_noticed(seen.facts, kind)) {
      ExternalFinding& found = all.emplace_back();
      found.fault = fault;
      found.point = seen.point;
      found.mode = seen.mode;
      take(*noticed, found);
      add_cost(*noticed, found);
    }
  return all;
}

std::optional<ExternalFinding> made_on_device(const ExternalScene& scene) {
  return without_time(scene, ExternalFault::on_device, "device tensors");
}

namespace {

bool is_begin_of_pass(const ExternalSpent& s, const ExternalNoticed& of) {
  return s.loader == of.what && s.made == of.where && (s.state == "iter" || s.state == "first");
}

// Workers that stay started in one of the passes that were seen. nullopt: none was seen.
std::optional<double> share_of_starts(const std::optional<ExternalLedger>& ledger,
                                      const ExternalNoticed& of) {
  double all = 0, begins = 0;
  std::uint64_t passes = 0;
  if (!ledger) return std::nullopt;
  for (const ExternalSpent& s : ledger->rows) {
    const auto ns = static_cast<double>(s.ns);
    all += ns;
    if (!is_begin_of_pass(s, of)) continue;
    begins += ns;
    passes = std::max(passes, s.count);
  }
  return all > 0 && passes > 0 ? std::optional(begins * static_cast<double>(passes) / all)
                               : std::nullopt;
}

}  // namespace

std::optional<ExternalFinding> workers_stay(const ExternalScene& scene) {
  constexpr std::string_view kind = "workers that stay";
  auto found = without_time(scene, ExternalFault::workers_stay, kind);
  if (!found) return std::nullopt;
  const auto starts =
      share_of_starts(scene.trial.last()->external->ledger, *noticed_last(scene, kind));
  if (!starts || *starts >= kWorth) return std::nullopt;
  const double bytes = static_cast<double>(noticed_last(scene, kind)->bytes);
  found->bytes = known_once(bytes);
  found->share = scene.memory_bytes > 0 ? std::min(1.0, bytes / scene.memory_bytes) : 0;
  return found->share < kStayShare ? std::nullopt : found;
}

}  // namespace benchbench
