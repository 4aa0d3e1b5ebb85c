// What a supply owes its users where batches come in an order, in epochs and in sizes of the
// loader's own.
#include <catch2/catch.hpp>

#include <functional>

#include "harness/record/keys.h"
#include "tests/known_answer/hand_over.h"
#include "tests/known_answer/queue/own_trial.h"

namespace benchbench::test {
namespace own_order_scenes {

// Batches of these rows, one epoch after the other.
struct OwnOrder {
  std::vector<std::uint32_t> rows = {5, 7, 2};
  std::uint32_t most = 7;
  std::uint64_t samples = 14;
  BatchNumber skip = ~BatchNumber{0};  // this batch has the number of the one after it
  bool with_ids = false;
  Nanoseconds wait{0};                        // for each batch
  std::optional<Nanoseconds> epoch_gap = {};  // as a process of the loader's own measured it
};

class OwnOrderSource final : public BatchSource {
 public:
  OwnOrderSource(const OwnOrder& order, const BatchSpec& spec, Runtime& runtime)
      : order_(order), spec_(spec), runtime_(runtime), values_(64, std::byte{3}) {}
  SourceBatch next() override {
    if (order_.wait.count() > 0) runtime_.spend(order_.wait, Spend::sleep);
    const std::uint32_t rows = order_.rows[made_ % order_.rows.size()];
    SourceBatch batch{.tensors = {},
                      .tensor_count = 1,
                      .samples = rows,
                      .ids = {},
                      .epoch = made_ / order_.rows.size(),
                      .batch = made_};
    if (made_ == order_.skip) ++batch.batch;
    if (order_.with_ids)
      batch.ids = std::span(kIds).first(std::min<std::size_t>(rows, std::size(kIds)));
    batch.tensors[0] = {.spec = spec_.tensor[0], .rows = rows, .data = values_.data()};
    ++made_;
    return batch;
  }
  void give_back(const SourceBatch&) noexcept override {}
  void stop() noexcept override {}
  std::uint64_t made() const noexcept override { return made_; }
  std::optional<Nanoseconds> cpu_time() const noexcept override { return std::nullopt; }

 private:
  static constexpr SampleId kIds[] = {0, 1, 2, 3, 4, 5, 6, 7};
  const OwnOrder order_;
  const BatchSpec spec_;
  Runtime& runtime_;
  std::vector<std::byte> values_;
  BatchNumber made_ = 0;
};

class OwnOrderLoader final : public Loader {
 public:
  explicit OwnOrderLoader(const OwnOrder& order) : order_(order) {}
  Layout layout() const override { return {order_.samples, {}, {}}; }
  BatchSpec spec() const override {
    BatchSpec spec;
    spec.tensor[spec.count++] = {.name = "x", .dtype = DType::uint8, .row = {}};
    return spec;
  }
  std::uint32_t own_rows() const noexcept override { return order_.most; }
  std::unique_ptr<BatchSource> source(const SourceContext& context) override {
    return std::make_unique<OwnOrderSource>(order_, spec(), context.runtime);
  }
  std::optional<ExternalResult> external_result() override {
    if (!order_.epoch_gap) return std::nullopt;
    ExternalResult result;
    result.epoch_gap_ns = order_.epoch_gap->count();
    return result;
  }
  std::unique_ptr<LoaderWorker> worker(WorkerNumber, Runtime&) override {
    struct Rows final : LoaderWorker {
      void fill(const BatchRequest& request, StageMeter&) override {
        CHECK(request.rows.count() == 7);
        for (std::size_t i = 0; i < request.rows.count(); ++i)
          *request.rows.row(0, i) = std::byte{9};
      }
    };
    return std::make_unique<Rows>();
  }

 private:
  const OwnOrder order_;
};

// Asked for an order, it fails.
struct NeverAsked final : Sampler {
  explicit NeverAsked(std::uint64_t its_samples) : samples(its_samples) {}
  std::uint64_t samples_per_epoch() const noexcept override { return samples; }
  void begin(Epoch, std::span<SampleId>) override { throw PartError("the sampler was asked"); }
  std::uint64_t samples;
};

struct GotBatch {
  std::uint64_t rows;
  Epoch epoch;
  bool operator==(const GotBatch&) const = default;
};

std::vector<GotBatch> first_batches(const OwnOrder& order, std::uint64_t count,
                                    std::uint32_t batch_size = 4) {
  return in_virtual_time([&](Runtime& runtime) {
    OwnOrderLoader loader(order);
    NeverAsked sampler(order.samples);
    const auto device = make_cpu_device();
    Supply supply({.num_workers = 2,
                   .batch_size = batch_size,
                   .max_jobs = 4,
                   .drop_last = true,
                   .meters = {}},
                  loader, sampler, *device, runtime);
    supply.start();
    std::vector<GotBatch> got;
    for (std::uint64_t i = 0; i < count; ++i) {
      const BatchLease lease = supply.get({});
      got.push_back({lease.samples().value, lease.epoch()});
    }
    supply.stop();
    return got;
  });
}

std::string error_in(const OwnOrder& order) {
  try {
    first_batches(order, 6);
  } catch (const Error& e) {
    return std::string(e.message());
  }
  return "nothing was thrown";
}

TEST_CASE("own order: batches come as the loader makes them, and no sampler is asked",
          "[known_answer][queue]") {
  const std::vector<GotBatch> expected{{5, 0}, {7, 0}, {2, 0}, {5, 1}, {7, 1}, {2, 1}};
  CHECK(first_batches({}, 6) == expected);
  CHECK(first_batches({}, 6, 1000) == expected);  // drop_last of the harness's would leave no batch
}

TEST_CASE("own order: so many samples as no order could be held of cost nothing",
          "[known_answer][queue]") {
  CHECK(first_batches({.samples = std::uint64_t{1} << 60}, 1).size() == 1);
}

TEST_CASE(
    "own order: more rows than there is room for, none, a batch left out or ids end the trial",
    "[known_answer][queue]") {
  CHECK(error_in({}) == "nothing was thrown");
  CHECK(error_in({.rows = {5, 8}}) == "batch 1 has 8 samples in 1 tensors; expected 1 to 7 in 1");
  CHECK(error_in({.rows = {5, 0}}) == "batch 1 has 0 samples in 1 tensors; expected 1 to 7 in 1");
  CHECK(error_in({.skip = 3}) == "the loader delivered batch 4 instead of batch 3");
  CHECK(error_in({.with_ids = true}).find("batch 0 has 5 samples") == 0);
}

OwnOrder order_of_trial;  // what the loader "own" of the catalogue below does

TrialRecord run_own_order(const OwnOrder& order, std::string_view loader,
                          TrialOfMocks::Changes changes, std::string_view prototype = {}) {
  order_of_trial = order;
  const auto make = [](const LoaderContext&) -> std::unique_ptr<Loader> {
    return std::make_unique<OwnOrderLoader>(order_of_trial);
  };
  return run_own(make, loader, changes, prototype);
}

TEST_CASE("own order: a whole trial counts the rows that came, and no order is judged",
          "[known_answer][queue]") {
  const TrialRecord record = run_own_order({}, "own",
                                           {{"loader.access", "random"},
                                            {"loader.pin_memory", "true"},
                                            {"loader.dispatch", "round_robin"}});
  INFO(words_of(record));
  CHECK(record.status == Status::valid);
  const Facts& f = record.facts;
  CHECK(f.window.samples > 0);
  const double rows = static_cast<double>(f.window.samples) / static_cast<double>(f.window.steps);
  CHECK(rows == Approx(14.0 / 3).margin(0.5));
  CHECK(f.accounting.issued == 0);
  CHECK_FALSE(f.shuffle.displacement.has_value());
  CHECK(words_of(record).find("conservation (R01) was not measured") != std::string::npos);
  // The loader's pinning is its own matter.
  CHECK(words_of(record).find("ignores loader.dispatch\n") != std::string::npos);
}

TEST_CASE("own order: mode trainer repeats a batch of the loader's own size",
          "[known_answer][queue]") {
  const TrialRecord record =
      run_own_order({}, "cached_batch", {{"loader.batch_size", "64"}}, "own");
  INFO(words_of(record));
  CHECK(record.status == Status::valid);
  CHECK(record.facts.window.samples == 7 * record.facts.window.steps);
}

TEST_CASE("own order: the gap between epochs is what passes beyond the wait for any batch",
          "[known_answer][queue]") {
  const Nanoseconds wait = std::chrono::microseconds{300};
  const auto gap_of = [&](Nanoseconds measured) {
    const TrialRecord record = run_own_order({.wait = wait, .epoch_gap = measured}, "own", {});
    INFO(words_of(record));
    REQUIRE(record.status == Status::valid);
    const StageTotal& waits =
        record.facts.window.stages[static_cast<std::size_t>(Stage::get_blocked)];
    REQUIRE(waits.count > 0);
    const std::int64_t mean = waits.ns / static_cast<std::int64_t>(waits.count);
    CHECK(mean >= wait.count());
    return std::pair(record.facts.epochs.gap_ns,
                     std::max<std::int64_t>(0, measured.count() - mean));
  };
  const auto [long_gap, expected] = gap_of(std::chrono::milliseconds{50});
  CHECK(long_gap == expected);
  CHECK(gap_of(std::chrono::microseconds{100}).first == 0);
}

}  // namespace own_order_scenes
}  // namespace benchbench::test
