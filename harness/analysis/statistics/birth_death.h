// The birth–death chain of a line with exponential times, shared dispatch, handed over in any
// order. Its state is how many batches are made and not yet done with by the trainer, the one in
// its step included.
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

namespace benchbench {

struct ChainAnswer {
  double throughput = 0;     // batches per unit of time
  double starved_share = 0;  // of the trainer's time: it waits for a batch
  double blocked_share = 0;  // of each worker's time: it waits for a credit
};

// States 0..last; `busy(k)` workers make a batch each while k are made and not done with.
inline ChainAnswer solve_chain(std::uint32_t workers, std::uint32_t last, double make, double step,
                               const std::function<std::uint32_t(std::uint32_t)>& busy) {
  std::vector<double> p(last + 1, 1);
  double sum = 1;
  for (std::uint32_t k = 1; k <= last; ++k) sum += p[k] = p[k - 1] * (busy(k - 1) / make) * step;
  ChainAnswer answer;
  answer.starved_share = p[0] / sum;
  answer.throughput = (1 - answer.starved_share) / step;
  for (std::uint32_t k = 0; k <= last; ++k)
    answer.blocked_share += p[k] / sum * (workers - busy(k)) / workers;
  return answer;
}

// A credit is taken before a batch is begun and comes back when the trainer gets it: k batches
// leave n+1-k credits, the one in the step having given its own back; at k = 0 nothing is in a
// step, and all n are there.
inline ChainAnswer chain_with_credits(std::uint32_t workers, std::uint32_t credits, double make,
                                      double step) {
  return solve_chain(workers, credits + 1, make, step, [=](std::uint32_t k) {
    return std::min(workers, k == 0 ? credits : credits + 1 - k);
  });
}

}  // namespace benchbench
