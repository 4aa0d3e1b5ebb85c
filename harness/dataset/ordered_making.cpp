#include "harness/dataset/ordered_making.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <vector>

#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/core/lock.h"
#include "harness/record/environment.h"

namespace benchbench {
namespace {

struct Cell {
  std::vector<std::byte> bytes;
  bool full = false;
};

// What makers and taker share; all but the bytes of a cell that is being filled or taken is guarded
// by the lock.
struct Shared {
  Shared(const SampleSource& s, Runtime& r, std::size_t cell_count)
      : source(s), runtime(r), lock(r), cells(cell_count) {}

  const SampleSource& source;
  Runtime& runtime;
  Lock lock;
  Waiters room;      // makers, for a cell
  Waiters finished;  // the taker, for a sample
  std::vector<Cell> cells;
  SampleId next = 0;   // to be made
  SampleId taken = 0;  // handed on
  bool ending = false;
  std::exception_ptr error;

  Cell& cell(SampleId id) { return cells[id % cells.size()]; }
  void end(std::exception_ptr cause) {
    Guard guard(lock);
    if (!error) error = std::move(cause);
    ending = true;
    room.wake_all(runtime);
    finished.wake_all(runtime);
  }
};

class MakerJob final : public Job {
 public:
  explicit MakerJob(Shared& shared) : shared_(shared) {}
  void run() override {
    std::exception_ptr error;
    try {
      make_all();
    } catch (...) {
      error = std::current_exception();
    }
    if (error) shared_.end(std::move(error));  // outside the catch: nothing parks in one
  }

 private:
  void make_all() {
    const SampleMaker maker = shared_.source.maker(shared_.runtime);
    for (SampleId id = 0; claim(id);) {
      Cell& cell = shared_.cell(id);
      maker(id, [&](std::span<const std::byte> bytes) {
        cell.bytes.assign(bytes.begin(), bytes.end());
      });
      Guard guard(shared_.lock);
      cell.full = true;
      if (id == shared_.taken) shared_.finished.wake_all(shared_.runtime);
    }
  }

  bool claim(SampleId& id) {
    Guard guard(shared_.lock);
    const auto all = shared_.source.samples();
    while (!shared_.ending && shared_.next < all &&
           shared_.next - shared_.taken >= shared_.cells.size()) {
      shared_.room.wait(guard, shared_.runtime);
    }
    if (shared_.ending || shared_.next >= all) return false;
    id = shared_.next++;
    return true;
  }

  Shared& shared_;
};

// Waits until the cell of `id` is full; looks at `stop` ten times a second.
void await(Shared& shared, SampleId id, const std::atomic<bool>& stop) {
  Guard guard(shared.lock);
  while (!shared.cell(id).full) {
    if (shared.error) std::rethrow_exception(shared.error);
    if (stop) break;
    shared.finished.wait(guard, shared.runtime,
                         shared.runtime.now() + std::chrono::milliseconds{100});
  }
}

void take_all(Shared& shared, const std::atomic<bool>& stop, const TakeSample& take) {
  const std::uint64_t all = shared.source.samples();
  for (SampleId id = 0; id < all; ++id) {
    await(shared, id, stop);
    if (stop)
      throw InterruptedError(fmt::format("interrupted after making {} of {} samples", id, all));
    take(id, shared.cell(id).bytes);
    Guard guard(shared.lock);
    shared.cell(id).full = false;
    shared.taken = id + 1;
    shared.room.wake_all(shared.runtime);
  }
}

}  // namespace

unsigned making_threads() {
  return static_cast<unsigned>(std::max(1.0, std::floor(cores_available("/"))));
}

void make_in_order(const SampleSource& source, Runtime& runtime, unsigned threads,
                   const std::atomic<bool>& stop, const TakeSample& take) {
  Shared shared(source, runtime, std::size_t{8} * threads);
  std::vector<MakerJob> jobs(threads, MakerJob(shared));
  std::exception_ptr error;
  {
    std::vector<std::unique_ptr<Task>> tasks;  // joined at the end of this block
    try {
      for (MakerJob& job : jobs) tasks.push_back(runtime.spawn("maker", job));
      take_all(shared, stop, take);
    } catch (...) {
      error = std::current_exception();
    }
    shared.end(nullptr);
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace benchbench
