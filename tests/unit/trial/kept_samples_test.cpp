// dataset.keep: which samples are left, in every order, and in a trial.
#include "harness/pipeline/sampling/kept_samples.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "harness/part/catalog.h"
#include "harness/trial/round_seeds.h"
#include "tests/unit/trial/trial_of_mocks.h"

namespace benchbench {
namespace kept_samples_tests {

using Ids = std::vector<SampleId>;

// Storage orders, and those that shuffle by shard or by length.
const std::string kSamplers[] = {"sequential", "random", "shuffle_buffer", "block_shuffle",
                                 "bucket_by_length"};

SettingsMap standard_settings(const std::string& sampler) {
  SettingsMap settings;
  for (const Parameter& p :
       built_in_catalog().find(PartKind::sampler, sampler)->description->parameters)
    settings.set("loader." + std::string(p.key), Value::parse(p.type, p.standard).value());
  return settings;
}

std::unique_ptr<Sampler> make_sampler_named(const std::string& name, const Layout& layout) {
  const SettingsMap settings = standard_settings(name);
  const PrefixedSettings view(settings, "loader.");
  return built_in_catalog()
      .maker(PartKind::sampler, name)
      .sampler({.layout = layout, .seed = 7, .batch_size = 4, .settings = view});
}

TrialRecord run_kept(Trial trial) {
  return test::run_simulated(trial, {.trial = 0, .round = 0, .repeat = 0});
}

Trial trial_by_class(const char* loader) {
  Trial trial = test::TrialOfMocks(loader, "discard",
                                   {{"loader.num_workers", "1"},
                                    {"loader.classes", "10"},
                                    {"measure.window", "1s"},
                                    {"measure.warmup", "1ms"}})
                    .trial();
  trial.settings.set("dataset.keep", {ParameterType::real, 0.5});
  trial.settings.set("dataset.keep_by", {ParameterType::choice, std::string("class")});
  return trial;
}

TrialRecord run_keeping(double share, std::uint32_t round = 0) {
  Trial trial = test::TrialOfMocks("synthetic", "discard",
                                   {{"loader.num_workers", "1"},
                                    {"loader.sample_time", "1ms"},
                                    {"measure.window", "1s"},
                                    {"measure.warmup", "1ms"}})
                    .trial();
  trial.settings.set("dataset.keep", {ParameterType::real, share});
  return test::run_simulated(trial, {.trial = 0, .round = round, .repeat = 0});
}

TEST_CASE("kept samples: exactly so many, ascending, by the seed alone", "[unit][trial]") {
  for (const std::uint64_t count : {1u, 17u, 100u, 999u, 1000u}) {
    const Ids ids = choose_samples(1000, count, 5);
    CHECK(ids.size() == count);
    CHECK(std::ranges::is_sorted(ids));
    CHECK(std::ranges::adjacent_find(ids) == ids.end());
    CHECK(ids.back() < 1000);
    CHECK(choose_samples(1000, count, 5) == ids);
  }
  CHECK(choose_samples(1000, 100, 5) != choose_samples(1000, 100, 6));
  // All are equally likely: each of 10 samples is among 3 in 3 of 10 draws.
  std::vector<int> drawn(10);
  for (std::uint64_t seed = 0; seed < 10000; ++seed)
    for (const SampleId id : choose_samples(10, 3, seed)) ++drawn[id];
  for (const int n : drawn) CHECK(std::abs(n - 3000) < 5 * 46);  // 46: the standard deviation
}

TEST_CASE("kept samples: by class, whole classes but for the last", "[unit][trial]") {
  std::vector<std::int64_t> labels(1000);
  for (std::size_t id = 0; id < labels.size(); ++id)
    labels[id] = static_cast<std::int64_t>(id % 10);  // 100 samples of each
  for (const std::uint64_t count : {1u, 99u, 100u, 250u, 1000u}) {
    INFO(count);
    const Ids ids = choose_classes(labels, count, 5);
    CHECK(ids.size() == count);
    CHECK(std::ranges::is_sorted(ids));
    CHECK(std::ranges::adjacent_find(ids) == ids.end());
    CHECK(choose_classes(labels, count, 5) == ids);
    std::map<std::int64_t, std::uint64_t> found;
    for (const SampleId id : ids) ++found[labels[id]];
    CHECK(found.size() == (count + 99) / 100);
    CHECK(std::ranges::count_if(found, [](const auto& f) { return f.second < 100; }) ==
          (count % 100 > 0 ? 1 : 0));
  }
  // All classes are equally likely.
  std::vector<int> drawn(10);
  for (std::uint64_t seed = 0; seed < 1000; ++seed)
    ++drawn[choose_classes(labels, 1, seed)[0] % 10];
  for (const int n : drawn) CHECK(std::abs(n - 100) < 5 * 9.5);  // 9.5: the standard deviation
}

TEST_CASE("kept samples: by class in a trial, where the loader knows them", "[unit][trial]") {
  const TrialRecord known = run_kept(trial_by_class("synthetic"));
  INFO(test::reasons_of(known));
  CHECK(known.status == Status::valid);
  CHECK(known.facts.accounting.duplicated + known.facts.accounting.missing == 0);
  const TrialRecord unknown = run_kept(trial_by_class("rate_limited"));
  CHECK(unknown.status == Status::failed);
  CHECK_THAT(test::reasons_of(unknown),
             Catch::Contains("which loader rate_limited does not know beforehand"));
}

TEST_CASE("kept samples: lengths and shards are those of the kept ones", "[unit][trial]") {
  const std::vector<std::uint64_t> ends{4, 6, 10};
  const std::vector<std::uint32_t> lengths{10, 11, 12, 13, 14, 15, 16, 17, 18, 19};
  Layout layout;
  const KeptOrder kept({10, ends, lengths}, {1, 3, 7}, [&](const Layout& seen) {
    layout = seen;
    return make_sampler_named("sequential", seen);
  });
  CHECK(layout.samples == 3);
  CHECK(Ids(layout.shard_ends.begin(), layout.shard_ends.end()) == Ids{2, 3});
  CHECK(std::ranges::equal(layout.lengths, std::vector{11, 13, 17}));
}

TEST_CASE("kept samples: every order has each of them once an epoch, and no other",
          "[unit][trial]") {
  std::vector<std::uint32_t> lengths(200);
  for (std::size_t i = 0; i < lengths.size(); ++i)
    lengths[i] = static_cast<std::uint32_t>(1 + i * 7 % 50);
  const std::vector<std::uint64_t> ends{50, 100, 150, 200};
  const Ids ids = choose_samples(200, 20, 3);
  for (const std::string& name : kSamplers) {
    INFO(name);
    KeptOrder sampler({200, ends, lengths}, ids,
                      [&](const Layout& kept) { return make_sampler_named(name, kept); });
    REQUIRE(sampler.samples_per_epoch() == 20);
    for (const Epoch epoch : {0u, 1u}) {
      Ids order(20);
      sampler.begin(epoch, order);
      if (name == "sequential") CHECK(order == ids);
      std::ranges::sort(order);
      CHECK(order == ids);
    }
  }
}

TEST_CASE("kept samples: a trial's epochs are as long as what is kept", "[unit][trial]") {
  const TrialRecord all = run_keeping(1), tenth = run_keeping(0.12, 1);
  INFO(test::reasons_of(tenth));
  REQUIRE(all.status == Status::valid);
  REQUIRE(tenth.status == Status::valid);
  CHECK(tenth.facts.accounting.duplicated + tenth.facts.accounting.missing == 0);
  CHECK(tenth.facts.epochs.completed > 7 * all.facts.epochs.completed);  // 12 of 100 samples
  CHECK(tenth.facts.shuffle.displacement == Approx(0).margin(1e-12));
  CHECK(tenth.facts.window.samples == all.facts.window.samples);
}

TEST_CASE("kept samples: the same ones in every round, others by another seed", "[unit][trial]") {
  ResolvedSettings settings;
  const std::uint64_t kept = seeds_of(settings, 0).kept;
  CHECK(seeds_of(settings, 3).kept == kept);
  CHECK(seeds_of(settings, 3).order != seeds_of(settings, 0).order);
  settings.loader.seed = 1;
  CHECK(seeds_of(settings, 0).kept != kept);
  settings.loader.seed = 0, settings.measure.seed = 1;
  CHECK(seeds_of(settings, 0).kept != kept);
}

}  // namespace kept_samples_tests
}  // namespace benchbench
