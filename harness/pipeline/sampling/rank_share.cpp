#include "harness/pipeline/sampling/rank_share.h"

#include <fmt/format.h>

#include "harness/core/error.h"

namespace benchbench {

RankShare::RankShare(const SamplerContext& context)
    : all_(context.layout.samples),
      first_(context.first),
      rank_(context.rank),
      world_(context.world),
      samples_(0) {
  if (world_ == 0 || rank_ >= world_)
    throw PartError(fmt::format("rank {} of {} ranks does not exist", rank_, world_));
  samples_ = all_ / world_;
  if (all_ == 0) throw PartError("the dataset has no samples");
  if (first_ >= all_)
    throw PartError(fmt::format("storage order cannot start at sample {} of {}", first_, all_));
  if (samples_ == 0)
    throw PartError(fmt::format("{} samples cannot be shared among {} ranks", all_, world_));
}

}  // namespace benchbench
