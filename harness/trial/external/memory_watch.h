// Memory of workers that share pages, over time: growth is that of the same workers, from look to
// look.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/core/units.h"
#include "harness/trial/external/process_reading.h"

namespace benchbench {

// Of the workers alone, all together, in bytes.
struct MemoryGrowth {
  std::uint64_t pss = 0;     // at the last look
  std::uint64_t shared = 0;  // then: written before the fork, and still shared
  std::int64_t pss_growth = 0, private_growth = 0, resident_growth = 0;
  Nanoseconds time{0};      // in which it grew
  std::uint32_t parts = 0;  // from look to look
  double least_pace = 0;    // of copied pages, bytes a ns, in the part where it is least

  // ExternalMemory::steadiness.
  std::optional<double> steadiness() const noexcept;
};

// Where workers are started again, growth is that of those which were watched longest: workers that
// have just started copy pages of the interpreter's own objects, and what each does anew adds up to
// nothing that is there at once.
class MemoryWatch {
 public:
  // Reads all `others` and `workers`, which takes long where they are large.
  void look(TimePoint now, std::span<const int> workers, std::span<const int> others);
  // Growth counts from the last look on, or from the next one where there was none of these
  // workers.
  void begin_counting() noexcept { counting_ = true; }

  // Growth counts from the next look on.
  void begin_anew() noexcept;

  // Whether they were the workers of the last look.
  bool knows(std::span<const int> workers) const noexcept;

  // nullopt where no two looks had the same workers, or one could not be read.
  std::optional<MemoryGrowth> growth() const noexcept;
  // The largest sum over all processes, shared pages counted once. nullopt where they could not be
  // read.
  std::optional<std::uint64_t> peak() const noexcept { return peak_; }

 private:
  struct Look {
    TimePoint at{};
    std::vector<int> workers;
    ProcessMemory memory;
  };
  void note_peak(std::uint64_t of_workers, std::span<const int> others);
  void count(const Look& from, const Look& to) noexcept;

  std::optional<Look> last_;       // of workers, all of which could be read
  MemoryGrowth growth_, longest_;  // of the workers that are watched, and of others before
  bool counting_ = false;
  std::optional<std::uint64_t> peak_;
};

}  // namespace benchbench
