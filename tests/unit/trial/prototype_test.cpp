// The batch that mode trainer repeats, made of a data set with bad files in it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <set>

#include "harness/core/error.h"
#include "harness/trial/prototype_batch.h"
#include "tests/unit/trial/trial_of_mocks.h"

namespace benchbench::test {
namespace prototype {

// Rows are their sample's id; bad samples leave a 0 and a fault. What is bad is static, since a
// factory takes no arguments of ours.
std::set<SampleId> bad;
std::uint64_t samples = 0;

class SomeBad final : public Loader {
 public:
  Layout layout() const override { return {samples, {}, {}}; }
  BatchSpec spec() const override {
    BatchSpec spec;
    spec.tensor[spec.count++] = {.name = "id", .dtype = DType::int64, .row = {}};
    return spec;
  }
  std::unique_ptr<LoaderWorker> worker(WorkerNumber, Runtime&) override {
    return std::make_unique<Worker>();
  }

 private:
  struct Worker final : LoaderWorker {
    void fill(const BatchRequest& request, StageMeter& meter) override {
      if (request.samples.size() != request.rows.count())
        throw PartError("a ticket of another size");
      for (std::size_t i = 0; i < request.rows.count(); ++i) {
        const SampleId id = request.samples[i].id;
        const std::int64_t value = bad.contains(id) ? 0 : static_cast<std::int64_t>(id);
        std::memcpy(request.rows.row(0, i), &value, sizeof value);
        meter.fault(id, SampleFault::warning, "any.jpg", "extraneous bytes");
        if (bad.contains(id)) meter.fault(id, SampleFault::decode_error, "bad.jpg", "no image");
      }
    }
  };
};

const PartDescription some_bad{.kind = PartKind::loader, .name = "some_bad", .summary = ""};

// Returns the ids of the batches made where these samples are bad.
std::vector<std::int64_t> made_of(std::uint32_t batch_size, std::uint64_t of,
                                  std::set<SampleId> bad_ones, std::int64_t distinct = 1) {
  bad = std::move(bad_ones);
  samples = of;
  PartMaker maker;
  maker.loader = [](const LoaderContext&) -> std::unique_ptr<Loader> {
    return std::make_unique<SomeBad>();
  };
  const PartRow rows[] = {{&some_bad, maker, ""}};
  const Catalog catalog(rows);
  SettingsMap settings;
  settings.set("loader.of.use", {.type = ParameterType::text, .held = std::string("some_bad")});
  settings.set("loader.distinct", {.type = ParameterType::integer, .held = distinct});
  const auto device = make_cpu_device();
  const auto runtime = make_real_runtime();
  const MadePrototype made({catalog, settings, {}, batch_size, 7, *device, *runtime});
  std::vector<std::int64_t> ids(made.batch().batches * made.batch().rows);
  std::memcpy(ids.data(), made.batch().data[0], ids.size() * sizeof ids[0]);
  return ids;
}

// Rows as wide as their batch's largest id and one; the order is the storage's, backwards.
class Ragged final : public Loader {
 public:
  Layout layout() const override { return {samples, {}, {}}; }
  BatchSpec spec() const override {
    BatchSpec spec;
    spec.tensor[spec.count++] = {.name = "id",
                                 .dtype = DType::int64,
                                 .row = {{static_cast<std::int64_t>(samples)}, 1},
                                 .ragged = true};
    return spec;
  }
  std::uint32_t width_of(std::span<const SampleRef> refs) const override {
    return static_cast<std::uint32_t>(std::ranges::max_element(refs, {}, &SampleRef::id)->id + 1);
  }
  std::unique_ptr<LoaderWorker> worker(WorkerNumber, Runtime&) override {
    struct Worker final : LoaderWorker {
      void fill(const BatchRequest& request, StageMeter& meter) override {
        for (std::size_t i = 0; i < request.rows.count(); ++i) {
          const auto id = static_cast<std::int64_t>(request.samples[i].id);
          std::memcpy(request.rows.row(0, i), &id, sizeof id);
          if (bad.contains(request.samples[i].id))
            meter.fault(request.samples[i].id, SampleFault::decode_error, "", "");
        }
      }
    };
    return std::make_unique<Worker>();
  }
};

class Backwards final : public Sampler {
 public:
  std::uint64_t samples_per_epoch() const noexcept override { return samples; }
  void begin(Epoch, std::span<SampleId> order) override {
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = order.size() - 1 - i;
  }
};

const PartDescription ragged{
    .kind = PartKind::loader, .name = "ragged", .summary = "", .simulated = true};
const PartDescription backwards{
    .kind = PartKind::sampler, .name = "backwards", .summary = "", .simulated = true};

Catalog ragged_catalog() {
  const auto built_in = built_in_catalog().rows();
  std::vector<PartRow> rows(built_in.begin(), built_in.end());
  PartMaker loader, sampler;
  loader.loader = [](const LoaderContext&) -> std::unique_ptr<Loader> {
    return std::make_unique<Ragged>();
  };
  sampler.sampler = [](const SamplerContext&) -> std::unique_ptr<Sampler> {
    return std::make_unique<Backwards>();
  };
  rows.push_back({&ragged, loader, ""});
  rows.push_back({&backwards, sampler, ""});
  return Catalog(rows);
}

void name_ragged(SettingsMap& settings) {
  settings.set("loader.of.use", {.type = ParameterType::text, .held = std::string("ragged")});
  settings.set("loader.of.access", {.type = ParameterType::text, .held = std::string("backwards")});
}

}  // namespace prototype
using prototype::made_of;

TEST_CASE("prototype batch: the first samples, and others in the rows of bad ones",
          "[unit][trial]") {
  using Ids = std::vector<std::int64_t>;
  CHECK(made_of(4, 100, {}) == Ids{0, 1, 2, 3});
  CHECK(made_of(4, 100, {1}) == Ids{0, 4, 2, 3});
  CHECK(made_of(4, 100, {0, 2, 4, 5}) == Ids{6, 1, 7, 3});  // bad ones among the next, too
  CHECK(made_of(1, 100, {0, 1, 2}) == Ids{3});
  std::set<SampleId> half;
  for (SampleId id = 1; id < 256; id += 2) half.insert(id);
  const Ids many = made_of(128, 1000, half);
  CHECK(std::set<std::int64_t>(many.begin(), many.end()).size() == 128);
  CHECK(std::all_of(many.begin(), many.end(),
                    [](std::int64_t id) { return id % 2 == 0 || id >= 256; }));
}

TEST_CASE("prototype batch: where the data set ends, whole samples are used again",
          "[unit][trial]") {
  using Ids = std::vector<std::int64_t>;
  CHECK(made_of(4, 5, {1, 2}) == Ids{0, 4, 0, 3});
  CHECK(made_of(8, 3, {0}) == Ids{1, 1, 2});
}

TEST_CASE("prototype batch: several distinct ones follow each other", "[unit][trial]") {
  using Ids = std::vector<std::int64_t>;
  CHECK(made_of(2, 100, {}, 3) == Ids{0, 1, 2, 3, 4, 5});
  CHECK(made_of(2, 100, {1, 4}, 3) == Ids{0, 6, 2, 3, 7, 5});
  CHECK(made_of(2, 5, {}, 3) == Ids{0, 1, 2, 3, 4, 0});
}

TEST_CASE("prototype batch: too many bad files end it, with the first of them", "[unit][trial]") {
  std::set<SampleId> all;
  for (SampleId id = 0; id < 100; ++id) all.insert(id);
  CHECK_THROWS_WITH(made_of(4, 100, all),
                    Catch::Contains("bad.jpg: no image") && Catch::Contains("9 of the "));
  CHECK_THROWS_WITH(made_of(4, 4, {0, 1, 2, 3}), Catch::Contains("bad.jpg: no image"));
  CHECK_THROWS_WITH(made_of(64, 100, all), Catch::Contains("65 of the first 65"));
}

TEST_CASE("prototype batch: of ragged data it is the batch of mean width in the scenario's order",
          "[unit][trial]") {
  using namespace prototype;
  // 10 9 | 8 7 | 6 5 | 4 3 | 2 1: widths 11 9 7 5 3, in storage order the first has 2
  bad = {}, samples = 11;
  const Catalog catalog = ragged_catalog();
  SettingsMap settings;
  name_ragged(settings);
  const auto device = make_cpu_device();
  const auto runtime = make_real_runtime();
  const auto ids_of = [&](const MadePrototype& made) {
    const BatchSpec& spec = made.batch().spec;
    CHECK(spec.tensor[0].row.extent[0] == 7);
    std::vector<std::int64_t> ids(made.batch().rows);
    for (std::size_t i = 0; i < ids.size(); ++i)
      std::memcpy(&ids[i], made.batch().data[0] + i * spec.bytes_per_row(), sizeof ids[i]);
    return ids;
  };
  const MadePrototype made({catalog, settings, {}, 2, 7, *device, *runtime});
  CHECK(ids_of(made) == std::vector<std::int64_t>{6, 5});
  CHECK(made.note() ==
        "batches differ in width: T is measured with one batch of width 7, "
        "the nearest to the mean, 7, of 5 of an epoch's 5 batches");
  bad = {5, 4};
  const MadePrototype other({catalog, settings, {}, 2, 7, *device, *runtime});
  CHECK(ids_of(other) == std::vector<std::int64_t>{6, 3});
}

TEST_CASE("prototype batch: a trial of ragged batches says of which width its time is",
          "[unit][trial]") {
  prototype::bad = {}, prototype::samples = 11;
  const Catalog catalog = prototype::ragged_catalog();
  TrialOfMocks mocks("cached_batch", "timed",
                     {{"trainer.step_time", "1ms"}, {"loader.num_workers", "0"}});
  Trial trial = mocks.trial();
  prototype::name_ragged(trial.settings);
  const ExecutorContext context{.catalog = catalog,
                                .environment = {},
                                .dataset = {},
                                .expected_digest = {},
                                .simulated = true,
                                .stop = nullptr,
                                .progress = {}};
  const TrialRecord record = run_trial(trial, {}, context);
  INFO(reasons_of(record));
  CHECK(record.facts.window.samples > 0);
  REQUIRE(record.facts.notices.size() == 1);
  CHECK_THAT(record.facts.notices[0],
             Catch::StartsWith("batches differ in width: T is measured with one batch of width "));
}

}  // namespace benchbench::test
