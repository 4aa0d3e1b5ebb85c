#include "harness/trial/external/memory_watch.h"

#include <algorithm>
#include <utility>

#include "harness/trial/external/process_reading.h"

namespace benchbench {
namespace {

std::int64_t grown(std::uint64_t from, std::uint64_t to) {
  return static_cast<std::int64_t>(to) - static_cast<std::int64_t>(from);
}

}  // namespace

void MemoryWatch::look(TimePoint now, std::span<const int> workers, std::span<const int> others) {
  Look look{.at = now, .workers = {workers.begin(), workers.end()}};
  std::uint64_t all = 0;
  bool whole = !workers.empty();
  for (const int pid : workers) {
    const auto memory = read_memory(pid);
    whole = whole && memory;
    if (!memory) continue;
    look.pss += memory->pss;
    look.unshared += memory->unshared;
    look.resident += memory->resident;
    look.shared += memory->shared;
  }
  all = look.pss;
  for (const int pid : others)
    if (const auto memory = read_memory(pid)) all += memory->pss;
  if (all > 0) peak_ = std::max(peak_.value_or(0), all);
  if (whole && counting_ && knows(workers))
    count(*last_, look);
  else if (whole && growth_.time > longest_.time)
    longest_ = std::exchange(growth_, {});
  else if (whole)
    growth_ = {};
  last_ = whole ? std::optional(std::move(look)) : std::nullopt;
}

void MemoryWatch::begin_anew() noexcept {
  growth_ = longest_ = {};
  last_.reset();
}

void MemoryWatch::count(const Look& from, const Look& to) noexcept {
  growth_.pss = to.pss;
  growth_.shared = to.shared;
  growth_.pss_growth += grown(from.pss, to.pss);
  growth_.private_growth += grown(from.unshared, to.unshared);
  growth_.resident_growth += grown(from.resident, to.resident);
  growth_.time += to.at - from.at;
}

bool MemoryWatch::knows(std::span<const int> workers) const noexcept {
  return last_ && std::ranges::equal(last_->workers, workers);
}

std::optional<MemoryGrowth> MemoryWatch::growth() const noexcept {
  const MemoryGrowth& most = growth_.time >= longest_.time ? growth_ : longest_;
  return most.time.count() > 0 ? std::optional(most) : std::nullopt;
}

}  // namespace benchbench
