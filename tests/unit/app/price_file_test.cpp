// What runs teach about time, and how it is kept.
#include "harness/app/preparation/price_file.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "harness/plan/price.h"
#include "harness/plan/starts.h"
#include "tests/scratch_folder.h"
#include "tests/unit/app/standard_error.h"

namespace benchbench::price_file_test {
namespace {

TrialRecord record_of(Status status, double window, double warm_up, std::uint64_t steps) {
  TrialRecord r;
  r.status = status;
  r.trial.digest = "d";
  const auto set = [&](const char* key, ParameterType type, const char* text) {
    r.trial.settings.set(key, Value::parse(type, text).value());
  };
  set("measure.window", ParameterType::duration, "1s");
  set("measure.warmup", ParameterType::text, "until_steady");
  set("loader.num_workers", ParameterType::integer, "0");
  r.facts.window.ns = static_cast<std::int64_t>(window * 1e9);
  r.facts.start.warmup_ns = static_cast<std::int64_t>(warm_up * 1e9);
  r.facts.window.steps = steps;
  r.facts.peak_memory_bytes = 100;
  return r;
}

}  // namespace

TEST_CASE("prices: of a trial the mean of a run replaces what was known", "[unit][app]") {
  // The shortest warm-up: a step of 0.1 s and 0.3 s.
  const TrialRecord r = record_of(Status::noisy, 1, 0.7, 10);
  Prices prices{{price_key(r.trial), {.startup_seconds = 99, .step_seconds = 99}}};
  PriceLesson lesson(prices);
  CHECK(lesson.learn(r, 2));
  const PriceEntry& e = prices.at(price_key(r.trial));
  CHECK(e.startup_seconds == Approx(0.3));
  CHECK(e.step_seconds == Approx(0.1));
  CHECK(e.warm_up_factor == Approx(0.7 / 0.4));
  CHECK(e.memory_bytes == 100);
  CHECK(lesson.learn(record_of(Status::invalid, 1, 0.7, 10), 2.6));
  CHECK(e.startup_seconds == Approx((0.3 + 0.9) / 2));
  CHECK_FALSE(lesson.learn(record_of(Status::failed, 1, 0.7, 10), 50));
  CHECK_FALSE(lesson.learn(record_of(Status::aborted, 1, 0.7, 10), 50));
  CHECK_FALSE(lesson.learn(record_of(Status::valid, 1, 0.7, 0), 50));
  CHECK(e.startup_seconds == Approx((0.3 + 0.9) / 2));
}

TEST_CASE("prices: a start of the user's Python is learned where a trial had a process of its own",
          "[unit][app]") {
  TrialRecord fresh = record_of(Status::valid, 1, 0.5, 10);
  fresh.trial.settings.set("loader.call", Value::parse(ParameterType::text, "make").value());
  fresh.trial.settings.set("loader.script", Value::parse(ParameterType::text, "a.py").value());
  ExternalFacts& there = fresh.facts.external.emplace();
  there.way = ExternalWay::self_timed;
  there.spawn_ns = 1'000'000'000;
  there.import_ns = 7'000'000'000;
  there.call_ns = 2'000'000'000;
  TrialRecord shared = fresh, handed_over = fresh;
  handed_over.facts.external->way = ExternalWay::hand_over;
  shared.facts.external->spawn_ns.reset();
  shared.facts.external->trials_before = 1;
  Prices prices;
  PriceLesson lesson(prices);
  CHECK(lesson.learn(shared, 2));
  CHECK(lesson.learn(handed_over, 12));
  CHECK_FALSE(known_start(fresh.trial.settings, prices));
  CHECK(lesson.learn(fresh, 21.5));  // with the fetching of batches to replay
  CHECK(known_start(fresh.trial.settings, prices).value() == Approx(10));
  CHECK(lesson.learn(shared, 2));
  CHECK(known_start(fresh.trial.settings, prices).value() == Approx(10));
}

TEST_CASE("prices: a warm-up of a fixed length teaches nothing of one until steady",
          "[unit][app]") {
  TrialRecord r = record_of(Status::valid, 1, 5, 10);
  r.trial.settings.set("measure.warmup", Value::parse(ParameterType::text, "50ms").value());
  Prices prices;
  CHECK(PriceLesson(prices).learn(r, 7));
  CHECK(prices.at(price_key(r.trial)).warm_up_factor == 1);
  CHECK(prices.at(price_key(r.trial)).startup_seconds == Approx(1));
}

TEST_CASE(
    "prices: in virtual time a trial costs its wall time, and teaches nothing of the real one",
    "[unit][app]") {
  Prices prices;
  TrialRecord r = record_of(Status::valid, 1000, 0.7, 10);
  r.facts.simulated = true;
  PriceLesson lesson(prices);
  CHECK(lesson.learn(r, 0.02));
  CHECK(prices.size() == 1);
  CHECK(prices.at(simulated_key(r.trial)).startup_seconds == Approx(0.02));
}

TEST_CASE("prices: a file of before has no factor, a damaged line is left out", "[unit][app]") {
  const std::string cache = test::make_scratch_folder("prices");
  write_prices(cache, "m", {{"k", {1.5, 0.25, 77, 3}}});
  std::ofstream(cache + "/prices-m.tsv", std::ios::app) << "old\t1\t2\t3\nbad\t1\n";
  std::ofstream(cache + "/prices-m.tsv", std::ios::app)
      << "nan\tnan\t2\t3\t1\nnegative\t1\t-2\t3\t1\nendless\t1\tinf\t3\t1\n"
         "huge\t1\t2\t18446744073709551615\t1\nslow\t1\t3601\t3\t1\nmore\t1\t2\t3\t1\t1\n"
         "long\t604801\t2\t3\t1\ncold\t1\t2\t3\t41\nlast\t604800\t3600\t3\t40\n\t1\t2\t3\t1\n";
  Prices prices;
  const auto read = [&] { prices = read_prices(cache, "m"); };
  CHECK_THAT(test::on_standard_error(read),
             Catch::Contains(cache + "/prices-m.tsv: 10 lines left out: no trial costs that\n"));
  CHECK(test::on_standard_error(read).empty());
  CHECK(prices.size() == 3);
  CHECK(prices.at("last").step_seconds == 3600);
  CHECK(prices.at("k").warm_up_factor == 3);
  CHECK(prices.at("k").step_seconds == 0.25);
  CHECK(prices.at("old").warm_up_factor == 1);
  std::filesystem::resize_file(cache + "/prices-m.tsv", (16u << 20) + 1);
  read();
  CHECK(prices.empty());
  std::filesystem::remove_all(cache);
}

TEST_CASE("prices: where they cannot be kept is said once, and leaves nothing", "[unit][app]") {
  const std::string cache = test::make_scratch_folder("prices");
  std::filesystem::create_directory(cache + "/prices-m.tsv");
  const std::string told = test::on_standard_error([&] {
    for (int i = 0; i < 2; ++i) write_prices(cache, "m", {{"k", {1, 1, 1, 1}}});
  });
  CHECK(told == "warning: what this run teaches of time is not kept: " + cache +
                    "/prices-m.tsv: cannot put in place: Is a directory\n");
  CHECK(std::distance(std::filesystem::directory_iterator(cache), {}) == 1);
  CHECK(read_prices(cache, "m").empty());
  std::filesystem::remove_all(cache);
}

TEST_CASE("timed runs: earlier ones of the same plan are counted, and make the limit narrower",
          "[unit][app]") {
  const std::string cache = test::make_scratch_folder("prices");
  CHECK(read_timed_runs(cache, "m").empty());
  for (const std::string plan : {"p", "q", "p"})
    add_timed_run(cache, "m", {"file", plan, "a name", 10, 20});
  const auto runs = read_timed_runs(cache, "m");
  REQUIRE(runs.size() == 3);
  CHECK(runs[0].earlier == 0);
  CHECK(runs[1].earlier == 0);
  CHECK(runs[2].earlier == 1);
  CHECK(runs[2].name == "a name");
  CHECK(runs[2].took == 20);
  CHECK(estimate_holds(runs[0]));
  CHECK_FALSE(estimate_holds(runs[2]));
  CHECK(off_by({.estimated = 20, .took = 10}) == Approx(2));
  CHECK(estimate_holds({.estimated = 10, .took = 30, .earlier = 0}));
  CHECK_FALSE(estimate_holds({.estimated = 10, .took = 30.1, .earlier = 0}));
  CHECK(estimate_holds({.estimated = 15, .took = 10, .earlier = 1}));
  CHECK_FALSE(estimate_holds({.estimated = 15.1, .took = 10, .earlier = 1}));
  std::filesystem::remove_all(cache);
}

}  // namespace benchbench::price_file_test
