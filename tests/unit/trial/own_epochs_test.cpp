// Which steps of a loader's own epochs are left out.
#include "harness/trial/external/own_epochs.h"

#include <catch2/catch.hpp>
#include <vector>

namespace benchbench::own_epochs_test {
namespace {

// The steps that are counted, by their place in their epoch from 1, of `epochs` epochs of `batches` each.
std::vector<std::uint64_t> counted_places(OwnEpochs& epochs, std::uint64_t count, std::uint64_t batches) {
  std::vector<std::uint64_t> places;
  for (std::uint64_t step = 0; step < count * batches; ++step) {
    const bool left_out = epochs.left() > 0;
    epochs.stepped(step + 1, step / batches * batches);
    if (!left_out && !epochs.just_began()) places.push_back(step % batches + 1);
  }
  return places;
}

}  // namespace

TEST_CASE("own epochs: after each start what was prefetched, and one batch of each worker more, is left out", "[unit][trial]") {
  OwnEpochs epochs(2, 4);
  CHECK(counted_places(epochs, 2, 9) == std::vector<std::uint64_t>{7, 8, 9, 7, 8, 9});
  CHECK_FALSE(epochs.short_epochs());
  CHECK(epochs.notice().empty());
  CHECK(epochs.leaves_out_pauses());
}

TEST_CASE("own epochs: without workers the first batch of each, with the pause before it", "[unit][trial]") {
  OwnEpochs epochs(0, 0);
  CHECK(counted_places(epochs, 2, 3) == std::vector<std::uint64_t>{2, 3, 2, 3});
  CHECK(epochs.group() == 1);
}

// The first epoch is not known to be short before it has ended.
TEST_CASE("own epochs: short ones leave out fewer, and say so", "[unit][trial]") {
  OwnEpochs epochs(2, 4);
  CHECK(counted_places(epochs, 2, 7) == std::vector<std::uint64_t>{7, 6, 7});
  CHECK(epochs.leaves_out_pauses());
  CHECK(epochs.notice() == "an epoch has 7 batches: the first 5 of each are discarded, not 6 as prefetching asks for");
}

TEST_CASE("own epochs: where nothing would be left all is counted, and that is said", "[unit][trial]") {
  OwnEpochs epochs(2, 4);
  CHECK(counted_places(epochs, 3, 2) == std::vector<std::uint64_t>{2, 1, 2});
  CHECK_FALSE(epochs.leaves_out_pauses());
  CHECK(epochs.notice() ==
        "an epoch has 2 batches, too few to leave out the pause between two with 2 workers: it is part of the rate");
}

}  // namespace benchbench::own_epochs_test
