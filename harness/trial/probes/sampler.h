// Looks at all probes beside a window, at intervals.
#pragma once
#include <atomic>
#include <vector>

#include "harness/core/lock.h"
#include "harness/record/trial_record.h"
#include "harness/trial/probes/probe.h"

namespace benchbench {

// One probe's readings over the segments of a window.
//
// The series of a level holds its readings; that of a counter what it grew by since the reading
// before, in the row's base (ns, bytes, count), so that both have one value a sample, beside the
// series "probe_time": when each was taken, ns since the window's begin, pauses cut out.
class ProbeReadings {
 public:
  explicit ProbeReadings(const ProbeRow& row) noexcept : row_(row) {}
  // A segment begins: a counter is compared with what follows, and not with what was.
  void begin(TimePoint now, std::optional<std::int64_t> reading);
  // `short_interval`: too short for a rate of its own to be told as least or most.
  void add(TimePoint now, std::optional<std::int64_t> reading, bool short_interval);
  ProbeFacts facts(const std::string& why_lost) const;
  std::vector<std::int64_t>& series() noexcept { return series_; }

 private:
  void add_growth(std::int64_t by, double seconds, bool extreme);
  void count(double value, double weight, bool extreme);

  const ProbeRow& row_;
  std::vector<std::int64_t> series_;
  std::optional<std::int64_t> last_;
  TimePoint last_at_{};
  double sum_ = 0, weight_ = 0, min_ = 0, max_ = 0;
  bool any_extreme_ = false;
  std::uint64_t samples_ = 0, lost_ = 0;
};

// The trainer's thread begins and ends segments and takes their first and last sample itself,
// outside of the window's time; those in between are taken by a thread of its own, which sleeps
// until its next absolute deadline. What they cost is in the probe "cpu_probes" and in cost().
// Everything handed in must outlive it.
class ProbeSampler final : private Job {
 public:
  // Opens the probes' files; `every` is at least kMinInterval. Where the context has a GPU, its
  // rows are added to `rows`.
  ProbeSampler(Runtime& runtime, Nanoseconds every, ProbeContext& context,
               std::span<const ProbeRow> rows = probe_rows());
  ~ProbeSampler() override { stop(); }

  void start();
  // Adds the rows of a GPU that is known only now, before the first segment. It outlives this.
  void add_gpu(const GpuWatch& gpu);
  void begin_segment();
  void end_segment();
  // Ends the thread at once, however long its interval. Idempotent.
  void stop();

  // CPU time of that thread, so far: what the window was disturbed by. Any thread.
  Nanoseconds cost() const noexcept { return Nanoseconds{cost_.load(std::memory_order_relaxed)}; }
  // After stop(): one a row of the table, and the series of those measured ("probe_cpu_loader").
  std::vector<ProbeFacts> facts() const;
  void hand_over_series(std::map<std::string, std::vector<std::int64_t>>& into);

  static constexpr Nanoseconds kMinInterval = std::chrono::milliseconds{1};
  // A probe that was there and failed for more than this share of the samples is lost.
  static constexpr double kMaxLost = 0.05;

 private:
  struct One {
    const ProbeRow* row;
    std::unique_ptr<Probe> probe;  // null: not available
    std::string why;
    ProbeReadings readings;
  };
  void run() override;
  void add(std::span<const ProbeRow> rows);
  void sample(bool begins, TimePoint now);

  Runtime& runtime_;
  const Nanoseconds every_;
  ProbeContext& context_;
  std::vector<One> probes_;
  std::vector<std::int64_t> times_;
  Lock lock_;
  Waiter waiter_;
  bool counting_ = false, ended_ = false;  // under the lock
  TimePoint begin_{}, last_{}, next_{};
  Nanoseconds counted_{0};  // of the segments that have ended
  std::atomic<std::int64_t> cost_{0};
  std::unique_ptr<Task> task_;
};

}  // namespace benchbench
