#include "harness/trial/external/own_epochs.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/units.h"

namespace benchbench {

OwnEpochs::OwnEpochs(std::uint32_t workers, std::uint64_t ahead) noexcept
    : group_(std::max(1u, workers)),
      all_discards_(std::max<std::uint64_t>(1, ahead + workers)),
      discards_(all_discards_) {}

void OwnEpochs::stepped(std::uint64_t steps, std::uint64_t epoch_began) noexcept {
  just_began_ = epoch_began != began_;
  if (just_began_) has_ended(epoch_began - began_);
  began_ = epoch_began;
  in_epoch_ = steps - began_;
}

// Fewer batches than are discarded: fewer are discarded. As benchbench_dl/window.py has it. The
// next epoch is taken to be as long as this one.
void OwnEpochs::has_ended(std::uint64_t batches) noexcept {
  last_ = batches;
  left_out_ = batches > group_;
  discards_ = all_discards_;
  if (batches >= all_discards_ + group_) {
    some_long_ = true;
    return;
  }
  if (left_out_) discards_ = batches - group_ * std::max<std::uint64_t>(1, batches / (2 * group_));
  short_ = {batches, discards_, left_out_};
}

std::string OwnEpochs::notice() const {
  if (!short_epochs()) return "";
  const std::string batches =
      fmt::format("an epoch {} {}", some_long_ ? "had" : "has", counted(short_.batches, "batch"));
  if (short_.left_out)
    return fmt::format("{}: the first {} of {} are discarded, not {} as prefetching asks for",
                       batches, short_.discards, some_long_ ? "the next one" : "each",
                       all_discards_);
  return fmt::format("{}, too few to leave out the pause {} with {}: it is part of the rate",
                     batches, some_long_ ? "after it" : "between two", counted(group_, "worker"));
}

}  // namespace benchbench
