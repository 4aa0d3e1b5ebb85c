// The assertions on the scenes of hand_over.h, once for both runtimes: `on` plays a scene on one of
// them.
#pragma once
#include <catch2/catch.hpp>
#include <numeric>

#include "tests/known_answer/hand_over.h"

namespace benchbench::test {

inline std::vector<BatchNumber> counted_up(std::size_t count) {
  std::vector<BatchNumber> numbers(count);
  std::iota(numbers.begin(), numbers.end(), BatchNumber{0});
  return numbers;
}

template <class On>
void check_that_credits_hold_workers_back(On on) {
  for (const std::uint32_t max_jobs : {1u, 2u, 5u}) {
    const auto seen =
        on([&](Runtime& runtime) { return begun_while_trainer_stands(runtime, max_jobs); });
    CHECK(seen == std::vector<std::uint64_t>{max_jobs, max_jobs + 1, max_jobs + 1});
  }
}

template <class On>
void check_that_the_first_made_is_the_first_got(On on) {
  for (const bool in_order : {true, false})
    CHECK(on([&](Runtime& runtime) { return order_of_ready_batches(runtime, 6, in_order); }) ==
          counted_up(12));
}

template <class On>
void check_that_a_lease_keeps_its_bytes(On on) {
  for (const std::uint32_t holds : {0u, 2u})
    CHECK(on([&](Runtime& runtime) { return torn_batches(runtime, 3, holds); }) == 0);
}

template <class On>
void check_that_no_wake_up_is_lost(On on) {
  for (const bool in_order : {true, false})
    CHECK(on([&](Runtime& runtime) { return got_by_one_that_waits(runtime, in_order); }) ==
          counted_up(60));
  for (const Dispatch dispatch : {Dispatch::shared, Dispatch::round_robin, Dispatch::least_loaded})
    CHECK(on([&](Runtime& runtime) {
            return gets_with_idle_workers(runtime, dispatch, WorkUnit::batch, 60);
          }) == 60);
  CHECK(on([&](Runtime& runtime) {
          return gets_with_idle_workers(runtime, Dispatch::shared, WorkUnit::sample, 60);
        }) == 60);
}

template <class On>
void check_that_a_throw_ends_it_with_its_cause(On on) {
  for (const bool in_order : {true, false})
    for (const BatchNumber throw_in : {BatchNumber{0}, BatchNumber{7}}) {
      const Accounting accounting = on(
          [&](Runtime& runtime) { return accounting_after_a_throw(runtime, throw_in, in_order); });
      INFO("batch " << throw_in << " throws, in order " << in_order);
      CHECK_THAT(accounting.error, Catch::Contains("the disk is gone"));
      CHECK(accounting.issued == accounting.delivered + accounting.dropped + accounting.in_flight);
      CHECK(accounting.in_flight >= 4);  // the batch that threw is nowhere else
      CHECK(accounting.duplicated == 0);
      CHECK(accounting.missing == 0);
    }
}

}  // namespace benchbench::test
