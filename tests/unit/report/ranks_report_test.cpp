// What the report of `benchbench wrap` says of ranks that were measured together.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/report/external/rank_table.h"
#include "harness/report/text/formats.h"
#include "tests/unit/report/told_findings.h"
#include "tests/unit/report/values_of.h"

namespace benchbench::ranks_report_test {

bool has(const std::string& text, std::string_view words) {
  return text.find(words) != std::string::npos;
}

struct Ranks : test::ToldFindings {
  Ranks() {
    plan.scenario.base.set("measure.class", test::words("stretch"));
    add({}, 816.5, 500, 400);
  }
  RankRates& rank(std::uint32_t number, std::vector<double> loader,
                  std::vector<double> trainer = {}, std::optional<double> waited = {}) {
    RankRates& r = plan.ranks.emplace_back();
    r.rank = number;
    r.loader = std::move(loader);
    r.trainer = std::move(trainer);
    r.waited_share = waited;
    return r;
  }
  std::string written(const char* format, bool detail = false) {
    conclude();
    std::ostringstream out;
    TerminalStyle style;
    style.width = 120, style.detail = detail;
    const std::vector<TrialRecord> records;
    find_report_format(format)->write(out, {f, plan, records, "", style});
    return out.str();
  }
};

// Rank 1's loader makes half of what rank 0's does, in each of three rounds.
struct TwoRanks : Ranks {
  TwoRanks() {
    rank(0, {1000, 2000, 4000}, {500, 500, 500}, 0.05).pipeline = {400, 400, 400};
    rank(1, {500, 1000, 2000}, {}, 0.4).reported = true;
  }
};

TEST_CASE("ranks: each has a row with its rates, and the slowest is marked",
          "[unit][report][wrap]") {
  TwoRanks two;
  for (const bool detail : {false, true}) {
    const std::string text = two.written("terminal", detail);
    INFO(text);
    CHECK(has(text,
              "Ranks that train together, over all rounds; the rest of this report is of rank 1:\n"
              "  rank     loader L  trainer T   script F  waits\n"
              "          samples/s  samples/s  samples/s   of F\n"
              "  0     2,000 ±459%  500 exact  400 exact  5.0 %\n"));
    CHECK(has(text, "slowest loader\n"));
    CHECK_FALSE(has(text, "5.0 %  slowest"));
    CHECK(has(text,
              "Slowest loader: rank 1, 1,000 samples/s; "
              "quickest: rank 0, 2,000 samples/s, 2.00x exact.\n"));
  }
  CHECK(has(two.written("markdown"),
            "| rank | loader L | trainer T | script F | waits (of F) | |\n| :-- | --: | --: | --: "
            "| --: | :-- |\n| 0 | 2,000"));
  CHECK(
      has(two.written("markdown"), "| - | - | 40 % | slowest loader |\n\nSlowest loader: rank 1"));
}

TEST_CASE("ranks: the same in JSON", "[unit][report][wrap]") {
  TwoRanks two;
  const auto ranks = nlohmann::json::parse(two.written("json"))["ranks"];
  CHECK(ranks["by"] == "loader");
  CHECK(ranks["slowest"] == 1);
  CHECK(ranks["quickest"] == 0);
  CHECK(ranks["ratio"]["value"].get<double>() == Approx(2));
  CHECK(ranks["ratio"]["low"].get<double>() == Approx(2));
  REQUIRE(ranks["rates"].size() == 2);
  CHECK(ranks["rates"][0]["rank"] == 0);
  CHECK(ranks["rates"][0]["reported"] == false);
  CHECK(ranks["rates"][0]["loader_rate_samples_per_second"]["value"].get<double>() == Approx(2000));
  CHECK(ranks["rates"][0]["loader_rate_samples_per_second"]["n"] == 3);
  CHECK(ranks["rates"][0]["trainer_rate_samples_per_second"]["value"].get<double>() == Approx(500));
  CHECK(ranks["rates"][0]["pipeline_rate_samples_per_second"]["value"].get<double>() ==
        Approx(400));
  CHECK(ranks["rates"][1]["reported"] == true);
  CHECK(ranks["rates"][1]["trainer_rate_samples_per_second"].is_null());
  CHECK(ranks["rates"][1]["pipeline_rate_samples_per_second"].is_null());
  CHECK(ranks["rates"][1]["waited_share"].get<double>() == Approx(0.4));
}

TEST_CASE("ranks: one process has none", "[unit][report][wrap]") {
  Ranks one;
  for (const bool first : {true, false}) {
    CHECK(rank_title(one.plan).empty());
    CHECK_FALSE(has(one.written("terminal"), "anks"));
    CHECK_FALSE(has(one.written("markdown"), "anks"));
    CHECK(nlohmann::json::parse(one.written("json"))["ranks"].is_null());
    if (first) one.rank(0, {100, 100});  // of the others nothing was measured
  }
}

TEST_CASE("ranks: a difference that the rounds do not show is said to be none",
          "[unit][report][wrap]") {
  Ranks r;
  r.rank(0, {100, 130, 100});
  r.rank(1, {110, 100, 110});
  CHECK(rank_spread_words(r.plan).ends_with(" The rounds differ by more than that."));
  CHECK(rank_columns(r.plan).back().cells == std::vector<std::string>{"", ""});
  r.plan.ranks[0].loader = {100, 130};  // not of the same rounds
  CHECK(rank_spread_words(r.plan) ==
        "Slowest loader: rank 1, 107 samples/s; quickest: rank 0, 114 samples/s, 1.07x.");
}

TEST_CASE("ranks: of more than two those furthest apart are named, whatever their order",
          "[unit][report][wrap]") {
  Ranks r;
  r.rank(0, {200});
  r.rank(2, {100});
  r.rank(3, {300});
  r.rank(5, {});
  CHECK(rank_spread_words(r.plan) ==
        "Slowest loader: rank 2, 100 samples/s; quickest: rank 3, 300 samples/s, 3.00x.");
  CHECK(rank_values(r.plan)["slowest"] == 2);
  CHECK(rank_values(r.plan)["rates"][3]["loader_rate_samples_per_second"].is_null());
}

TEST_CASE("ranks: without any L it is the wait in F that is compared", "[unit][report][wrap]") {
  Ranks r;
  r.rank(0, {}, {}, 0.05);
  r.rank(1, {}, {}, 0.4);
  CHECK(rank_spread_words(r.plan) ==
        "Waits longest for its loader: rank 1, 40 % of F; least: rank 0, 5.0 % of F.");
  CHECK(rank_columns(r.plan).back().cells == std::vector<std::string>{"", "waits longest"});
  CHECK(rank_values(r.plan)["by"] == "wait");
  CHECK(rank_values(r.plan)["slowest"] == 1);
  CHECK(rank_values(r.plan)["ratio"].is_null());
}

TEST_CASE("ranks: where only one has a value, or none has, none is slower",
          "[unit][report][wrap]") {
  Ranks r;
  r.rank(0, {});
  r.rank(1, {});
  CHECK(rank_spread_words(r.plan).empty());
  CHECK(rank_values(r.plan)["by"].is_null());
  r.plan.ranks[1].loader = {100};
  CHECK(rank_spread_words(r.plan) ==
        "L was measured of rank 1 alone, so that ranks cannot be compared.");
  CHECK(rank_columns(r.plan).back().cells == std::vector<std::string>{"", ""});
  CHECK(rank_values(r.plan)["slowest"].is_null());
  r.plan.ranks[0].loader = {100};
  CHECK(rank_spread_words(r.plan) == "No rank's loader is slower than another's.");
  Ranks by_wait;
  by_wait.rank(0, {});
  by_wait.rank(1, {}, {}, 0.25);
  CHECK(rank_spread_words(by_wait.plan) ==
        "F was measured of rank 1 alone, so that ranks cannot be compared.");
  by_wait.plan.ranks[0].waited_share = 0.25;
  CHECK(rank_spread_words(by_wait.plan) == "No rank waits longer for its loader than another.");
  CHECK(rank_columns(by_wait.plan).back().cells == std::vector<std::string>{"", ""});
}

TEST_CASE("ranks: where the report is of none of them, none is named", "[unit][report][wrap]") {
  TwoRanks two;
  two.plan.ranks[1].reported = false;
  CHECK(rank_title(two.plan) == "Ranks that train together, over all rounds:");
}

}  // namespace benchbench::ranks_report_test
