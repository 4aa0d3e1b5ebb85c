#include <catch2/catch.hpp>
#include <numeric>
#include <set>

#include "harness/core/error.h"
#include "harness/part/catalog.h"
#include "harness/pipeline/epoch_stream.h"
#include "harness/record/value.h"

namespace benchbench::test {
namespace sampling {

std::unique_ptr<Sampler> sampler(std::string_view name, std::uint64_t samples,
                                 std::uint64_t seed = 0, std::uint32_t rank = 0,
                                 std::uint32_t world = 1) {
  static const SettingsMap none;
  static const PrefixedSettings settings(none, "loader.");
  return built_in_catalog()
      .maker(PartKind::sampler, name)
      .sampler({.layout = {samples, {}, {}},
                .seed = seed,
                .rank = rank,
                .world = world,
                .settings = settings});
}

std::vector<SampleId> epoch_of(Sampler& sampler, Epoch epoch) {
  std::vector<SampleId> order(sampler.samples_per_epoch());
  sampler.begin(epoch, order);
  return order;
}

std::vector<SampleId> sorted(std::vector<SampleId> ids) {
  std::sort(ids.begin(), ids.end());
  return ids;
}

}  // namespace sampling
using namespace sampling;

TEST_CASE("samplers: every sample exactly once an epoch", "[unit][trial]") {
  for (const char* name : {"sequential", "random"})
    for (const std::uint64_t samples : {1ull, 2ull, 7ull, 1000ull}) {
      const auto s = sampler(name, samples);
      std::vector<SampleId> all(samples);
      std::iota(all.begin(), all.end(), SampleId{0});
      for (const Epoch epoch : {0ull, 1ull, 77ull}) CHECK(sorted(epoch_of(*s, epoch)) == all);
    }
}

TEST_CASE("sampler random: an order of its own for every seed and epoch, the same whenever asked",
          "[unit][trial]") {
  const auto s = sampler("random", 1000, 5);
  const auto first = epoch_of(*s, 0);
  CHECK(epoch_of(*s, 1) != first);
  CHECK(epoch_of(*s, 0) == first);
  CHECK(epoch_of(*sampler("random", 1000, 5), 0) == first);
  CHECK(epoch_of(*sampler("random", 1000, 6), 0) != first);
  CHECK(first != sorted(first));
}

TEST_CASE("sampler random: every place is as likely for a sample", "[unit][trial]") {
  // 8 samples, 8000 epochs: chi-square over the 64 cells with 49 degrees of freedom; 99.99 % point
  // 94.
  const auto s = sampler("random", 8);
  std::vector<double> cells(64, 0);
  for (Epoch epoch = 0; epoch < 8000; ++epoch) {
    const auto order = epoch_of(*s, epoch);
    for (std::size_t place = 0; place < 8; ++place) cells[place * 8 + order[place]] += 1;
  }
  double chi_square = 0;
  for (const double n : cells) chi_square += (n - 1000) * (n - 1000) / 1000;
  CHECK(chi_square < 94);
}

TEST_CASE("samplers: ranks share an epoch without overlap, all alike long", "[unit][trial]") {
  for (const char* name : {"sequential", "random"}) {
    std::set<SampleId> seen;
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
      const auto s = sampler(name, 103, 9, rank, 4);
      CHECK(s->samples_per_epoch() == 25);
      for (const SampleId id : epoch_of(*s, 3)) CHECK(seen.insert(id).second);
    }
    CHECK(seen.size() == 100);
  }
  CHECK_THROWS_AS(sampler("random", 3, 0, 0, 4), PartError);
  CHECK_THROWS_AS(sampler("random", 100, 0, 4, 4), PartError);
  CHECK_THROWS_AS(sampler("sequential", 0), PartError);
}

TEST_CASE("epoch stream: batches, tails and epochs without a gap", "[unit][trial]") {
  const auto s = sampler("sequential", 10);
  SECTION("drop_last") {
    EpochStream stream(*s, 4, true, 0);
    CHECK(stream.batches_per_epoch() == 2);
    CHECK(stream.place(0).tail == 0);
    CHECK(stream.place(1).tail == 2);
    CHECK(stream.place(1).rows == 4);
    CHECK(stream.place(2).epoch == 1);
  }
  SECTION("the last batch is short") {
    EpochStream stream(*s, 4, false, 0);
    CHECK(stream.batches_per_epoch() == 3);
    CHECK(stream.place(2).rows == 2);
    CHECK(stream.place(2).tail == 0);
    std::vector<SampleRef> refs(4);
    std::vector<SampleId> ids(4);
    stream.draw(2, refs, ids);
    CHECK(ids[0] == 8);
    CHECK(ids[1] == 9);
    CHECK(refs[1].id == 9);
  }
  SECTION("an even split has no tail") {
    EpochStream stream(*s, 5, true, 0);
    CHECK(stream.place(1).tail == 0);
    CHECK(stream.batches_per_epoch() == 2);
  }
}

}  // namespace benchbench::test
