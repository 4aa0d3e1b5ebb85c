// The orders one by one, and how well they are shuffled, where the answer is known.
#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>

#include "harness/core/random.h"
#include "harness/part/catalog.h"
#include "harness/pipeline/epoch_stream.h"
#include "harness/pipeline/sampling/shuffle_quality.h"
#include "harness/record/value.h"

namespace benchbench::test::orders {
namespace {

using Given = std::vector<std::pair<std::string, std::int64_t>>;

class Orders {
 public:
  Orders(std::string_view name, std::uint64_t samples, const Given& given,
         std::span<const std::uint32_t> lengths = {}, std::uint32_t batch = 1,
         std::uint32_t rank = 0, std::uint32_t world = 1) {
    for (const auto& [key, value] : given)
      settings_.set("loader." + key, *Value::parse(ParameterType::integer, std::to_string(value)));
    sampler_ = built_in_catalog()
                   .maker(PartKind::sampler, name)
                   .sampler({.layout = {samples, {}, lengths},
                             .seed = 7,
                             .rank = rank,
                             .world = world,
                             .batch_size = batch,
                             .settings = view_});
  }
  std::vector<SampleId> epoch(Epoch epoch = 0) {
    std::vector<SampleId> order(sampler_->samples_per_epoch());
    sampler_->begin(epoch, order);
    return order;
  }
  Sampler& sampler() { return *sampler_; }

 private:
  SettingsMap settings_;
  PrefixedSettings view_{settings_, "loader."};
  std::unique_ptr<Sampler> sampler_;
};

ShuffleQuality quality(const std::vector<SampleId>& order) {
  return quality_of(order, order.size()).value();
}

std::vector<std::uint32_t> some_lengths(std::uint64_t samples) {
  Random random(3);
  std::vector<std::uint32_t> lengths(samples);
  for (auto& length : lengths) length = 1 + static_cast<std::uint32_t>(random.below(500));
  return lengths;
}

// Of rows padded to the longest of their batch.
double padding_share(const std::vector<SampleId>& order, std::span<const std::uint32_t> lengths,
                     std::size_t batch) {
  double real = 0, padded = 0;
  for (std::size_t first = 0; first + batch <= order.size(); first += batch) {
    std::uint32_t longest = 0;
    for (std::size_t i = first; i < first + batch; ++i)
      longest = std::max(longest, lengths[order[i]]), real += lengths[order[i]];
    padded += static_cast<double>(longest) * static_cast<double>(batch);
  }
  return 1 - real / padded;
}

TEST_CASE("shuffle quality: known orders give known numbers", "[unit][trial]") {
  std::vector<SampleId> order(1000);
  std::iota(order.begin(), order.end(), SampleId{0});
  CHECK(quality(order).displacement == Approx(0).margin(1e-12));
  CHECK(quality(order).together == 1);
  std::ranges::reverse(order);  // |999 - 2i| on average is 500, of the random permutation's 333.333
  CHECK(quality(order).displacement == Approx(500 / (999'999 / 3000.0)));
  CHECK(quality(order).together == 0);
  std::ranges::sort(order);
  // All are one place away.
  for (std::size_t i = 0; i < order.size(); i += 2) std::swap(order[i], order[i + 1]);
  CHECK(quality(order).displacement == Approx(1 / (999'999 / 3000.0)));
  CHECK(quality(order).together == 0);
  CHECK_FALSE(quality_of(std::span(order).first(1), 1));
  // 1 each; on average over both orders 1/2.
  CHECK(quality_of(std::vector<SampleId>{1, 0}, 2)->displacement == Approx(2));
}

TEST_CASE("shuffle quality: random is 1 and a place in N stays, on average over epochs",
          "[unit][trial]") {
  Orders random("random", 2000, {});
  double displacement = 0, together = 0;
  for (Epoch epoch = 0; epoch < 50; ++epoch) {
    const ShuffleQuality q = quality(random.epoch(epoch));
    displacement += q.displacement / 50;
    together += q.together / 50;
  }
  // Of one permutation the standard error is some 0.014; of 50, 0.002. Poisson: 50 pairs in 50
  // epochs, +- 7.
  CHECK(displacement == Approx(1).margin(0.01));
  CHECK(together == Approx(1 / 2000.0).margin(4 * std::sqrt(50.0) / 50 / 2000));
}

TEST_CASE(
    "shuffle quality: a rank's share of the storage order is displaced nowhere, "
    "and its neighbours are gone",
    "[unit][trial]") {
  Orders rank("sequential", 1000, {}, {}, 1, 1, 4);
  const auto q = quality_of(rank.epoch(), 1000).value();
  CHECK(q.displacement == Approx(0).margin(0.002));
  CHECK(q.together == 0);
}

TEST_CASE("shuffle quality: of more than a million places enough are looked at", "[unit][trial]") {
  std::vector<SampleId> order(2'500'001);
  std::iota(order.begin(), order.end(), SampleId{0});
  CHECK(quality(order).displacement == Approx(0).margin(1e-9));
  CHECK(quality(order).together == 1);
  Random random(1);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  CHECK(quality(order).displacement == Approx(1).margin(0.005));
}

TEST_CASE("sampler shuffle_buffer: no sample comes before the buffer has seen it",
          "[unit][trial]") {
  for (const std::int64_t size : {1, 2, 10, 100, 5000}) {
    Orders orders("shuffle_buffer", 2000, {{"buffer_size", size}});
    const auto order = orders.epoch();
    for (std::size_t i = 0; i < order.size(); ++i)
      REQUIRE(order[i] < i + static_cast<std::size_t>(size));
    if (size == 1) CHECK(std::ranges::is_sorted(order));
    if (size == 10) {
      // Each stays in the buffer for 10 more on average, geometrically: mean |place - id| of a
      // known law is near 10.
      CHECK(quality(order).displacement == Approx(9 * 3.0 / 2000 * 0.77).epsilon(0.25));
      CHECK(quality(order).together < 0.2);
    }
    if (size == 5000) CHECK(quality(order).displacement == Approx(1).margin(0.06));
  }
}

TEST_CASE(
    "sampler block_shuffle: a window's blocks come together, and samples of a block within it",
    "[unit][trial]") {
  constexpr std::uint64_t kBlock = 10, kWindow = 4, kSamples = 1005;  // the last block is short
  Orders orders("block_shuffle", kSamples, {{"block_size", kBlock}, {"window", kWindow}});
  const auto order = orders.epoch();
  std::vector<std::size_t> first(101, ~std::size_t{0}), last(101, 0);
  for (std::size_t i = 0; i < order.size(); ++i) {
    first[order[i] / kBlock] = std::min(first[order[i] / kBlock], i);
    last[order[i] / kBlock] = std::max(last[order[i] / kBlock], i);
  }
  for (std::size_t block = 0; block < first.size(); ++block)
    CHECK(last[block] - first[block] < kBlock * kWindow);
  CHECK(quality(order).displacement == Approx(1).margin(0.2));
  CHECK(quality(order).together < 0.1);
  Orders alone("block_shuffle", kSamples, {{"block_size", 1000}, {"window", 1}});
  CHECK(quality(alone.epoch()).displacement == Approx(1).margin(0.1));
}

TEST_CASE(
    "sampler bucket_by_length: batches of about one length, "
    "in random order, and hardly any padding",
    "[unit][trial]") {
  const auto lengths = some_lengths(3217);
  Orders bucket("bucket_by_length", lengths.size(), {{"bucket_batches", 50}}, lengths, 16);
  Orders random("random", lengths.size(), {});
  const auto order = bucket.epoch();
  CHECK(padding_share(random.epoch(), lengths, 16) > 0.4);
  CHECK(padding_share(order, lengths, 16) < 0.03);
  CHECK(quality(order).displacement == Approx(1).margin(0.05));
  std::vector<std::uint32_t> longest;  // of each batch: neither rising nor falling
  for (std::size_t first = 0; first + 16 <= order.size(); first += 16)
    longest.push_back(lengths[order[first]]);
  std::size_t rises = 0;
  for (std::size_t i = 1; i < longest.size(); ++i) rises += longest[i] > longest[i - 1];
  CHECK(std::abs(static_cast<double>(rises) / static_cast<double>(longest.size()) - 0.5) < 0.12);
}

TEST_CASE("sampler bucket_by_length: a larger pool pads less, and one batch a pool is random",
          "[unit][trial]") {
  const auto lengths = some_lengths(4096);
  const auto padding = [&](std::int64_t pool) {
    Orders orders("bucket_by_length", lengths.size(), {{"bucket_batches", pool}}, lengths, 32);
    return padding_share(orders.epoch(), lengths, 32);
  };
  CHECK(padding(1) > 0.4);
  CHECK(padding(4) < padding(1));
  CHECK(padding(64) < padding(4));
}

TEST_CASE(
    "sampler bucket_by_length: what drop_last leaves out are random samples, others each epoch",
    "[unit][trial]") {
  auto lengths = some_lengths(1000);
  std::ranges::sort(lengths);
  Orders orders("bucket_by_length", lengths.size(), {{"bucket_batches", 100}}, lengths, 32);
  double mean = 0;
  std::vector<SampleId> before;
  for (Epoch epoch = 0; epoch < 200; ++epoch) {
    const auto order = orders.epoch(epoch);
    const std::vector<SampleId> tail(order.end() - 1000 % 32, order.end());
    CHECK(tail != before);
    before = tail;
    for (const SampleId id : tail) mean += static_cast<double>(id) / 200 / (1000 % 32);
  }
  CHECK(mean == Approx(499.5).margin(60));  // 1600 draws of a uniform place: +- 7.2
  EpochStream stream(orders.sampler(), 32, true, 0);
  CHECK(stream.batches_per_epoch() == 31);
}

TEST_CASE("sampler bucket_by_length: ranks have batches alike long at the same step",
          "[unit][trial]") {
  const auto lengths = some_lengths(2100);
  Orders one("bucket_by_length", lengths.size(), {{"bucket_batches", 20}}, lengths, 8, 0, 4);
  Orders other("bucket_by_length", lengths.size(), {{"bucket_batches", 20}}, lengths, 8, 3, 4);
  const auto a = one.epoch(1), b = other.epoch(1);
  double apart = 0;
  for (std::size_t i = 0; i < 65 * 8; ++i)
    apart += std::abs(1.0 * lengths[a[i]] - lengths[b[i]]) / (65 * 8);
  CHECK(apart < 10);  // of lengths to 500, which lie 167 apart on average
}

}  // namespace
}  // namespace benchbench::test::orders
