#include <algorithm>
#include <deque>

#include "harness/analysis/external/external_findings.h"

namespace benchbench {
namespace {

constexpr std::size_t kLeastTimes = 32;

// What batches took in the workers, in ms. `all`: in the order in which they were handed out; of a stream each worker has its own.
struct Making {
  std::vector<std::vector<double>> of_each;
  std::vector<double> all;
  bool streams = false;
};

std::optional<Making> making_of(const ExternalFacts& e) {
  Making m{{}, {}, e.streams.value_or(false)};
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
  const bool enough = m.of_each.size() > 1 && m.all.size() >= kLeastTimes && std::ranges::none_of(m.of_each, &std::vector<double>::empty);
  return enough ? std::optional(std::move(m)) : std::nullopt;
}

// torch's loader: each worker is asked for `prefetch` batches ahead, for one more with each that is delivered. In order, the workers
// take turns; else the one that delivered gets the next.
class Delivery {
 public:
  Delivery(const Making& making, std::uint32_t prefetch, double trainer_ms, bool in_order)
      : making_(making), prefetch_(std::max(1u, prefetch)), trainer_ms_(trainer_ms), in_order_(in_order), free_(workers()), made_(workers()) {}

  double step_ms() {
    for (std::size_t i = 0; i < prefetch_ * workers(); ++i) ask(i % workers(), 0);
    const std::size_t first = prefetch_ * workers(), steps = first + 4 * making_.all.size();
    double now = 0, from = 0;
    for (std::size_t step = 0; step < steps; ++step) {
      if (step == first) from = now;
      const auto next = in_order_ ? asked_.begin() : std::ranges::min_element(asked_, {}, &Batch::ready);
      const std::size_t worker = next->worker;
      now = std::max(now, next->ready);
      asked_.erase(next);
      ask(in_order_ ? (first + step) % workers() : worker, now);
      now += trainer_ms_;
    }
    return (now - from) / static_cast<double>(steps - first);
  }

 private:
  struct Batch {
    std::size_t worker = 0;
    double ready = 0;
  };
  std::size_t workers() const noexcept { return making_.of_each.size(); }

  void ask(std::size_t worker, double at) {
    const auto& times = making_.streams ? making_.of_each[worker] : making_.all;
    std::size_t& number = making_.streams ? made_[worker] : number_;
    free_[worker] = std::max(free_[worker], at) + times[number++ % times.size()];
    asked_.push_back({worker, free_[worker]});
  }

  const Making& making_;
  const std::size_t prefetch_;
  const double trainer_ms_;
  const bool in_order_;
  std::vector<double> free_;
  std::vector<std::size_t> made_;
  std::size_t number_ = 0;
  std::deque<Batch> asked_;
};

std::optional<double> gain_ms(const ExternalWindow& w) {
  const auto making = making_of(w.external);
  if (!making || !w.wait_ms) return std::nullopt;
  if (!w.external.in_order.value_or(true)) return 0;
  const double trainer_ms = std::max(0.0, w.step_ms - *w.wait_ms);
  const std::uint32_t prefetch = w.external.prefetch_factor.value_or(2);
  const double in_order = Delivery(*making, prefetch, trainer_ms, true).step_ms();
  if (std::abs(in_order - w.step_ms) > kForetold * w.step_ms) return std::nullopt;
  const double gain = in_order - Delivery(*making, prefetch, trainer_ms, false).step_ms();
  return std::max(0.0, std::min({gain, *w.wait_ms, w.free_of_cores_ms()}));
}

}  // namespace

std::optional<ExternalFinding> uneven_samples(const ExternalScene& scene) {
  auto found = costing(ExternalFault::uneven, scene, gain_ms);
  if (!found || found->share < kUnevenShare) return std::nullopt;
  const ExternalFacts& last = *scene.trial.last()->external;
  if (auto making = making_of(last)) {
    std::ranges::sort(making->all);
    found->median_ms = making->all[(making->all.size() - 1) / 2];
    found->slowest_ms = making->all.back();
  }
  found->can_be_any_order = last.in_order.has_value();
  found->where = place_of_loader(last);
  return found;
}

}  // namespace benchbench
