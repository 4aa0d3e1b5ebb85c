// The words of a history on nights that say nothing, and when they are an exit code.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "harness/report/history/history_report.h"
#include "tests/unit/analysis/kept_nights.h"

namespace benchbench::history_words_test {

using Catch::Contains;
using test::KeptNights;

constexpr const char* kNeighbours =
    "R09 neighbours in 3 of 3 rounds: other processes were stalled on CPU 9 % of the time";

HistoryReport report_of(const KeptNights& nights) {
  HistoryReport report;
  report.history = make_history(nights.all);
  return report;
}
std::string text_of(const KeptNights& nights) { return history_text(report_of(nights)); }

// A further series, there on each night.
void add_series(KeptNights& nights, const std::string& metric) {
  nights.all.series[metric] = {"night", "base", metric, false, "loader.num_workers=2\n"};
  for (KeptRun& run : nights.all.runs) run.values.push_back({metric, 50, 3});
}

TEST_CASE("history: three nights that are not judged are named and inconclusive, though it learns",
          "[unit][report]") {
  KeptNights nights(9);
  add_series(nights, "pipeline_rate");
  for (std::size_t i = 7; i < 9; ++i) nights.lose(i, kNeighbours);
  CHECK(not_judged_text(report_of(nights)).empty());
  CHECK(learning_text(report_of(nights)) == "learning, night 9 of 10");
  nights.lose(6, kNeighbours);
  CHECK(not_judged_text(report_of(nights)) ==
        std::string("1 series not judged in the last 3 nights: night/base/loader_rate: ") +
            kNeighbours);
  CHECK_THAT(text_of(nights),
             Contains("  not judged in 3 of 9 nights, 1 of 2 series\n"
                      "    R09 neighbours: 3 nights from n07 to n09, 1 series\n"
                      "      the last: night/base/loader_rate: R09 neighbours in 3 of 3 rounds: "
                      "other processes") &&
                 Contains("\nlearning, night 9 of 10\n1 series not judged in the last 3"));
}

TEST_CASE("history: one night in which nothing was judged is inconclusive once it has learned",
          "[unit][report]") {
  KeptNights nights(12);
  add_series(nights, "pipeline_rate");
  nights.lose(11, "FAILED in 1 of 1 round: no such file");
  CHECK(not_judged_text(report_of(nights)).empty());
  CHECK_THAT(text_of(nights), Contains("  not judged in 1 of 12 nights, 1 of 2 series\n"
                                       "    FAILED: night n12, 1 series\n"
                                       "      the last: night/base/loader_rate: FAILED in 1 of"));
  nights.all.runs[11].values[1] = {"pipeline_rate", 0, 0, 0, "FAILED in 1 of 1 round: x"};
  const std::string nothing =
      "night n12 was not judged: night/base/loader_rate: FAILED in 1 of 1 round: no such file";
  CHECK(not_judged_text(report_of(nights)) == nothing);
  // A series that ran once, long ago, was not judged in that night either.
  nights.all.series["once"] = {"other", "base", "loader_rate", false, ""};
  nights.all.runs[3].values.push_back({"once", 50, 3});
  CHECK(not_judged_text(report_of(nights)) == nothing);
}

TEST_CASE("history: on a machine that changed these words stand, whatever else is wrong",
          "[unit][report]") {
  KeptNights nights(12);
  nights.all.series["c"] = {"canaries", "base", "pipeline_rate", true};
  for (KeptRun& run : nights.all.runs) run.values.push_back({"c", 100, 3});
  for (std::size_t i = 9; i < 12; ++i) nights.lose(i, kNeighbours);
  nights.all.runs[11].values[1].median = 90;
  CHECK(not_judged_text(report_of(nights)) == "night n12 was not judged: the machine changed");
  nights.value(11).median = 100;
  CHECK_THAT(text_of(nights), Contains("  not judged in 3 of 12 nights, 1 of 1 series\n"
                                       "    R09 neighbours: 2 nights from n10 to n11, 1 series\n"
                                       "      the last: night/base/loader_rate: R09") &&
                                  !Contains("the machine changed: night") &&
                                  Contains("  night n12 is not judged: the machine changed"));
}

TEST_CASE("history: nights with one cause are one row, what one series said in one is said of that",
          "[unit][report]") {
  KeptNights nights(16);
  add_series(nights, "pipeline_rate");
  add_series(nights, "trainer_rate");
  for (std::size_t i = 3; i < 6; ++i) nights.lose(i, "R09 neighbours in 2 of 3 rounds: first");
  nights.lose(5, "R09 neighbours in 3 of 3 rounds: last");
  for (const std::size_t value : {1, 2})
    nights.all.runs[4].values[value] = {value == 1 ? "pipeline_rate" : "trainer_rate", 0, 0, 0,
                                        "R09 neighbours in 1 of 3 rounds: other"};
  const std::string row =
      "    R09 neighbours: 3 nights from n04 to n06, 3 series\n"
      "      the last: night/base/loader_rate: R09 neighbours in 3 of 3 rounds: last\n";
  CHECK_THAT(text_of(nights), Contains("  not judged in 3 of 16 nights, 3 of 3 series\n" + row));
  for (const std::size_t night : {8, 12}) nights.lose(night, "FAILED: x\x1b");
  CHECK_THAT(text_of(nights), Contains("    FAILED: 2 nights from n09 to n13, 1 series\n"
                                       "      the last: night/base/loader_rate: FAILED: x\\x1b\n" +
                                       row));
}

TEST_CASE("history: wide nights are named, and those that an alert is made of", "[unit][report]") {
  KeptNights nights(11);
  for (int i = 0; i < 5; ++i) nights.add("s", 100 / 1.2);
  for (std::size_t i = 9; i < 14; ++i) nights.widen(i, kNeighbours);
  nights.skip(15);
  CHECK_THAT(text_of(nights),
             Contains("REGRESSION night/base/loader_rate: slower by 16.7 %, from night n12") &&
                 Contains("    NOISY: 3 of 4 nights judged from there on\n") &&
                 Contains("  wide in 5 of 16 nights, 1 of 1 series: NOISY, and may have been "
                          "faster\n    R09 neighbours: 5 nights from n10 to n14, 1 series\n"));
}

TEST_CASE("history: a series that ended is named with what changed, and counts no more",
          "[unit][report]") {
  KeptNights nights(12);
  nights.all.series["t"] = nights.all.series["s"];
  nights.all.series["t"].settings = "loader.num_workers=4\n";
  for (int i = 0; i < 3; ++i) nights.add("t", 50);
  const HistoryReport report = report_of(nights);
  CHECK_THAT(
      history_text(report),
      Contains("  1 series: 0 with a change, 0 without, 1 learning (night 3 of 10)\n"
               "  ended: night/base/loader_rate at night n13: loader.num_workers: 2 -> 4\n"));
  CHECK(learning_text(report) == "learning, night 3 of 10");
  CHECK(not_judged_text(report).empty());
}

TEST_CASE("history: series of one name show the settings in which they differ", "[unit][report]") {
  KeptNights nights(9);
  const std::string settings = "loader.batch_size=32\nloader.batch_time=";
  nights.all.series["fast"] = {"night", "base", "pipeline_rate", false, settings + "5ms\n"};
  nights.all.series["slow"] = {"night", "base", "pipeline_rate", false, settings + "6ms\n"};
  // An older version kept no settings.
  nights.all.series["older"] = {"night", "base", "pipeline_rate", false, ""};
  for (KeptRun& run : nights.all.runs)
    for (const auto& [id, rate] : {std::pair("older", 45), std::pair("fast", 50), {"slow", 40}})
      run.values.push_back({id, static_cast<double>(rate), 3});
  for (std::size_t i = 6; i < 9; ++i)
    nights.all.runs[i].values.back() = {"slow", 0, 0, 0, kNeighbours};
  CHECK_THAT(text_of(nights),
             Contains("the last: night/base/pipeline_rate (loader.batch_time 6ms): R09"));
  std::set<std::string> apart;
  const auto json = nlohmann::json::parse(history_json(report_of(nights)));
  for (const auto& series : json["machines"][0]["series"]) apart.insert(series["apart"].dump());
  CHECK(apart == std::set<std::string>{"[]", R"(["loader.batch_time 5ms"])",
                                       R"(["loader.batch_time 6ms"])"});
}

TEST_CASE("history: what was not judged, is wide or has ended, as JSON", "[unit][report]") {
  KeptNights nights(12);
  nights.lose(3, "FAILED in 1 of 1 round: x");
  nights.widen(5, kNeighbours);
  const auto series_of = [](const KeptNights& of) {
    return nlohmann::json::parse(history_json(report_of(of)))["machines"][0]["series"][0];
  };
  auto series = series_of(nights);
  CHECK(series["not_judged_nights"] ==
        nlohmann::json::parse(R"([{"night": "n04", "reason": "FAILED in 1 of 1 round: x"}])"));
  CHECK(series["wide_nights"][0]["night"] == "n06");
  CHECK(series["ended"].is_null());
  nights.all.series["t"] = nights.all.series["s"];
  nights.all.series["t"].settings = "loader.num_workers=4\n";
  nights.add("t", 50);
  series = series_of(nights);
  CHECK(series["ended"] ==
        nlohmann::json::parse(
            R"({"night": "n13", "goes_on": true, "changed": ["loader.num_workers: 2 -> 4"],)"
            R"( "out_of_set": false})"));
}

}  // namespace benchbench::history_words_test
