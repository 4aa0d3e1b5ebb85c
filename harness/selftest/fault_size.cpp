#include "harness/selftest/fault_size.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "harness/core/error.h"
#include "harness/record/setting_keys.h"
#include "harness/selftest/experiments.h"

namespace benchbench::selftest {
namespace {

constexpr double kNear = 0.05;  // of the share
constexpr int kMaxTrials = 24, kGuesses = 8;

// Two workers hand over in pairs, so a window of n steps is right to one in n of them: 0.05 % here.
const Given kLong{{keys::measure.window_batches, "2000"}};

double step_with(const InjectedFault& fault, const Given& more, const Catalog& catalog) {
  const Given settings = with(with(ground_settings(fault.ground, 0), kLong), more);
  return virtual_step_ms(mock_scenario("size", settings, catalog), catalog);
}

// What a fault costs grows with its size, and mostly in proportion: a guess by proportion, kept
// between sizes known to cost too little and too much. Where it costs nothing up to some size,
// guesses by proportion go to and fro: after a few, the middle is taken.
class Search {
 public:
  Search(const InjectedFault& fault, const Catalog& catalog)
      : fault_(fault), catalog_(catalog), base_(step_with(fault, {}, catalog)) {}

  double share(double size) const {
    return 1 - base_ / step_with(fault_, fault_settings(fault_, size), catalog_);
  }

  double size_for(double wanted) const {
    const double wanted_cost = wanted / (1 - wanted);
    double low = 0, high = std::numeric_limits<double>::infinity(), size = 0.1;
    for (int trials = 0; trials < kMaxTrials; ++trials) {
      const double got = share(size);
      if (std::abs(got - wanted) <= kNear * wanted) return size;
      (got < wanted ? low : high) = size;
      const double guess = got > 0 ? size * wanted_cost * (1 - got) / got : 4 * size;
      const bool guesses = trials < kGuesses || std::isinf(high);
      size = guesses && guess > low && guess < high ? guess
             : std::isinf(high)                     ? 4 * low
                                                    : (low + high) / 2;
    }
    throw PartError(
        fmt::format("no size of {} costs {:.3g} % of the step", fault_.name, 100 * wanted));
  }

 private:
  const InjectedFault& fault_;
  const Catalog& catalog_;
  double base_;
};

}  // namespace

double size_for_share(const InjectedFault& fault, double share, const Catalog& catalog) {
  return Search(fault, catalog).size_for(share);
}

double share_at_size(const InjectedFault& fault, double size, const Catalog& catalog) {
  return Search(fault, catalog).share(size);
}

}  // namespace benchbench::selftest
