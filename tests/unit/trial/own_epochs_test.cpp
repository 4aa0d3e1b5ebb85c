// Which steps of a loader's own epochs are left out.
#include "harness/trial/external/own_epochs.h"

#include <catch2/catch.hpp>
#include <vector>

namespace benchbench::own_epochs_test {
namespace {

// The steps that are counted, by their place in their epoch from 1, of epochs of these lengths.
std::vector<std::uint64_t> counted_places(OwnEpochs& epochs,
                                          const std::vector<std::uint64_t>& lengths) {
  std::vector<std::uint64_t> places;
  std::uint64_t began = 0;
  for (const std::uint64_t length : lengths) {
    for (std::uint64_t place = 1; place <= length; ++place) {
      const bool left_out = epochs.left() > 0;
      epochs.stepped(began + place, began);
      if (!left_out && !epochs.just_began()) places.push_back(place);
    }
    began += length;
  }
  return places;
}

std::vector<std::uint64_t> counted_places(OwnEpochs& epochs, std::uint64_t count,
                                          std::uint64_t batches) {
  return counted_places(epochs, std::vector<std::uint64_t>(count, batches));
}

}  // namespace

TEST_CASE(
    "own epochs: after each start what was prefetched, "
    "and one batch of each worker more, is left out",
    "[unit][trial]") {
  OwnEpochs epochs(2, 4);
  CHECK(counted_places(epochs, 2, 9) == std::vector<std::uint64_t>{7, 8, 9, 7, 8, 9});
  CHECK_FALSE(epochs.short_epochs());
  CHECK(epochs.notice().empty());
  CHECK(epochs.leaves_out_pauses());
}

TEST_CASE("own epochs: without workers the first batch of each, with the pause before it",
          "[unit][trial]") {
  OwnEpochs epochs(0, 0);
  CHECK(counted_places(epochs, 2, 3) == std::vector<std::uint64_t>{2, 3, 2, 3});
  CHECK(epochs.group() == 1);
}

// The first epoch is not known to be short before it has ended.
TEST_CASE("own epochs: short ones leave out fewer, and say so", "[unit][trial]") {
  OwnEpochs epochs(2, 4);
  CHECK(counted_places(epochs, 2, 7) == std::vector<std::uint64_t>{7, 6, 7});
  CHECK(epochs.leaves_out_pauses());
  CHECK(epochs.notice() ==
        "an epoch has 7 batches: the first 5 of each are discarded, not 6 as prefetching asks for");
}

TEST_CASE("own epochs: where nothing would be left all is counted, and that is said",
          "[unit][trial]") {
  OwnEpochs epochs(2, 4);
  CHECK(counted_places(epochs, 3, 2) == std::vector<std::uint64_t>{2, 1, 2});
  CHECK_FALSE(epochs.leaves_out_pauses());
  CHECK(epochs.notice() ==
        "an epoch has 2 batches, "
        "too few to leave out the pause between two with 2 workers: it is part of the rate");
}

TEST_CASE("own epochs: one short epoch does not decide for those after it", "[unit][trial]") {
  OwnEpochs epochs(2, 4);
  CHECK(counted_places(epochs, {2, 9, 9}) ==
        std::vector<std::uint64_t>{2, 3, 4, 5, 6, 7, 8, 9, 7, 8, 9});
  CHECK(epochs.leaves_out_pauses());
  CHECK(epochs.short_epochs());
  CHECK(epochs.notice() ==
        "an epoch had 2 batches, "
        "too few to leave out the pause after it with 2 workers: it is part of the rate");
  OwnEpochs others(2, 4);
  CHECK(counted_places(others, {7, 9, 9}) == std::vector<std::uint64_t>{7, 6, 7, 8, 9, 7, 8, 9});
  CHECK(others.notice() ==
        "an epoch had 7 batches: the first 5 of the next one are discarded, "
        "not 6 as prefetching asks for");
}

TEST_CASE("own epochs: they rest where no group more fits into one as long as the last",
          "[unit][trial]") {
  OwnEpochs epochs(2, 4);
  std::vector<std::uint64_t> resting;
  for (std::uint64_t step = 1; step <= 21; ++step) {  // of 9 batches, and of 12
    epochs.stepped(step, step <= 9 ? 0 : 9);
    if (epochs.rests()) resting.push_back(step);
  }
  CHECK(resting == std::vector<std::uint64_t>{9 + 8, 9 + 9});
}

}  // namespace benchbench::own_epochs_test
