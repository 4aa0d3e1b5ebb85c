#include "harness/analysis/rates/delivery.h"

#include <algorithm>
#include <deque>

namespace benchbench {
namespace {

constexpr std::size_t kTimesOver = 4;

class Delivery {
 public:
  Delivery(const MadeTimes& made, const DeliverySettings& settings,
           std::span<const double> trainer_ms)
      : times_(made),
        workers_(made.streams ? made.of_each.size() : std::max(1u, settings.workers)),
        max_jobs_(settings.max_jobs > 0 ? settings.max_jobs
                                        : std::max(1u, settings.prefetch) * workers_),
        dispatch_(settings.dispatch.value_or(settings.in_order ? Dispatch::round_robin
                                                               : Dispatch::least_loaded)),
        trainer_ms_(trainer_ms),
        in_order_(settings.in_order),
        free_(workers_),
        outstanding_(workers_),
        made_(workers_) {}

  double step_ms() {
    for (std::size_t i = 0; i < max_jobs_; ++i) ask(0);
    const std::size_t steps =
        max_jobs_ + kTimesOver * std::max(times_.all.size(), trainer_ms_.size());
    double now = 0, from = 0;
    for (std::size_t step = 0; step < steps; ++step) {
      if (step == max_jobs_) from = now;
      const auto next =
          in_order_ ? asked_.begin() : std::ranges::min_element(asked_, {}, &Batch::ready);
      now = std::max(now, next->ready);
      --outstanding_[next->worker];
      asked_.erase(next);
      ask(now);
      now += trainer_ms_[step % trainer_ms_.size()];
    }
    return (now - from) / static_cast<double>(steps - max_jobs_);
  }

 private:
  struct Batch {
    std::size_t worker = 0;
    double ready = 0;
  };

  void ask(double at) {
    const std::size_t worker = next_worker();
    const auto& times = times_.streams ? times_.of_each[worker] : times_.all;
    std::size_t& number = times_.streams ? made_[worker] : number_;
    free_[worker] = std::max(free_[worker], at) + times[number++ % times.size()];
    asked_.push_back({worker, free_[worker]});
    ++outstanding_[worker];
  }

  // Of those with the fewest batches outstanding the one whose turn is next.
  std::size_t next_worker() {
    if (dispatch_ == Dispatch::shared)
      return static_cast<std::size_t>(std::ranges::min_element(free_) - free_.begin());
    std::size_t next = ++turn_ % workers_;
    for (std::size_t k = 1; dispatch_ == Dispatch::least_loaded && k < workers_; ++k)
      if (const std::size_t other = (turn_ + k) % workers_;
          outstanding_[other] < outstanding_[next])
        next = other;
    return turn_ = next;
  }

  const MadeTimes& times_;
  const std::size_t workers_, max_jobs_;
  const Dispatch dispatch_;
  const std::span<const double> trainer_ms_;
  const bool in_order_;
  std::vector<double> free_;
  std::vector<std::size_t> outstanding_, made_;
  std::size_t number_ = 0, turn_ = workers_ - 1;
  std::deque<Batch> asked_;
};

// Takes one of each in turn, as they were handed out.
std::vector<double> taken_in_turn(const std::vector<std::vector<double>>& of_each) {
  std::vector<double> all;
  for (std::size_t turn = 0, before = 1; before > 0; ++turn) {
    before = 0;
    for (const auto& times : of_each)
      if (turn < times.size()) all.push_back(times[turn]), ++before;
  }
  return all;
}

}  // namespace

std::vector<double> times_in_ms(const std::vector<std::int64_t>& ns, double more) {
  std::vector<double> out;
  for (const std::int64_t each : ns)
    out.push_back(std::max(0.0, 1e-6 * static_cast<double>(each) + more));
  return out;
}

std::optional<MadeTimes> made_times(const ExternalFacts& e) {
  MadeTimes m{{}, {}, e.streams.value_or(false)};
  for (const ExternalWorker& w : e.workers)
    if (!w.made_ns.empty() || !m.streams)  // one of a stream may have no data
      m.of_each.push_back(times_in_ms(w.made_ns));
  m.all = taken_in_turn(m.of_each);
  const bool enough = m.all.size() >= kLeastMadeTimes &&
                      std::ranges::none_of(m.of_each, &std::vector<double>::empty);
  return enough ? std::optional(std::move(m)) : std::nullopt;
}

double delivered_step_ms(const MadeTimes& made, const DeliverySettings& settings,
                         std::span<const double> trainer_ms) {
  return Delivery(made, settings, trainer_ms).step_ms();
}

}  // namespace benchbench
