#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "harness/core/error.h"
#include "harness/core/random.h"
#include "harness/record/fields.h"
#include "harness/record/trial_record.h"

namespace benchbench::json_tests {

using enum ParameterType;

// Fills every member that fields.h names with a value of its own, so that a member forgotten on one
// side shows.
struct Filler {
  std::uint64_t next = 1;
  void operator()(std::string_view, bool& v) { v = true; }
  void operator()(std::string_view, std::int64_t& v) { v = -static_cast<std::int64_t>(next++); }
  void operator()(std::string_view, std::uint64_t& v) { v = (1ull << 63) + next++; }
  void operator()(std::string_view, std::uint32_t& v) { v = static_cast<std::uint32_t>(next++); }
  void operator()(std::string_view, double& v) { v = static_cast<double>(next++) / 3; }
  void operator()(std::string_view, std::string& v) {
    v = "text \"" + std::to_string(next++) + "\"\n\xc3\xa4";
  }
  template <HasWords E>
  void operator()(std::string_view, E& v) {
    v = static_cast<E>(1 + next++ % (kWordsOf<E>.size() - 1));
  }
  void operator()(std::string_view, Ablation& v) { v = free_of(Component::decode); }
  void operator()(std::string_view, CacheState& v) {
    v = {CacheDegree::as_is, "why " + std::to_string(next++)};
  }
  void operator()(std::string_view, Value& v) {
    v = *Value::parse(next % 2 ? choice : duration, "12ms");
    ++next;
  }
  void operator()(std::string_view, SettingsMap& v) {
    v.set("loader.n" + std::to_string(next++), *Value::parse(integer, "4"));
    v.set("loader.c", *Value::parse(choice, "64KiB"));
  }
  void operator()(std::string_view, std::array<StageTotal, kStages>& v) {
    for (auto& stage : v) visit_fields(stage, *this);
  }
  template <class T>
  void operator()(std::string_view, std::optional<T>& v) {
    (*this)("", v.emplace());
  }
  template <class T>
  void operator()(std::string_view, std::vector<T>& v) {
    v.resize(2);
    for (auto& item : v) (*this)("", item);
  }
  template <class A, class B>
  void operator()(std::string_view, std::pair<A, B>& v) {
    (*this)("", v.first);
    (*this)("", v.second);
  }
  template <class T>
    requires requires(T& t) { visit_fields(t, [](std::string_view, auto&) {}); }
  void operator()(std::string_view, T& v) {
    visit_fields(v, *this);
  }
};

TEST_CASE("json: every member of a record comes back, and the text is the same again",
          "[unit][record]") {
  TrialRecord record;
  Filler fill;
  fill("", record);
  record.raw_series["step"] = {1, 2, 3};
  const std::string line = to_json(record);
  CHECK(line.find('\n') == std::string::npos);
  CHECK(line.find("raw_series") == std::string::npos);
  const TrialRecord back = record_from_json(line);
  CHECK(to_json(back) == line);
  CHECK(back.facts.accounting.missing == record.facts.accounting.missing);
  CHECK(back.facts.window.stages[3].ns == record.facts.window.stages[3].ns);
  CHECK(back.trial.settings == record.trial.settings);
  CHECK(back.reasons[1].text == record.reasons[1].text);
  CHECK(back.environment.variables == record.environment.variables);
  CHECK(*back.facts.bytes.device == *record.facts.bytes.device);
}

TEST_CASE("json: every member of a plan comes back", "[unit][record]") {
  Plan plan;
  Filler fill;
  fill("", plan);
  const std::string text = to_json(plan);
  const Plan back = plan_from_json(text);
  CHECK(to_json(back) == text);
  CHECK(back.scenario.base == plan.scenario.base);
  CHECK(back.points[1].settings == plan.points[1].settings);
  CHECK(back.trials[1].settings == plan.trials[1].settings);
  CHECK(back.scenario.axes[0].values[1].set == plan.scenario.axes[0].values[1].set);
  CHECK(back.datasets[0].synthesize == plan.datasets[0].synthesize);
  CHECK(back.points[0].trials == plan.points[0].trials);
}

TEST_CASE("json: a setting regains its type whatever its text looks like", "[unit][record]") {
  const ParameterType types[] = {boolean, integer,   real, duration, bytes,
                                 rate,    bandwidth, text, choice};
  const char* words[] = {"true",    "12",   "0.5",    "1",   "12ms", "64KiB", "500/s",
                         "1.2GB/s", "none", "",       "0",   "-3",   "1e3",   "0s",
                         "0B",      "0/s",  "shared", "1.0", "NaN",  "12MS",  "12 ms"};
  Trial trial;
  for (const auto type : types) {
    for (const auto* word : words) {
      const auto value = Value::parse(type, word);
      if (value)
        trial.settings.set(std::string("k.") + std::to_string(int(type)) + "." + word, *value);
    }
  }
  REQUIRE(trial.settings.all().size() > 50);
  const Trial back = trial_from_json(to_json(trial));
  for (const auto& [key, value] : trial.settings.all()) {
    INFO(key << " = " << value.text());
    CHECK(back.settings.at(key) == value);
  }
  CHECK(back.settings == trial.settings);
}

TEST_CASE("json: random quantities survive exactly", "[unit][record]") {
  Random random(7);
  Trial trial;
  for (int i = 0; i < 2000; ++i) {
    const std::string n = std::to_string(i);
    const double wide = std::exp(random.uniform(-40, 40));
    trial.settings.set("real." + n, {real, wide});
    trial.settings.set("rate." + n, {rate, wide});
    trial.settings.set("bandwidth." + n, {bandwidth, wide});
    trial.settings.set("duration." + n,
                       {duration, static_cast<std::int64_t>(random.next() >> (2 + i % 60))});
    trial.settings.set("bytes." + n,
                       {bytes, static_cast<std::int64_t>(random.next() >> (2 + i % 60))});
  }
  const Trial back = trial_from_json(to_json(trial));
  for (const auto& [key, value] : trial.settings.all()) {
    INFO(key << " = " << value.text());
    REQUIRE(back.settings.at(key) == value);
  }
}

TEST_CASE("json: an empty optional is null and comes back empty; what is not finite comes back too",
          "[unit][record]") {
  TrialRecord record;
  record.facts.parts.loss_first = std::numeric_limits<double>::quiet_NaN();
  record.facts.parts.loss_last = std::numeric_limits<double>::infinity();
  record.facts.window.slope_share = -std::numeric_limits<double>::infinity();
  const std::string line = to_json(record);
  CHECK(line.find("\"epoch_gap_ns\":null") != std::string::npos);
  const TrialRecord back = record_from_json(line);
  CHECK_FALSE(back.facts.epochs.gap_ns.has_value());
  CHECK_FALSE(back.trial.skip.has_value());
  CHECK(std::isnan(*back.facts.parts.loss_first));
  CHECK(*back.facts.parts.loss_last == std::numeric_limits<double>::infinity());
  CHECK(back.facts.window.slope_share == -std::numeric_limits<double>::infinity());
}

TEST_CASE("json: bytes that are no UTF-8 do not make a line unreadable", "[unit][record]") {
  TrialRecord record;
  record.facts.content.faults.push_back({7, FaultKind::decode_error, "photo\xff.jpg", "bad\0byte"});
  const TrialRecord back = record_from_json(to_json(record));
  REQUIRE(back.facts.content.faults.size() == 1);
  CHECK(back.facts.content.faults[0].where == "photo\xef\xbf\xbd.jpg");
}

TEST_CASE("json: members may be lacking or unknown", "[unit][record]") {
  const TrialRecord old = record_from_json(
      R"({"version":2,"sequence":3,"trial":{"index":1,"digest":"d","mode":"loader","new":[1]},"planned":{},"status":"VALID","facts":{}})");
  CHECK(old.sequence == 3);
  CHECK(old.trial.mode == Mode::loader);
  CHECK_FALSE(old.facts.bytes.read.has_value());
}

std::string complaint(std::string_view text) {
  try {
    record_from_json(text);
  } catch (const StoreError& e) {
    return std::string(e.message());
  }
  return "";
}

TEST_CASE("json: damage is a store error that names the member", "[unit][record]") {
  const auto with = [](const std::string& facts, const char* version = "2") {
    return complaint(std::string("{\"version\":") + version +
                     ",\"sequence\":0,\"trial\":{},\"planned\":{},\"status\":\"VALID\",\"facts\":" +
                     facts + "}");
  };
  CHECK(with("{}") == "");
  CHECK(with("{\"window_ns\":\"x\"}").find("facts.window_ns") != std::string::npos);
  CHECK(with("{\"samples\":-1}").find("facts.samples") != std::string::npos);
  CHECK(with("{\"workers\":4294967296}").find("facts.workers") != std::string::npos);
  CHECK(with("{\"window_ns\":18446744073709551615}").find("facts.window_ns") != std::string::npos);
  CHECK(with("{\"step\":{\"p50\":\"fast\"}}").find("facts.step.p50") != std::string::npos);
  CHECK(with("{\"faults\":[{},{\"id\":1.5}]}").find("facts.faults[1].id") != std::string::npos);
  CHECK(with("{}", "1").find("version 1") != std::string::npos);
  CHECK(with("{}", "18446744073709551615").find("version 18446744073709551615") !=
        std::string::npos);
  for (const char* none : {"0", "-1", "-9223372036854775808"})
    CHECK(with("{}", none) == std::string("not a valid record: its version is ") + none);
  CHECK(complaint("[]").find("not a valid record") != std::string::npos);
  CHECK(complaint("{\"version\":2}").find("lacks") != std::string::npos);
  CHECK(complaint("{\"version\":2,").find("not a valid record") != std::string::npos);
  CHECK_THROWS_AS(plan_from_json("{}"), StoreError);
  CHECK_THROWS_AS(
      trial_from_json(R"({"version":2,"index":0,"digest":"","mode":"fast","settings":{}})"),
      StoreError);
  CHECK_THROWS_AS(
      trial_from_json(
          R"({"version":2,"index":0,"digest":"","mode":"loader","settings":{"a":[1]}})"),
      StoreError);
}

}  // namespace benchbench::json_tests
