// What every sampler of the catalogue must do: a new row is under test at once.
#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <set>

#include "harness/core/error.h"
#include "harness/core/random.h"
#include "harness/part/catalog.h"
#include "harness/record/value.h"

namespace benchbench::test::sampler_contract {
namespace {

struct Order {
  std::uint64_t samples = 0;
  std::uint64_t seed = 0;
  std::uint32_t rank = 0, world = 1;
  std::uint32_t batch = 1;
  std::span<const std::uint32_t> lengths = {};
};

// A sampler with its own defaults, or with every whole-number parameter at `small`: orders of 50
// batches hide in defaults.
class Made {
 public:
  Made(const PartDescription& description, const Order& order, std::optional<int> small = {}) {
    for (const Parameter& p : description.parameters)
      settings_.set(
          "loader." + std::string(p.key),
          *Value::parse(p.type, small && p.type == ParameterType::integer ? std::to_string(*small)
                                                                          : p.standard));
    sampler_ = built_in_catalog()
                   .maker(PartKind::sampler, description.name)
                   .sampler({.layout = {order.samples, {}, order.lengths},
                             .seed = order.seed,
                             .rank = order.rank,
                             .world = order.world,
                             .batch_size = order.batch,
                             .settings = view_});
  }
  std::uint64_t samples() const { return sampler_->samples_per_epoch(); }
  std::vector<SampleId> epoch(Epoch epoch) {
    std::vector<SampleId> order(samples(), ~SampleId{0});
    sampler_->begin(epoch, order);
    return order;
  }

 private:
  SettingsMap settings_;
  PrefixedSettings view_{settings_, "loader."};
  std::unique_ptr<Sampler> sampler_;
};

template <class Use>
void for_each_sampler(Use use) {
  int samplers = 0;
  for (const PartRow& row : built_in_catalog().rows()) {
    if (row.description->kind != PartKind::sampler) continue;
    ++samplers;
    INFO("sampler " << row.description->name);
    use(*row.description);
  }
  REQUIRE(samplers >= 5);
}

std::vector<std::uint32_t> lengths_of(std::uint64_t samples) {
  Random random(samples);
  std::vector<std::uint32_t> lengths(samples);
  for (auto& length : lengths) length = static_cast<std::uint32_t>(random.below(40));
  return lengths;
}

bool is_each_once(std::vector<SampleId> ids, std::uint64_t samples) {
  std::ranges::sort(ids);
  for (std::uint64_t i = 0; i < ids.size(); ++i)
    if (ids[i] != i) return false;
  return ids.size() == samples;
}

TEST_CASE("samplers: every sample exactly once an epoch, at 1 to 2000 samples",
          "[contract][samplers]") {
  for_each_sampler([](const PartDescription& description) {
    for (std::uint64_t samples = 1; samples <= 2000; samples += samples < 70 ? 1 : 61) {
      const auto lengths = lengths_of(samples);
      for (const std::optional<int> small :
           {std::optional<int>{}, std::optional(1), std::optional(3), std::optional(7)}) {
        INFO("samples " << samples << ", parameters " << small.value_or(0));
        Made sampler(description,
                     {.samples = samples,
                      .seed = samples,
                      .batch = 1 + static_cast<std::uint32_t>(samples % 13),
                      .lengths = lengths},
                     small);
        REQUIRE(sampler.samples() == samples);
        for (const Epoch epoch : {0ull, 1ull, 9ull})
          REQUIRE(is_each_once(sampler.epoch(epoch), samples));
      }
    }
  });
}

TEST_CASE("samplers: ranks share an epoch without overlap, all alike long",
          "[contract][samplers]") {
  for_each_sampler([](const PartDescription& description) {
    for (const std::uint64_t samples : {8ull, 103ull, 1000ull, 1999ull})
      for (const std::uint32_t world : {2u, 3u, 8u}) {
        const auto lengths = lengths_of(samples);
        std::set<SampleId> seen;
        for (std::uint32_t rank = 0; rank < world; ++rank) {
          INFO("samples " << samples << ", rank " << rank << " of " << world);
          Made sampler(description, {samples, 5, rank, world, 4, lengths}, 3);
          REQUIRE(sampler.samples() == samples / world);
          for (const SampleId id : sampler.epoch(2)) {
            REQUIRE(id < samples);
            REQUIRE(seen.insert(id).second);
          }
        }
      }
    CHECK_THROWS_AS(Made(description, {.samples = 3, .rank = 0, .world = 4}), PartError);
    CHECK_THROWS_AS(Made(description, {.samples = 100, .rank = 4, .world = 4}), PartError);
    CHECK_THROWS_AS(Made(description, {.samples = 0}), PartError);
  });
}

TEST_CASE("samplers: an epoch's order follows from seed and epoch alone", "[contract][samplers]") {
  for_each_sampler([](const PartDescription& description) {
    const auto lengths = lengths_of(500);
    const Order order{.samples = 500, .seed = 3, .batch = 8, .lengths = lengths};
    Made one(description, order, 5), other(description, order, 5);
    const auto first = one.epoch(0);
    const auto third = one.epoch(3);
    CHECK(one.epoch(0) == first);
    CHECK(other.epoch(3) == third);
    if (std::ranges::is_sorted(first)) return;  // in storage order there is one order only
    CHECK(first != third);
    CHECK(Made(description, {.samples = 500, .seed = 4, .batch = 8, .lengths = lengths}, 5)
              .epoch(0) != first);
  });
}

}  // namespace
}  // namespace benchbench::test::sampler_contract
