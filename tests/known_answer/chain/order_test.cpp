// What order and dispatch cost eight workers with 16 batches on their way and a trainer that takes
// no time.
#include <catch2/catch.hpp>
#include <cstdio>
#include <queue>

#include "tests/known_answer/chain/batch_means.h"

namespace benchbench::test::order {

constexpr std::uint32_t kWorkers = 8, kOutstanding = 16;
constexpr std::uint64_t kStretch =
    5000;  // far beyond what 16 batches remember, and rare tails come often in it
constexpr std::uint64_t kReference = 4'000'000;  // batches of a reference

// The known answer is a recurrence, played for very long with times of its own; it knows neither
// queue nor pool. get(k): when batch k is got, which is when batch k + 16 is given out.
class Reference {
 public:
  explicit Reference(Times make) : make_(std::move(make)) {}

  // ready[k] = p[k] + max(ready[k-W], get[k-n]), got in order.
  Estimate round_robin_in_order() {
    return play([this](std::uint64_t k) {
      ready(k) = make_() + std::max(k >= kWorkers ? ready(k - kWorkers) : 0, given_out(k));
      return std::max(last_get_, ready(k));
    });
  }
  // Whoever is free first takes it.
  Estimate shared_in_order() {
    std::priority_queue<double, std::vector<double>, std::greater<>> free_at;
    for (std::uint32_t w = 0; w < kWorkers; ++w) free_at.push(0);
    return play([&](std::uint64_t k) {
      const double done = make_() + std::max(free_at.top(), given_out(k));
      free_at.pop();
      free_at.push(done);
      return std::max(last_get_, done);
    });
  }
  // Worker k mod W makes it; got as they come: the k-th get is the earliest of those on their way.
  Estimate round_robin_any_order() {
    std::priority_queue<double, std::vector<double>, std::greater<>> on_the_way;
    std::uint64_t issued = 0;
    const auto issue = [&](double now) {
      ready(issued) = make_() + std::max(now, issued >= kWorkers ? ready(issued - kWorkers) : 0);
      on_the_way.push(ready(issued));
      ++issued;
    };
    while (issued < kOutstanding) issue(0);
    return play([&](std::uint64_t) {
      const double now = on_the_way.top();
      on_the_way.pop();
      issue(now);
      return now;
    });
  }

 private:
  double& ready(std::uint64_t k) { return ready_[k % 64]; }
  double given_out(std::uint64_t k) const {
    return k >= kOutstanding ? get_[(k - kOutstanding) % 64] : 0;
  }

  // Throughput of the gets by batch means.
  template <class Get>
  Estimate play(Get&& get) {
    std::vector<double> steps, time;
    double begin = 0;
    for (std::uint64_t k = 0; k < kReference; ++k) {
      last_get_ = get_[k % 64] = get(k);
      if ((k + 1) % (4 * kStretch) != 0) continue;
      steps.push_back(4 * kStretch);
      time.push_back(last_get_ - begin);
      begin = last_get_;
    }
    return ratio(steps, time);
  }

  Times make_;
  double ready_[64] = {}, get_[64] = {};
  double last_get_ = 0;
};

// 2 % of the batches take 20 times as long; the mean is 1 whatever `base` draws with mean 1.
Times with_tail(Times base, std::uint64_t seed) {
  return [base = std::move(base), random = Random(seed)]() mutable {
    const double slower = random.uniform() < 0.02 ? 20 : 1;
    return base() * slower / (0.98 + 0.02 * 20);
  };
}

Estimate played(Times make, Dispatch dispatch, bool in_order) {
  return measure({.options = {.num_workers = kWorkers,
                              .max_jobs = kOutstanding,
                              .in_order = in_order,
                              .dispatch = dispatch,
                              .meters = {}},
                  .make = std::move(make),
                  .step = no_time(),
                  .steps = (kStretches + kDropped) * kStretch,
                  .read_every = kStretch})
      .throughput;
}

// `known` has two digits.
void judge_order(const char* what, double known, const Estimate& reference,
                 const Estimate& measured) {
  const double share = measured.mean / kWorkers, error = measured.error / kWorkers;
  const double of_reference = reference.mean / kWorkers, its_error = reference.error / kWorkers;
  std::printf("%-40s known %.2f, recurrence %.4f +- %.4f, measured %.4f +- %.4f\n", what, known,
              of_reference, its_error, share, error);
  INFO(what << ": known " << known << ", recurrence " << of_reference << " +- " << its_error
            << ", measured " << share << " +- " << error);
  CHECK(std::abs(of_reference - known) <= 0.005 + 3 * its_error);
  CHECK(std::abs(share - of_reference) <= 3 * std::hypot(error, its_error));
}

TEST_CASE("exponential times: what order and dispatch cost eight workers",
          "[known_answer][chain]") {
  const auto drawn = [](std::uint64_t seed) { return exponential(1, mix_seed(20261105, seed)); };
  judge_order("round robin, in order", 0.61, Reference(drawn(1)).round_robin_in_order(),
              played(drawn(11), Dispatch::round_robin, true));
  judge_order("shared, in order", 0.72, Reference(drawn(2)).shared_in_order(),
              played(drawn(12), Dispatch::shared, true));
  judge_order("round robin, any order", 0.81, Reference(drawn(3)).round_robin_any_order(),
              played(drawn(13), Dispatch::round_robin, false));
  // Nobody ever waits: the rate is W over the mean, and only the draws' own spread is left.
  judge_order("shared, any order", 1.00, {kWorkers, 0}, played(drawn(14), Dispatch::shared, false));
  judge_order("least loaded, any order", 1.00, {kWorkers, 0},
              played(drawn(15), Dispatch::least_loaded, false));
}

TEST_CASE("a tail of 2 % that takes 20 times as long, round robin in order",
          "[known_answer][chain]") {
  const auto constant = [](std::uint64_t seed) {
    return with_tail([] { return 1.0; }, mix_seed(20261106, seed));
  };
  const auto random = [](std::uint64_t seed) {
    return with_tail(exponential(1, mix_seed(20261107, seed)), mix_seed(20261108, seed));
  };
  judge_order("tail, constant times", 0.42, Reference(constant(1)).round_robin_in_order(),
              played(constant(2), Dispatch::round_robin, true));
  judge_order("tail, exponential times", 0.34, Reference(random(1)).round_robin_in_order(),
              played(random(2), Dispatch::round_robin, true));
}

}  // namespace benchbench::test::order
