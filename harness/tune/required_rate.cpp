#include "harness/tune/required_rate.h"

#include <cmath>

#include "harness/analysis/statistics/difference.h"

namespace benchbench {
namespace {

struct RungLooks {
  double n = 0, mean = 0, squares = 0;  // squares: of the deviations from the mean
};

RungLooks looks_at(std::span<const SupplyLook> looks, std::size_t rung) {
  RungLooks r;
  for (const SupplyLook& l : looks) {
    if (l.rung != rung) continue;
    const double off = l.slower - r.mean;
    ++r.n, r.mean += off / r.n, r.squares += off * (l.slower - r.mean);
  }
  return r;
}

enum class Fed { open, enough, too_little };
struct RungState {
  Fed is = Fed::open;
  bool sure = false;
};

class RungJudge {
 public:
  RungJudge(const RequireProblem& problem, std::span<const SupplyLook> looks)
      : problem_(problem), looks_(looks) {
    freedom_ = kRoundsOfSpread;
    double squares = kRoundsOfSpread * problem.noise * problem.noise;
    for (std::size_t i = 0; i < problem.rates.size(); ++i)
      if (const RungLooks r = looks_at(looks, i); r.n > 1)
        squares += r.squares, freedom_ += r.n - 1;
    spread_ = std::sqrt(squares / freedom_);
  }
  RungState state(std::size_t rung) const {
    constexpr double kRounding = 1e-9;
    const RungLooks r = looks_at(looks_, rung);
    if (r.n == 0) return {};
    const Shift beyond{r.mean - std::log1p(problem_.tolerance) - kRounding,
                       spread_ / std::sqrt(r.n), freedom_, 0};
    const Fed by_mean = beyond.mean <= 0 ? Fed::enough : Fed::too_little;
    if (decide(beyond.interval(kErrorsOfLooks), 0) != Difference::unsure) return {by_mean, true};
    return r.n >= problem_.most_looks ? RungState{by_mean, false} : RungState{};
  }

 private:
  const RequireProblem& problem_;
  std::span<const SupplyLook> looks_;
  double freedom_ = 0, spread_ = 0;
};

void note_sure_ones(const RequireProblem& problem, const RungJudge& judge, RequiredRate& out) {
  for (std::size_t i = 0; i < problem.rates.size(); ++i) {
    const RungState s = judge.state(i);
    if (!s.sure) continue;
    if (s.is == Fed::too_little) out.surely_too_little = i, out.surely_enough.reset();
    if (s.is == Fed::enough && !out.surely_enough) out.surely_enough = i;
  }
}

}  // namespace

RequiredRate required_rate(const RequireProblem& problem, std::span<const SupplyLook> looks) {
  const RungJudge judge(problem, looks);
  RequiredRate out;
  // The first that is enough is one of from..to; `to`: not known to exist.
  std::size_t from = 0, to = problem.rates.size();
  while (from < to) {
    const std::size_t middle = from + (to - from) / 2;
    const RungState s = judge.state(middle);
    if (s.is == Fed::open) {
      out.next = middle;
      break;
    }
    if (s.is == Fed::enough) to = middle, out.enough = middle;
    if (s.is == Fed::too_little) from = middle + 1, out.too_little = middle;
  }
  note_sure_ones(problem, judge, out);
  return out;
}

std::vector<double> supply_ladder(double trainer_rate) {
  constexpr double kFirst = 0.8, kNear = 1.12, kFar = 1.6, kLast = 8;
  std::vector<double> rates;
  for (double share = kFirst; share <= kLast; share *= share < kNear  ? 1.005
                                                       : share < kFar ? 1.02
                                                                      : 1.1)
    rates.push_back(share * trainer_rate);
  return rates;
}

}  // namespace benchbench
