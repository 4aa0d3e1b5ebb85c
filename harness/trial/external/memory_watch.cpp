#include "harness/trial/external/memory_watch.h"

#include <algorithm>
#include <utility>

#include "harness/trial/external/process_reading.h"

namespace benchbench {
namespace {

std::int64_t grown(std::uint64_t from, std::uint64_t to) {
  return static_cast<std::int64_t>(to) - static_cast<std::int64_t>(from);
}

// Pages that were shared and are no more: they became private while no more of them are resident.
double copied_bytes(std::int64_t private_growth, std::int64_t resident_growth) noexcept {
  return static_cast<double>(
      std::max<std::int64_t>(0, private_growth - std::max<std::int64_t>(0, resident_growth)));
}

}  // namespace

std::optional<double> MemoryGrowth::steadiness() const noexcept {
  if (parts < 2) return std::nullopt;
  const double copied = copied_bytes(private_growth, resident_growth);
  return copied > 0 ? least_pace * static_cast<double>(time.count()) / copied : 0;
}

void MemoryWatch::look(TimePoint now, std::span<const int> workers, std::span<const int> others) {
  Look look{.at = now, .workers = {workers.begin(), workers.end()}, .memory = {}};
  bool whole = !workers.empty();
  for (const int pid : workers) {
    const auto memory = read_memory(pid);
    whole = whole && memory;
    look.memory += memory.value_or(ProcessMemory{});
  }
  note_peak(look.memory.pss, others);
  if (whole && counting_ && knows(workers))
    count(*last_, look);
  else if (whole && growth_.time > longest_.time)
    longest_ = std::exchange(growth_, {});
  else if (whole)
    growth_ = {};
  last_ = whole ? std::optional(std::move(look)) : std::nullopt;
}

void MemoryWatch::note_peak(std::uint64_t of_workers, std::span<const int> others) {
  std::uint64_t all = of_workers;
  for (const int pid : others) all += read_memory(pid).value_or(ProcessMemory{}).pss;
  if (all > 0) peak_ = std::max(peak_.value_or(0), all);
}

void MemoryWatch::begin_anew() noexcept {
  growth_ = longest_ = {};
  last_.reset();
}

void MemoryWatch::count(const Look& from, const Look& to) noexcept {
  growth_.pss = to.memory.pss;
  growth_.shared = to.memory.shared;
  const std::int64_t unshared = grown(from.memory.unshared, to.memory.unshared),
                     resident = grown(from.memory.resident, to.memory.resident);
  const double pace = copied_bytes(unshared, resident) /
                      static_cast<double>(std::max<std::int64_t>(1, (to.at - from.at).count()));
  growth_.least_pace = growth_.parts == 0 ? pace : std::min(growth_.least_pace, pace);
  ++growth_.parts;
  growth_.pss_growth += grown(from.memory.pss, to.memory.pss);
  growth_.private_growth += unshared;
  growth_.resident_growth += resident;
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
