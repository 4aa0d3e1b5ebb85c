// The pace of a line of workers, credits and a trainer, from its recurrence alone: nothing of the
// program's.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace benchbench::test::bursts {

enum class Assigned : std::uint8_t { to_the_first_free, in_turn, to_the_least_loaded };

// Times are drawn, in any unit. Without workers the trainer's thread makes each batch first.
struct OracleLine {
  std::size_t workers = 0, credits = 1;
  bool in_order = true;
  Assigned assigned = Assigned::to_the_first_free;
  std::function<double()> make, step;
};

// A batch is asked for as an earlier one is got, made by a worker from when both are free, and got
// as soon as the trainer asks for it.
class Oracle {
 public:
  explicit Oracle(const OracleLine& line)
      : line_(line), free_(line.workers), outstanding_(line.workers), last_(line.workers - 1) {
    for (std::size_t k = 0; k < line.credits; ++k) issue(0);
  }

  // Returns when the next step ends.
  double step() {
    const Batch batch = take();
    const double got = std::max(end_, batch.ready);
    --outstanding_[batch.worker];
    issue(got);
    return end_ = got + line_.step();
  }

 private:
  struct Batch {
    double ready = 0;
    std::uint64_t number = 0;
    std::size_t worker = 0;
    // True if it is handed over after `other`; of two that are ready at once, if it was asked for
    // later.
    bool operator<(const Batch& other) const {
      return std::pair(ready, number) > std::pair(other.ready, other.number);
    }
  };

  std::size_t worker_of_next() {
    if (line_.assigned == Assigned::in_turn) return issued_ % line_.workers;
    if (line_.assigned == Assigned::to_the_first_free)
      return static_cast<std::size_t>(std::min_element(free_.begin(), free_.end()) - free_.begin());
    std::size_t best = (last_ + 1) % line_.workers;
    for (std::size_t i = 1; i < line_.workers; ++i) {
      const std::size_t at = (last_ + 1 + i) % line_.workers;
      if (outstanding_[at] < outstanding_[best]) best = at;
    }
    return last_ = best;
  }

  void issue(double at) {
    const std::size_t worker = worker_of_next();
    free_[worker] = std::max(at, free_[worker]) + line_.make();
    ++outstanding_[worker];
    const Batch batch{free_[worker], issued_++, worker};
    if (line_.in_order)
      ordered_.push(batch);
    else
      ready_.push(batch);
  }

  Batch take() {
    const Batch batch = line_.in_order ? ordered_.front() : ready_.top();
    line_.in_order ? ordered_.pop() : ready_.pop();
    return batch;
  }

  const OracleLine& line_;
  std::vector<double> free_;              // when each worker has made what it was given
  std::vector<std::size_t> outstanding_;  // of each worker, not got
  std::size_t last_;
  std::uint64_t issued_ = 0;
  double end_ = 0;
  std::queue<Batch> ordered_;
  std::priority_queue<Batch> ready_;
};

// Returns what a step takes on average, once the line has forgotten its begin.
inline double mean_step(const OracleLine& line, std::size_t steps) {
  constexpr std::size_t kForgotten = 2000;
  double sum = 0;
  if (line.workers == 0) {
    for (std::size_t k = 0; k < steps; ++k) sum += line.make() + line.step();
    return sum / static_cast<double>(steps);
  }
  Oracle oracle(line);
  double begin = 0, end = 0;
  for (std::size_t k = 0; k < kForgotten; ++k) begin = oracle.step();
  for (std::size_t k = 0; k < steps; ++k) end = oracle.step();
  return (end - begin) / static_cast<double>(steps);
}

}  // namespace benchbench::test::bursts
