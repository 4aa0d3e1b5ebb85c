// The store that dataset.storage plays below a loader: which read would have been served when.
#pragma once
#include <functional>
#include <memory>
#include <queue>
#include <vector>

#include "harness/core/lock.h"
#include "harness/part/emulated_storage.h"
#include "harness/record/store_presets.h"

namespace benchbench {

// When each read would end, read by read in the order they are asked for. Of a read of `bytes`
// asked for at `asked`:
//
//   start    = the later of `asked` and the end of the earliest-ending of the `connections` reads
//              before it
//   first    = start + latency + (seek, unless it follows the read before)
//   shared   = the later of `first` and the shared link's end with the read before,
//              + bytes / bandwidth
//   own      = first + bytes / connection_bandwidth
//   end      = the later of `shared` and `own`
//
// The link is first come first served in the order of asking, so a read that seeks holds up those
// asked for after it; a store that reorders them would do a little better. Times are rounded to
// whole nanoseconds, read by read. Left out: read-ahead and caches of the store's own, writes, and
// how figures vary: every read costs the same.
class StoreSchedule {
 public:
  explicit StoreSchedule(const StoreFigures& figures) : figures_(figures) {}
  TimePoint end_of(TimePoint asked, std::uint64_t bytes, bool follows);

 private:
  TimePoint connection_free(TimePoint asked);

  StoreFigures figures_;
  TimePoint link_free_ = TimePoint::min();
  // The ends of the reads on the connections in use, the earliest on top.
  std::priority_queue<TimePoint, std::vector<TimePoint>, std::greater<>> busy_until_;
};

// Plays the schedule on either runtime: exact in virtual time, with hybrid waits on the real clock.
class TimedStore final : public EmulatedStorage {
 public:
  TimedStore(const StoreFigures& figures, Runtime& runtime)
      : runtime_(runtime), lock_(runtime), schedule_(figures) {}
  void fetch(std::uint64_t bytes, bool follows) override { wait(kForever, bytes, follows); }
  void fetch_since(TimePoint asked, std::uint64_t bytes, bool follows) override {
    wait(asked, bytes, follows);
  }

 private:
  void wait(TimePoint asked, std::uint64_t bytes, bool follows);

  Runtime& runtime_;
  Lock lock_;
  StoreSchedule schedule_;
};

// nullptr where the settings (dataset.storage.*) play none. The runtime must outlive it.
std::unique_ptr<EmulatedStorage> emulated_storage(const SettingsMap& settings, Runtime& runtime);

}  // namespace benchbench
