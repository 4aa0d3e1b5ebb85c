// Nights of a series that say nothing: which, why, and where it has ended.
#include <catch2/catch.hpp>
#include <vector>

#include "tests/unit/analysis/kept_nights.h"

namespace benchbench {
namespace silent_nights_test {

using test::KeptNights;

std::vector<std::size_t> nights_in(const std::vector<NightReason>& reasons) {
  std::vector<std::size_t> out;
  for (const NightReason& r : reasons) out.push_back(r.night);
  return out;
}

TEST_CASE("history: nights without a value are named from the first that ran, with their reasons",
          "[unit][analysis]") {
  KeptNights nights(16);
  nights.skip(0);
  nights.lose(1, "SKIPPED: no CUDA device");
  nights.lose(4, "FAILED in 3 of 3 rounds: no such file");
  nights.skip(6);
  nights.lose(8, "SKIPPED: no CUDA device");
  nights.lose(14, "");
  nights.lose(15, "R02 content in 2 of 3 rounds: x");
  const SeriesHistory s = nights.judged().series.at(0);
  CHECK(nights_in(s.not_judged) == std::vector<std::size_t>{4, 6, 8, 14, 15});
  CHECK(s.not_judged[0].reason == "FAILED in 3 of 3 rounds: no such file");
  CHECK(s.not_judged[1].reason == "was not measured");
  CHECK(s.not_judged[2].reason == "SKIPPED: no CUDA device");
  CHECK(s.not_judged[3].reason == "fewer than half of its rounds were VALID");
  CHECK(s.judged_nights.size() == 9);
  CHECK(s.unjudged_at_end == 2);
  CHECK_FALSE(s.ended);
}

TEST_CASE("history: a series that was SKIPPED each night is none", "[unit][analysis]") {
  KeptNights nights(4);
  for (std::size_t i = 0; i < 4; ++i) nights.lose(i, "SKIPPED: no CUDA device");
  CHECK(nights.judged().series.empty());
  nights.lose(3, "FAILED in 1 of 1 round: x");
  CHECK(nights.judged().series.at(0).unjudged_at_end == 1);
}

TEST_CASE("history: a night whose canaries moved is not judged, and a wide one is",
          "[unit][analysis]") {
  KeptNights nights(12);
  nights.all.series["c"] = {"canaries", "base", "pipeline_rate", true};
  for (KeptRun& run : nights.all.runs) run.values.push_back({"c", 100, 3});
  nights.all.runs[9].values[1].median = 90;
  nights.widen(9, "R09 neighbours in 3 of 3 rounds: x");
  nights.widen(10, "R09 neighbours in 3 of 3 rounds: x");
  const SeriesHistory s = nights.judged().series.at(0);
  CHECK(nights_in(s.not_judged) == std::vector<std::size_t>{9});
  CHECK(s.not_judged[0].reason == kMachineChanged);
  CHECK(nights_in(s.wide) == std::vector<std::size_t>{10});
  CHECK(s.judged_nights.size() == 11);
}

TEST_CASE("history: a series ends where one of its name goes on with other settings",
          "[unit][analysis]") {
  KeptNights nights(8);
  nights.all.series["s"].settings = "a.samples=2048\nloader.times_digest=x\nloader.workers=2\n";
  nights.all.series["t"] = nights.all.series["s"];
  nights.all.series["t"].settings = "a.samples=4096\nloader.times_digest=x\ntrainer.new=1\n";
  nights.lose(7, "FAILED in 1 of 1 round: x");
  for (int i = 0; i < 3; ++i) nights.add("t", 50);
  const MachineHistory m = nights.judged();
  REQUIRE(m.series.size() == 2);
  REQUIRE(m.series[0].ended);
  CHECK(m.series[0].ended->night == 8);
  CHECK(m.series[0].ended->goes_on);
  CHECK(m.series[0].ended->changed == std::vector<std::string>{"a.samples: 2048 -> 4096",
                                                               "loader.workers: 2 -> none",
                                                               "trainer.new: none -> 1"});
  CHECK(nights_in(m.series[0].not_judged) == std::vector<std::size_t>{7});
  CHECK(m.series[0].unjudged_at_end == 0);
  CHECK_FALSE(m.series[1].ended);
  CHECK(m.series[1].judged_nights.size() == 3);
  CHECK(m.series[1].not_judged.empty());
  nights.all.series["s"].settings.clear();  // of an older version
  CHECK(nights.judged().series[0].ended->changed.empty());
  CHECK(nights.judged().series[0].ended->goes_on);
}

TEST_CASE("history: series of one name that take turns lack no night", "[unit][analysis]") {
  KeptNights nights(0);
  nights.all.series["t"] = nights.all.series["s"];
  nights.all.series["t"].settings = "loader.num_workers=4\n";
  for (int i = 0; i < 16; ++i) nights.add(i % 2 == 0 ? "s" : "t", 100);
  const MachineHistory m = nights.judged();
  CHECK(m.series.at(0).not_judged.empty());
  CHECK(m.series[0].ended->night == 15);
  CHECK(m.series.at(1).not_judged.empty());
  CHECK_FALSE(m.series[1].ended);
}

TEST_CASE("history: other data of a scenario are what changed, wherever it ran last",
          "[unit][analysis]") {
  KeptNights nights(6);
  const auto data = [&](std::size_t night, const char* samples) {
    nights.all.runs[night].surroundings = {{"data of steps", samples}};
  };
  data(1, "10 samples"), data(2, "10 samples"), data(4, "20 samples"), data(5, "20 samples");
  const auto judged = nights.judged().nights;
  for (const std::size_t night : {0, 1, 2, 3, 5}) CHECK(judged.at(night).changed.empty());
  CHECK(judged.at(4).changed ==
        std::vector<std::string>{"data of steps: 10 samples -> 20 samples"});
}

TEST_CASE("history: a series that ran in two nights need not be there in each",
          "[unit][analysis]") {
  KeptNights nights(7);
  for (const std::size_t night : {1, 4, 5, 6}) nights.skip(night);
  CHECK(nights_in(nights.judged().series.at(0).not_judged) == std::vector<std::size_t>{4, 5, 6});
  nights.skip(3);
  CHECK(nights.judged().series.at(0).not_judged.empty());
}

TEST_CASE("history: a series that did not run for ten nights has ended", "[unit][analysis]") {
  for (const bool skipped : {false, true}) {
    KeptNights nights(16);
    const auto leave_out = [&](std::size_t night) {
      if (skipped)
        nights.lose(night, "SKIPPED: no CUDA device");
      else
        nights.skip(night);
    };
    for (std::size_t i = 7; i < 16; ++i) leave_out(i);
    CHECK(nights.judged().series.at(0).unjudged_at_end == 9);
    CHECK_FALSE(nights.judged().series[0].ended);
    leave_out(6);
    const SeriesHistory s = nights.judged().series.at(0);
    REQUIRE(s.ended);
    CHECK(s.ended->night == 6);
    CHECK_FALSE(s.ended->goes_on);
    CHECK(s.unjudged_at_end == 0);
    CHECK(s.not_judged.empty());
  }
}

TEST_CASE("history: a series whose scenario is taken out of the nights' set has ended",
          "[unit][analysis]") {
  KeptNights nights(10);
  for (std::size_t i = 0; i < 10; ++i) nights.all.runs[i].labels.emplace_back("set", "a,night");
  for (std::size_t i = 6; i < 10; ++i) nights.skip(i);
  // It failed to start for four nights: the set holds it.
  CHECK(nights.judged().series.at(0).unjudged_at_end == 4);
  CHECK_FALSE(nights.judged().series[0].ended);
  for (std::size_t i = 7; i < 10; ++i) nights.all.runs[i].labels.back().second = "a,night2";
  const SeriesHistory s = nights.judged().series.at(0);
  REQUIRE(s.ended);
  CHECK(s.ended->out_of_set);
  CHECK_FALSE(s.ended->goes_on);
  CHECK(s.ended->night == 7);
  CHECK(s.unjudged_at_end == 0);
  CHECK(nights_in(s.not_judged) == std::vector<std::size_t>{6});
  for (const Night& night : nights.judged().nights) CHECK(night.changed.empty());
  nights.all.runs[8].labels.pop_back();  // names no set
  CHECK(nights.judged().series[0].ended->night == 7);
  nights.all.runs[9].labels.back().second = "night";
  CHECK_FALSE(nights.judged().series[0].ended);
}

TEST_CASE("history: a set may name a series by its run's folder", "[unit][analysis]") {
  KeptNights nights(5);
  for (std::size_t i = 0; i < 5; ++i) {
    KeptRun& run = nights.all.runs[i];
    run.folder = run.night() + "-part";
    run.labels.emplace_back("set", i < 4 ? "part" : "other");
  }
  CHECK_FALSE(nights.judged().series.at(0).ended);  // the last one ran it all the same
  nights.skip(4);
  CHECK(nights.judged().series.at(0).ended->night == 4);
  nights.all.runs[4].labels.back().second = "part";
  CHECK_FALSE(nights.judged().series.at(0).ended);
}

}  // namespace silent_nights_test
}  // namespace benchbench
