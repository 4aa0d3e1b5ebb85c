// Ragged batches through whole trials: widths, padding and how the order is shuffled, told in the
// facts.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <new>

#include "harness/core/random.h"
#include "harness/trial/data_pass.h"
#include "harness/trial/prototype_batch.h"
#include "tests/scratch_folder.h"
#include "tests/unit/trial/trial_of_mocks.h"

namespace benchbench::test::token_trials {
namespace {

namespace fs = std::filesystem;

// 512 sequences of 1 to 200 tokens, each of its id.
class TokenSet {
 public:
  TokenSet() : folder_(make_scratch_folder("tokens")), path_(folder_ / "set") {
    const auto writer =
        built_in_catalog()
            .maker(PartKind::sample_format, "tokens")
            .format.create({path_.string(),
                            512,
                            {.data = DataKind::tokens, .dtype = DType::uint16, .row = {}}});
    Random random(1);
    for (SampleId id = 0; id < 512; ++id) {
      const std::vector<std::uint16_t> tokens(1 + random.below(200),
                                              static_cast<std::uint16_t>(id));
      writer->add("n0/" + std::to_string(id) + ".tok", 0, std::as_bytes(std::span(tokens)));
      all += tokens.size();
    }
    writer->finish();
  }
  ~TokenSet() { fs::remove_all(folder_); }
  DatasetPlace place() const { return {"tokens", path_.native()}; }
  std::uint64_t all = 0;

 private:
  fs::path folder_, path_;
};

Trial trial_of(std::string_view access, TrialOfMocks::Changes changes = {}) {
  TrialOfMocks mocks("native", "timed",
                     {{"trainer.step_time", "1ms"},
                      {"loader.batch_size", "16"},
                      {"measure.warmup", "0s"},
                      {"measure.window", "128ms"},
                      {"measure.window_batches", "128"}});
  mocks.change(changes);
  mocks.change({{"loader.access", access}});
  Trial trial = mocks.trial();
  for (const Parameter& p :
       built_in_catalog().find(PartKind::sampler, access)->description->parameters)
    trial.settings.set("loader." + std::string(p.key), *Value::parse(p.type, p.standard));
  return trial;
}

TrialRecord run(const Trial& trial, const TokenSet& set) {
  ExecutorContext context{.catalog = built_in_catalog(),
                          .environment = {},
                          .dataset = set.place(),
                          .expected_digest = {},
                          .simulated = true,
                          .stop = nullptr,
                          .progress = {}};
  context.environment.cores_available = 2;
  return run_trial(trial, {}, context);
}

double padding_in(const Facts& f) {
  return static_cast<double>(*f.elements.padding) /
         static_cast<double>(*f.elements.count + *f.elements.padding);
}

TEST_CASE("trial of tokens: real tokens and padding are counted, and buckets pad less",
          "[unit][trial]") {
  const TokenSet set;
  const TrialRecord random = run(trial_of("random"), set),
                    bucket = run(trial_of("bucket_by_length"), set);
  INFO(reasons_of(random));
  REQUIRE(random.status == Status::valid);
  REQUIRE(bucket.status == Status::valid);
  REQUIRE(random.facts.elements.count);
  // 128 batches of 16 are four epochs; what is made ahead at the window's two ends may differ by
  // some batches.
  CHECK(static_cast<double>(*random.facts.elements.count) ==
        Approx(4.0 * static_cast<double>(set.all)).epsilon(0.05));
  CHECK(static_cast<double>(*bucket.facts.elements.count) ==
        Approx(4.0 * static_cast<double>(set.all)).epsilon(0.05));
  CHECK(padding_in(random.facts) > 0.4);
  CHECK(padding_in(bucket.facts) < 0.1);
  CHECK(*bucket.facts.shuffle.displacement == Approx(1).margin(0.15));
}

TEST_CASE("trial: how its order is shuffled is in the facts, whatever the loader",
          "[unit][trial]") {
  const auto facts = [](std::string_view access) {
    TrialOfMocks mocks("synthetic", "timed",
                       {{"trainer.step_time", "1ms"}, {"loader.access", access}});
    mocks.change({{"loader.samples", "1000"}});
    return run_simulated(mocks.trial()).facts;
  };
  CHECK(*facts("sequential").shuffle.displacement == Approx(0).margin(1e-9));
  CHECK(*facts("sequential").shuffle.together == 1);
  CHECK(*facts("random").shuffle.displacement == Approx(1).margin(0.1));
  CHECK(*facts("random").shuffle.together < 0.01);
  CHECK_FALSE(facts("random").elements.count);  // nothing is padded: not measured, which is not 0
  TrialOfMocks repeated("cached_batch", "timed", {{"trainer.step_time", "1ms"}});
  repeated.repeat_a_synthetic_batch();
  CHECK_FALSE(run_simulated(repeated.trial()).facts.shuffle.displacement);
}

// There is memory for its order the first time only.
class ForgetfulOrder final : public Sampler {
 public:
  std::uint64_t samples_per_epoch() const noexcept override { return 1000; }
  void begin(Epoch epoch, std::span<SampleId> order) override {
    if (epoch == 0 && ++first_epochs_ > 1) throw std::bad_alloc();
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  }

 private:
  int first_epochs_ = 0;
};

TEST_CASE("trial: without memory to draw the order again it is not measured, and the rest stays",
          "[unit][trial]") {
  const auto built_in = built_in_catalog().rows();
  std::vector<PartRow> rows(built_in.begin(), built_in.end());
  for (PartRow& row : rows)
    if (row.description->kind == PartKind::sampler && row.description->name == "random")
      row.maker.sampler = [](const SamplerContext&) -> std::unique_ptr<Sampler> {
        return std::make_unique<ForgetfulOrder>();
      };
  const Catalog catalog(rows);
  TrialOfMocks mocks("synthetic", "timed",
                     {{"trainer.step_time", "1ms"}, {"loader.access", "random"}});
  mocks.change({{"loader.samples", "1000"}});
  const ExecutorContext context{.catalog = catalog,
                                .environment = {},
                                .dataset = {},
                                .expected_digest = {},
                                .simulated = true,
                                .stop = nullptr,
                                .progress = {}};
  const TrialRecord record = run_trial(mocks.trial(), {}, context);
  INFO(reasons_of(record));
  CHECK(record.status == Status::valid);
  CHECK(record.facts.window.samples > 0);
  CHECK(record.raw_series.contains("step"));
  CHECK_FALSE(record.facts.shuffle.displacement);
  CHECK_FALSE(record.facts.shuffle.together);
}

TEST_CASE("trial of tokens: one row a worker and one batch a worker make the same batches",
          "[unit][trial]") {
  const TokenSet set;
  const auto digest = [&](TrialOfMocks::Changes changes) {
    return run(trial_of("random", changes), set).facts.parts.batch_digest;
  };
  const std::string one = digest({});
  CHECK(one.size() > 8);
  CHECK(digest({{"loader.work_unit", "sample"}}) == one);
  CHECK(digest({{"loader.num_workers", "0"}}) == one);
  CHECK(digest({{"loader.transform.pad_token_id", "1"}}) != one);
}

TEST_CASE("trainer roofline: a step takes as long as its batch has elements, padding too",
          "[unit][trial]") {
  const TokenSet set;
  const auto rate = [&](std::string_view access, std::string_view multiple) {
    TrialOfMocks mocks("native", "roofline",
                       {{"trainer.element_flops", "1000"},
                        {"trainer.flop_rate", "1e9/s"},
                        {"loader.batch_size", "16"},
                        {"loader.transform.pad_to_multiple_of", multiple},
                        {"measure.warmup", "0s"},
                        {"measure.window_batches", "128"}});
    Trial trial = mocks.trial();
    trial.settings.set("loader.access", {ParameterType::text, std::string(access)});
    trial.settings.set("loader.bucket_batches", *Value::parse(ParameterType::integer, "50"));
    const Facts facts = run(trial, set).facts;
    return static_cast<double>(facts.window.samples) /
           (static_cast<double>(facts.window.ns) * 1e-9);
  };
  CHECK(rate("random", "256") == Approx(1e6 / 256));  // a us an element, all rows 256 wide
  const double mean = static_cast<double>(set.all) / 512;
  CHECK(rate("bucket_by_length", "1") > 0.85 * 1e6 / mean);
  CHECK(rate("random", "1") < 0.65 * 1e6 / mean);
}

TEST_CASE("prototype batch: ragged tensors are as wide as the batch it repeats", "[unit][trial]") {
  const TokenSet set;
  TrialOfMocks mocks("native", "timed", {});
  const Trial trial = mocks.trial();
  SettingsMap settings;
  for (const auto& [key, value] : trial.settings.all())
    if (key.starts_with("loader.")) settings.set("loader.of." + key.substr(sizeof "loader"), value);
  const auto device = make_cpu_device();
  const auto runtime = make_real_runtime();
  const MadePrototype made({built_in_catalog(), settings, set.place(), 2, 7, *device, *runtime});
  const TensorSpec& ids = made.batch().spec.tensor[0];
  std::int32_t lengths[2];
  std::memcpy(lengths, made.batch().data[1], sizeof lengths);
  CHECK(ids.row.extent[0] == (std::max(lengths[0], lengths[1]) + 7) / 8 * 8);
  std::vector<std::int64_t> rows(2 * static_cast<std::size_t>(ids.row.extent[0]));
  std::memcpy(rows.data(), made.batch().data[0], rows.size() * sizeof rows[0]);
  CHECK(rows[rows.size() / 2] == rows[0] + 1);  // a batch of the order's, which is the storage's
  for (std::size_t i = 0; i < rows.size() / 2; ++i)
    CHECK(rows[rows.size() / 2 + i] ==
          (i < static_cast<std::size_t>(lengths[1]) ? rows[0] + 1 : 0));
}

TEST_CASE("data pass: every token of a set is seen once, in rows of its batch's width",
          "[unit][trial]") {
  const TokenSet set;
  const auto runtime = make_real_runtime();
  const ExecutorContext context{.catalog = built_in_catalog(),
                                .environment = {},
                                .dataset = set.place(),
                                .expected_digest = {},
                                .stop = nullptr,
                                .progress = {}};
  for (const char* access : {"random", "bucket_by_length"}) {
    const DataPass pass = pass_over_data(trial_of(access).settings, context, *runtime, {});
    CHECK(pass.seen == 512);
    CHECK(pass.duplicated == 0);
    CHECK(pass.totals.decode_errors == 0);
    CHECK(pass.totals.elements == set.all);
    CHECK(pass.totals.padding > 0);
    CHECK(pass.classes == 0);
  }
}

}  // namespace
}  // namespace benchbench::test::token_trials
