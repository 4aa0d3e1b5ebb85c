#include "harness/trial/external/own_epochs.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/units.h"

namespace benchbench {

OwnEpochs::OwnEpochs(std::uint32_t workers, std::uint64_t ahead) noexcept
    : group_(std::max(1u, workers)), all_discards_(std::max<std::uint64_t>(1, ahead + workers)), discards_(all_discards_) {}

void OwnEpochs::stepped(std::uint64_t steps, std::uint64_t epoch_began) noexcept {
  just_began_ = epoch_began != began_;
  if (just_began_) has_ended(epoch_began - began_);
  began_ = epoch_began;
  in_epoch_ = steps - began_;
}

// Fewer batches than are discarded: fewer are discarded. As benchbench_child/window.py has it.
void OwnEpochs::has_ended(std::uint64_t batches) noexcept {
  if (batches >= all_discards_ + group_) return;
  batches_ = batches;
  left_out_ = batches > group_;
  if (left_out_) discards_ = batches - group_ * std::max<std::uint64_t>(1, batches / (2 * group_));
}

std::string OwnEpochs::notice() const {
  if (!short_epochs()) return "";
  if (left_out_)
    return fmt::format("an epoch has {}: the first {} of each are discarded, not {} as prefetching asks for",
                       counted(batches_, "batch"), discards_, all_discards_);
  return fmt::format("an epoch has {}, too few to leave out the pause between two with {}: it is part of the rate",
                     counted(batches_, "batch"), counted(group_, "worker"));
}

}  // namespace benchbench
