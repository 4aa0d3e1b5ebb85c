#include <catch2/catch.hpp>
#include <cmath>

#include "tests/unit/mocks/loader_bench.h"

namespace benchbench::faulty_loader_test {

using namespace benchbench::test;

constexpr std::int64_t kMs = 1'000'000;

TEST_CASE("faulty loader: without a fault it is the synthetic one, to the nanosecond",
          "[unit][mocks]") {
  const Given given = {
      {"sample_time", "1ms"}, {"batch_time", "2ms"}, {"distribution", "exponential"}};
  MadeLoader faulty("faulty", given);
  MadeLoader well("synthetic", given);
  const auto one = fill_all(faulty, 2, 50);
  const auto two = fill_all(well, 2, 50);
  for (std::size_t i = 0; i < 50; ++i) {
    CHECK(one[i].batch == two[i].batch);
    CHECK(one[i].at == two[i].at);
  }
}

TEST_CASE(
    "faulty loader: a lock of l lets W workers make 1/l batches a second, however many they are",
    "[unit][mocks]") {
  for (const std::uint32_t workers : {1u, 2u, 5u}) {
    MadeLoader made("faulty", {{"lock_time", "10ms"}, {"batch_time", "6ms"}});
    const auto seen = fill_all(made, workers, 40);
    INFO(workers << " workers");
    // Alone a batch takes 16 ms; two hide each other's 6 ms, and more change nothing.
    CHECK(seen.back().at == (workers == 1 ? 40 * 16 * kMs : (40 * 10 + 6) * kMs));
  }
}

TEST_CASE("faulty loader: the lock is billed where it is waited for", "[unit][mocks]") {
  MadeLoader made("faulty", {{"lock_time", "10ms"}});
  RememberingMeter meter;
  fill_all(made, 2, 2, &meter);
  CHECK(meter.stages[Stage::decode].count() == (10 + 20) * kMs);
}

TEST_CASE("faulty loader: worker 0 straggles and no other", "[unit][mocks]") {
  MadeLoader made("faulty", {{"straggler", "3.5"}, {"sample_time", "1ms"}, {"batch_time", "2ms"}});
  int straggled = 0;
  for (const Filled& f : fill_all(made, 3, 60)) {
    CHECK(f.took == (f.worker == 0 ? 21 * kMs : 6 * kMs));
    straggled += f.worker == 0;
  }
  CHECK(straggled > 0);
}

TEST_CASE(
    "faulty loader: exactly one of every N samples is slow, "
    "always the same, another with another seed",
    "[unit][mocks]") {
  const Given given = {
      {"sample_time", "1ms"}, {"slow_sample_every", "50"}, {"slow_sample_time", "19ms"}};
  const auto slow_ids = [&](std::uint64_t seed) {
    MadeLoader made("faulty", given, 1, seed);
    std::vector<BatchNumber> ids;
    for (const Filled& f : fill_all(made, 1, 5000)) {
      CHECK((f.took == kMs || f.took == 20 * kMs));
      if (f.took > kMs) ids.push_back(f.batch);
    }
    return ids;
  };
  const auto ids = slow_ids(0);
  REQUIRE(ids.size() == 100);
  bool equally_far = true;
  for (std::size_t i = 0; i < 100; ++i) {
    CHECK(ids[i] / 50 == i);
    if (i > 0) equally_far = equally_far && ids[i] - ids[i - 1] == 50;
  }
  CHECK_FALSE(equally_far);
  CHECK(slow_ids(0) == ids);
  CHECK(slow_ids(1) != ids);
}

TEST_CASE("faulty loader: each of its timing faults is gone with its substitution",
          "[unit][mocks]") {
  const Given well = {{"sample_time", "1ms"}};
  const std::map<Component, Given> faults = {
      {Component::lock, {{"lock_time", "5ms"}}},
      {Component::straggler, {{"straggler", "4"}}},
      {Component::tail, {{"slow_sample_every", "10"}, {"slow_sample_time", "50ms"}}}};
  const auto end_of = [](const Given& given) {
    MadeLoader made("faulty", given);
    return fill_all(made, 2, 40).back().at;
  };
  const auto& substitutions =
      built_in_catalog().find(PartKind::loader, "faulty")->description->substitutions;
  for (const auto& [component, fault] : faults) {
    INFO(name_of(component));
    Given given = well;
    given.insert(fault.begin(), fault.end());
    CHECK(end_of(given) > end_of(well));
    for (const Substitution& s : substitutions)
      if (s.component == component)
        for (const Change& change : s.changes) given[std::string(change.key)] = change.value;
    CHECK(end_of(given) == end_of(well));
  }
}

std::vector<std::vector<std::byte>> filled_by(const Given& given, BatchNumber batch,
                                              RememberingMeter& meter) {
  MadeLoader made("faulty", given);
  const auto runtime = make_simulated_runtime();
  Slot slot(made.loader->spec(), 4);
  for (auto& tensor : slot.memory) std::fill(tensor.begin(), tensor.end(), std::byte{0x77});
  const auto refs = samples_from(8, 4);
  run_simulated(*runtime, [&] {
    made.loader->worker(0, *runtime)->fill({0, batch, refs, slot.rows(0, 4)}, meter);
  });
  return slot.memory;
}

TEST_CASE("faulty loader: a short batch leaves rows as they are and names their samples",
          "[unit][mocks]") {
  RememberingMeter meter;
  const Given given = {{"fault", "short_batch"}, {"after", "2"}};
  const auto whole = filled_by(given, 1, meter);
  CHECK(meter.faults.empty());
  const auto half = filled_by(given, 2, meter);
  CHECK(meter.faults == std::vector<std::pair<SampleId, SampleFault>>{
                            {10, SampleFault::short_read}, {11, SampleFault::short_read}});
  const std::size_t middle = half[0].size() / 2;
  CHECK(std::equal(half[0].begin(), half[0].begin() + static_cast<long>(middle), whole[0].begin()));
  CHECK(std::all_of(half[0].begin() + static_cast<long>(middle), half[0].end(),
                    [](std::byte b) { return b == std::byte{0x77}; }));
}

TEST_CASE(
    "faulty loader: wrong content is in the rows and "
    "in the payload it reports, under the right ids",
    "[unit][mocks]") {
  RememberingMeter meter;
  const Given given = {{"fault", "wrong_content"}, {"after", "2"}};
  const auto right = filled_by(given, 1, meter);
  const auto wrong = filled_by(given, 2, meter);
  CHECK(right[0] != wrong[0]);
  CHECK(right[1] == wrong[1]);  // labels
  REQUIRE(meter.payloads.size() == 8);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(meter.payloads[i].first == 8 + i);
    CHECK(meter.payloads[i].first == meter.payloads[4 + i].first);
    CHECK(meter.payloads[i].second != meter.payloads[4 + i].second);
  }
  CHECK(meter.faults.empty());  // it says nothing: somebody has to look
}

TEST_CASE(
    "faulty loader: it throws after the batches it was told, "
    "and a hang in virtual time is a deadlock",
    "[unit][mocks]") {
  RememberingMeter meter;
  CHECK_NOTHROW(filled_by({{"fault", "throw"}, {"after", "5"}}, 4, meter));
  CHECK_THROWS_AS(filled_by({{"fault", "throw"}, {"after", "5"}}, 5, meter), PartError);
  CHECK_THROWS_WITH(filled_by({{"fault", "hang"}, {"after", "0"}}, 0, meter),
                    Catch::Contains("deadlock"));
}

}  // namespace benchbench::faulty_loader_test
