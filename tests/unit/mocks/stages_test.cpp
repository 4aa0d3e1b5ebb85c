// The stages of the synthetic loader, its store, its clip, and what it can be run without.
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/unit/mocks/loader_bench.h"

namespace benchbench::stages_test {

using namespace benchbench::test;

constexpr std::int64_t kMs = 1'000'000;

TEST_CASE("synthetic loader: each stage takes and is billed its own time", "[unit][mocks]") {
  MadeLoader made("synthetic", {{"read_time", "1ms"},
                                {"sample_time", "2ms"},
                                {"transform_time", "300us"},
                                {"collate_time", "5ms"},
                                {"batch_time", "7ms"}});
  RememberingMeter meter;
  const auto seen = fill_all(made, 1, 1, &meter);
  CHECK(seen[0].took == (4 + 8 + 5 + 7) * kMs + 1'200'000);
  CHECK(meter.stages[Stage::read].count() == 4 * kMs);
  CHECK(meter.stages[Stage::decode].count() == 8 * kMs);
  CHECK(meter.stages[Stage::transform].count() == 1'200'000);
  CHECK(meter.stages[Stage::collate].count() == 12 * kMs);
}

TEST_CASE(
    "synthetic loader: a stage without a time is not billed, and one without any still writes",
    "[unit][mocks]") {
  RememberingMeter meter;
  MadeLoader read_only("synthetic", {{"read_time", "1ms"}});
  fill_all(read_only, 1, 1, &meter);
  CHECK(meter.stages.size() == 1);
  CHECK(meter.stages.contains(Stage::read));
  RememberingMeter other;
  MadeLoader nothing("synthetic", {});
  fill_all(nothing, 1, 1, &other);
  CHECK(other.stages.size() == 1);
  CHECK(other.stages.contains(Stage::collate));
}

TEST_CASE("synthetic loader: reads, decodes and transforms of a sample are drawn apart",
          "[unit][mocks]") {
  RememberingMeter meter;
  MadeLoader made("synthetic", {{"read_time", "1ms"},
                                {"sample_time", "1ms"},
                                {"transform_time", "1ms"},
                                {"distribution", "exponential"}});
  fill_all(made, 1, 1, &meter);
  CHECK(meter.stages[Stage::read] != meter.stages[Stage::decode]);
  CHECK(meter.stages[Stage::transform] != meter.stages[Stage::decode]);
  CHECK(meter.stages[Stage::read] != meter.stages[Stage::transform]);
}

// Takes a millisecond for each fetch.
class SlowStore final : public EmulatedStorage {
 public:
  void fetch(std::uint64_t bytes, bool follows) override {
    asked.emplace_back(bytes, follows);
    runtime->spend(Nanoseconds{kMs}, Spend::sleep);
  }
  Runtime* runtime = nullptr;
  std::vector<std::pair<std::uint64_t, bool>> asked;
};

TEST_CASE(
    "synthetic loader: a played store is asked for each sample, on top of read_time, as reading",
    "[unit][mocks]") {
  SlowStore store;
  MadeLoader made("synthetic",
                  {{"sample_bytes", "100kB"}, {"read_time", "2ms"}, {"batch_time", "3ms"}}, 4, 0,
                  {}, &store);
  RememberingMeter meter;
  const auto seen = fill_all(made, 1, 2, &meter,
                             [&](Runtime& runtime, BatchNumber) { store.runtime = &runtime; });
  CHECK(store.asked == std::vector<std::pair<std::uint64_t, bool>>(8, {100'000, false}));
  CHECK(seen[0].took == (8 + 4 + 3) * kMs);
  CHECK(seen[1].took == (8 + 4 + 3) * kMs);
  CHECK(meter.stages[Stage::read].count() == 2 * (8 + 4) * kMs);
  CHECK(meter.read_bytes == 800'000);
}

double mean_ms(const Given& given, BatchNumber batches = 20'000) {
  MadeLoader made("synthetic", given, 1);
  const auto seen = fill_all(made, 1, batches);
  return static_cast<double>(seen.back().at) / static_cast<double>(batches) / kMs;
}
std::int64_t longest_ns(const Given& given) {
  MadeLoader made("synthetic", given, 1);
  std::int64_t max = 0;
  for (const Filled& f : fill_all(made, 1, 3000)) max = std::max(max, f.took);
  return max;
}

TEST_CASE("synthetic loader: clipped times end at the quantile of their distribution",
          "[unit][mocks]") {
  Given given = {{"sample_time", "10ms"}, {"clip_at", "0.9"}};
  given["distribution"] = "exponential";
  CHECK(longest_ns(given) == std::llround(10e6 * std::log(10.0)));
  // E[min(X, q)] = 1 - (1 - p) for an exponential
  CHECK(mean_ms(given) == Approx(10 * 0.9).epsilon(0.03));
  given["distribution"] = "uniform";
  CHECK(longest_ns(given) == 14 * kMs);
  given["distribution"] = "lognormal";
  CHECK(longest_ns(given) ==
        Approx(10e6 * std::exp(0.5 * 1.2815515655446004 - 0.125)).epsilon(1e-7));
  given["distribution"] = "constant";
  CHECK(longest_ns(given) == 10 * kMs);
  given["clip_at"] = "1";
  given["distribution"] = "exponential";
  CHECK(longest_ns(given) > 50 * kMs);
}

// Of every loader and trainer: a change that names no parameter, or not a value of its type, would
// be found out only when somebody substitutes.
TEST_CASE("substitutions: each changes parameters that the part has, to values they can take",
          "[unit][mocks]") {
  int changes = 0;
  for (const PartRow& row : built_in_catalog().rows()) {
    if (!row.description->mock) continue;
    for (const Substitution& substitution : row.description->substitutions) {
      CHECK_FALSE(substitution.changes.empty());
      for (const Change& change : substitution.changes) {
        INFO(row.description->name << ": " << change.key << " " << change.value);
        const auto& parameters = row.description->parameters;
        const auto p = std::find_if(parameters.begin(), parameters.end(),
                                    [&](const Parameter& q) { return q.key == change.key; });
        REQUIRE(p != parameters.end());
        if (p->type == ParameterType::duration)
          CHECK(parse_duration(change.value) == Nanoseconds{0});
        ++changes;
      }
    }
  }
  CHECK(changes >= 15);
}

TEST_CASE("substitutions: a synthetic loader without each of its stages is faster by just that",
          "[unit][mocks]") {
  const Given all = {{"read_time", "1ms"},      {"sample_bytes", "10B"}, {"sample_time", "2ms"},
                     {"transform_time", "3ms"}, {"collate_time", "5ms"}, {"batch_time", "7ms"}};
  const std::map<Component, std::int64_t> saved = {{Component::storage, 4 * kMs},
                                                   {Component::decode, 8 * kMs},
                                                   {Component::transform, 12 * kMs},
                                                   {Component::collate, 5 * kMs}};
  MadeLoader made("synthetic", all);
  const std::int64_t whole = fill_all(made, 1, 1)[0].took;
  REQUIRE(made.row.description->substitutions.size() == saved.size());
  for (const Substitution& substitution : made.row.description->substitutions) {
    Given given = all;
    for (const Change& change : substitution.changes) given[std::string(change.key)] = change.value;
    MadeLoader without("synthetic", given);
    INFO(name_of(substitution.component));
    CHECK(whole - fill_all(without, 1, 1)[0].took == saved.at(substitution.component));
  }
}

}  // namespace benchbench::stages_test
