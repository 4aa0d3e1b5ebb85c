#include "harness/analysis/external/delivery.h"

#include <algorithm>
#include <deque>

namespace benchbench {
namespace {

constexpr std::size_t kLeastTimes = 32;
constexpr std::size_t kTimesOver = 4;

class Delivery {
 public:
  Delivery(const MadeTimes& made, const DeliverySettings& settings, double trainer_ms)
      : times_(made), workers_(made.streams ? made.of_each.size() : std::max(1u, settings.workers)), prefetch_(std::max(1u, settings.prefetch)),
        trainer_ms_(trainer_ms), in_order_(settings.in_order), free_(workers_), made_(workers_) {}

  double step_ms() {
    for (std::size_t i = 0; i < prefetch_ * workers_; ++i) ask(i % workers_, 0);
    const std::size_t first = prefetch_ * workers_, steps = first + kTimesOver * times_.all.size();
    double now = 0, from = 0;
    for (std::size_t step = 0; step < steps; ++step) {
      if (step == first) from = now;
      const auto next = in_order_ ? asked_.begin() : std::ranges::min_element(asked_, {}, &Batch::ready);
      const std::size_t worker = next->worker;
      now = std::max(now, next->ready);
      asked_.erase(next);
      ask(in_order_ ? (first + step) % workers_ : worker, now);
      now += trainer_ms_;
    }
    return (now - from) / static_cast<double>(steps - first);
  }

 private:
  struct Batch {
    std::size_t worker = 0;
    double ready = 0;
  };

  void ask(std::size_t worker, double at) {
    const auto& times = times_.streams ? times_.of_each[worker] : times_.all;
    std::size_t& number = times_.streams ? made_[worker] : number_;
    free_[worker] = std::max(free_[worker], at) + times[number++ % times.size()];
    asked_.push_back({worker, free_[worker]});
  }

  const MadeTimes& times_;
  const std::size_t workers_, prefetch_;
  const double trainer_ms_;
  const bool in_order_;
  std::vector<double> free_;
  std::vector<std::size_t> made_;
  std::size_t number_ = 0;
  std::deque<Batch> asked_;
};

}  // namespace

std::optional<MadeTimes> made_times(const ExternalFacts& e) {
  MadeTimes m{{}, {}, e.streams.value_or(false)};
  std::size_t most = 0;
  for (const ExternalWorker& w : e.workers) {
    if (w.made_ns.empty() && m.streams) continue;   // one without data
    auto& times = m.of_each.emplace_back();
    for (const std::int64_t ns : w.made_ns) times.push_back(std::max(0.0, static_cast<double>(ns) * 1e-6));
    most = std::max(most, times.size());
  }
  for (std::size_t turn = 0; turn < most; ++turn)
    for (const auto& times : m.of_each)
      if (turn < times.size()) m.all.push_back(times[turn]);
  const bool enough = m.all.size() >= kLeastTimes && std::ranges::none_of(m.of_each, &std::vector<double>::empty);
  return enough ? std::optional(std::move(m)) : std::nullopt;
}

double delivered_step_ms(const MadeTimes& made, const DeliverySettings& settings, double trainer_ms) {
  return Delivery(made, settings, trainer_ms).step_ms();
}

}  // namespace benchbench
