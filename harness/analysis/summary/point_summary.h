// One point's numbers from its judged trials.
#pragma once
#include "harness/analysis/rates/verdict.h"
#include "harness/analysis/rules/judged_trials.h"
#include "harness/analysis/summary/beside_the_run.h"
#include "harness/analysis/summary/hindering_neighbour.h"
#include "harness/analysis/summary/point_status.h"

namespace benchbench {

struct PointFindings : PointStatus, Verdict {
  std::uint32_t point = 0;
  std::string name;                                             // Point::name()
  Measured loader_rate, trainer_rate, pipeline_rate, cpu_rate;  // samples/s
  // By Mode: the side takes too little time to be resolved, and its rate is at least that.
  std::array<bool, 3> bound{};
  bool is_bound(Mode mode) const noexcept { return bound[static_cast<std::size_t>(mode)]; }
  Measured headroom, overlap_efficiency;  // shares, within-round ratios
  // Who may have cost most of the contention; nullopt where no neighbour could
  // (hindering_neighbour()).
  std::optional<Neighbour> hindered_by = {};
  // A worker's wait for a lock that all share, per step; nullopt where it is not metered.
  std::optional<double> lock_wait_ms;
  Measured exposed_wait_ms;  // mean per step; its percentiles follow
  // Mean per step in which its batch was there and the trainer's thread had no core; nullopt also
  // where it is not known when a batch is there.
  Measured core_wait_ms;
  // In ns, of the last usable round; p90 and p99 are NaN under kTailBatches.
  std::optional<Distribution> exposed_wait;
  Measured gain;  // pipeline rate against num_workers: 0 of otherwise equal settings
  std::optional<double> cache_share;  // of the bytes read, from the page cache
  std::optional<std::uint64_t> peak_memory_bytes;
  std::optional<double> epoch_gap_ms, first_batch_ms;
  std::optional<double> payload_bytes_per_sample;
  // Bytes per delivered sample that the loader asked for, and that storage devices gave.
  std::optional<double> read_bytes_per_sample, device_bytes_per_sample;
  // Its order of samples: the distance of samples from their place in storage, 1 = uniform random;
  // the share followed by their successor in storage.
  std::optional<double> shuffle_displacement, shuffle_together;
  std::optional<std::uint64_t> epoch_samples;  // of one epoch, where a data set is read
  // A share of all elements (tokens) in rows; nullopt where nothing is padded.
  std::optional<double> padding_share;
  std::map<std::string_view, double> from_facts;  // by the metric's name (Metric::from_facts)
  std::uint32_t batch_size = 0;
  // Its pipeline's; the loader's alone where that was all.
  CacheState cache_state;                               // unknown where no data set was read
  SteadinessKind steadiness = SteadinessKind::unknown;  // the least steady round's
  std::optional<StallFindings> stalls;                  // nullopt: steps were not looked at
  double overhead_share = 0;                            // what measuring cost the worst trial
  // The loader is an iterable of the user's: num_workers says nothing of it.
  bool own_workers = false;
  bool steps_elsewhere = false;  // its steps are a device's
  // Such a loader was seen to make its batches between steps, not during them.
  bool own_in_turn = false;
};

// True if its steps are a device's, which works on while the host makes the next batch: without
// workers, too. Of steps in a process of their own the records say whether they used one.
bool steps_elsewhere(const Point& point, const JudgedTrials& trials);

// Returns the records of the trial that shows the point's resources best: the pipeline's where one
// is usable, else the loader's, else the trainer's; empty where none is.
JudgedRecords telling_records(const Point& point, const JudgedTrials& trials);

// The verdict's input: the modes' rates of usable rounds, and samples a step.
// `floor` is the A/A floor as a share.
PointRates usable_rates(const Point& point, const JudgedTrials& trials, double floor = 0);

// Returns a point's findings without `gain`, which needs another point, and without `from_facts`,
// which the table of metrics fills.
PointFindings summarise_point(const Plan& plan, const Point& point, const JudgedTrials& trials,
                              double floor = 0);

}  // namespace benchbench
