#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <sstream>

#include "harness/analysis/metrics/metric.h"
#include "harness/core/error.h"
#include "harness/report/describe/describe.h"
#include "harness/report/describe/part_list.h"
#include "harness/report/terminal/progress_line.h"
#include "harness/report/text/cells.h"
#include "harness/report/text/text_table.h"

namespace benchbench {
namespace words_test {

constexpr std::string_view kKinds[] = {"constant", "exponential"};
constexpr Parameter kTimedKeys[] = {
    {"step_time", ParameterType::duration, "10ms", "How long a step takes.", 0, 1e12},
    {"distribution", ParameterType::choice, "constant", "How step times vary.", 0, 1, kKinds},
};
constexpr Parameter kReplayKeys[] = {{"times", ParameterType::text, "", "The file of times."}};
constexpr Stage kStagesOfTimed[] = {Stage::forward, Stage::backward};
constexpr PartDescription kTimed{.kind = PartKind::trainer,
                                 .name = "timed",
                                 .summary = "Takes a set time a step.",
                                 .parameters = kTimedKeys,
                                 .stages = kStagesOfTimed,
                                 .simulated = true,
                                 .mock = true};
constexpr PartDescription kResnet{.kind = PartKind::trainer,
                                  .name = "resnet50",
                                  .summary = "ResNet-50.",
                                  .data = DataKind::image};
constexpr PartDescription kReplayLoader{.kind = PartKind::loader,
                                        .name = "replay",
                                        .summary = "Plays times back.",
                                        .parameters = kReplayKeys,
                                        .mock = true};
constexpr PartDescription kReplayTrainer{
    .kind = PartKind::trainer, .name = "replay", .summary = "Plays steps back.", .mock = true};

Catalog small_catalog() {
  static const PartRow rows[] = {{&kTimed, {}, ""},
                                 {&kResnet, {}, "torch"},
                                 {&kReplayLoader, {}, ""},
                                 {&kReplayTrainer, {}, ""}};
  return Catalog(rows);
}

TEST_CASE("describe: whose epoch gaps are measured is said", "[unit][report]") {
  const std::string text = describe("epoch_gap", small_catalog());
  CHECK(text.find("have no gap") != std::string::npos);
}

TEST_CASE("describe: a part with its parameters in plain words", "[unit][report]") {
  CHECK(describe("timed", small_catalog()) ==
        "timed (trainer)\n"
        "  Takes a set time a step.\n"
        "  a mock, takes any data, can run in virtual time\n"
        "  meters forward, backward\n"
        "\n"
        "  trainer.step_time\n"
        "    How long a step takes.\n"
        "    a duration such as 12ms, 0s to 1000s; default 10ms\n"
        "\n"
        "  trainer.distribution\n"
        "    How step times vary.\n"
        "    one of constant, exponential; default constant\n");
}

TEST_CASE("describe: what a part can be measured without, and how", "[unit][report]") {
  static constexpr Change resident[] = {{"residency", "host"}};
  static constexpr Change plain[] = {{"crop", "none"}, {"flip", "0"}};
  static constexpr Substitution free[] = {{Component::storage, resident},
                                          {Component::transform, plain}};
  static constexpr PartDescription part{
      .kind = PartKind::loader, .name = "reader", .summary = "Reads.", .substitutions = free};
  static const PartRow rows[] = {{&part, {}, ""}};
  CHECK_THAT(describe("reader", Catalog(rows), 200),
             Catch::Contains("can be measured without (run --substitute): "
                             "storage (residency: host), transform (crop: none, flip: 0)\n"));
  CHECK(describe("timed", small_catalog()).find("measured without") == std::string::npos);
}

TEST_CASE("describe: a word with two meanings gets both", "[unit][report]") {
  const std::string text = describe("replay", small_catalog());
  CHECK(text.find("replay (loader)") != std::string::npos);
  CHECK(text.find("replay (trainer)") != std::string::npos);
}

TEST_CASE("describe: keys by their full name, their last part, or a part's", "[unit][report]") {
  const Catalog catalog = small_catalog();
  CHECK(describe("num_workers", catalog) == describe("loader.num_workers", catalog));
  CHECK(describe("loader.num_workers", catalog).starts_with("loader.num_workers\n"));
  CHECK(describe("timed.step_time", catalog).starts_with("trainer.step_time (of trainer timed)\n"));
  CHECK(describe("loader.times", catalog).find("required") != std::string::npos);
}

TEST_CASE("describe: metrics, their symbols and rules", "[unit][report]") {
  const Catalog catalog = small_catalog();
  CHECK(describe("loader_rate", catalog).starts_with("loader_rate (L)\n"));
  CHECK(describe("L", catalog) == describe("loader_rate", catalog));
  CHECK(describe("R06", catalog).starts_with("R06 (steady)\n"));
  for (const Metric& m : metrics()) CHECK_NOTHROW(describe(m.name, catalog));
}

TEST_CASE("describe: no line is wider than asked", "[unit][report]") {
  std::istringstream lines(describe("headroom", small_catalog(), 60));
  for (std::string line; std::getline(lines, line);) CHECK(display_width(line) <= 60);
}

TEST_CASE("describe: an unknown word gets the nearest", "[unit][report]") {
  try {
    describe("headrom", small_catalog());
    FAIL("must throw");
  } catch (const UsageError& e) {
    CHECK(e.message() == "unknown name \"headrom\"");
    CHECK(e.hint() == "did you mean headroom?");
  }
  CHECK_THROWS_AS(describe("zzzzzzzz", small_catalog()), UsageError);
}

TEST_CASE("part list: parts by kind, with what is missing", "[unit][report]") {
  CHECK(part_list(small_catalog(), {{"torch", "not found"}}, {}, 60) ==
        "loaders (loader.use)\n"
        "  replay    mock  Plays times back.\n"
        "\n"
        "trainers (trainer.use)\n"
        "  timed     mock  Takes a set time a step.\n"
        "  resnet50  real  ResNet-50. [needs libtorch: not found]\n"
        "  replay    mock  Plays steps back.\n");
  // A module's own words already name what it needs.
  CHECK_THAT(part_list(small_catalog(), {{"torch", "needs libtorch: not built"}}, {}, 60),
             Catch::Contains("[needs libtorch: not built]"));
  CHECK(part_list(small_catalog(), {}, find_listed_kind("loaders"), 60) ==
        "loaders (loader.use)\n  replay    mock  Plays times back.\n");
  CHECK_FALSE(find_listed_kind("loader"));
}

TEST_CASE("progress: the line says where the run stands", "[unit][report]") {
  Progress p;
  p.trial = 7, p.trials = 99;
  p.point = "num_workers=4";
  p.mode = Mode::pipeline;
  p.phase = "measuring";
  p.phase_share = 0.4;
  p.rate_now = 1234;
  p.loader_rate = 2310, p.trainer_rate = 1240;
  p.left = Seconds(125);
  CHECK(progress_text(p, 200) ==
        "[ 7/99] num_workers=4 pipeline, "
        "measuring 40 %  1,234/s  |  L 2,310  T 1,240  |  3 min left");
  CHECK(progress_text(p, 50) == "[ 7/99] num_workers=4 pipeline  |  3 min left");
  CHECK(progress_text(p, 12) == "[ 7/99] num…");
  for (std::size_t width = 1; width < 120; ++width)
    CHECK(display_width(progress_text(p, width)) <= width);
  CHECK(progress_plain(p).back() == '\n');
  CHECK(progress_plain(p).find('\x1b') == std::string::npos);
  p.point = std::string(150, 'x');
  for (const std::size_t width : {60u, 80u, 100u, 132u}) {
    CHECK(display_width(progress_text(p, width)) <= width);
    std::istringstream lines(progress_plain(p, width));
    for (std::string line; std::getline(lines, line);) CHECK(display_width(line) <= width);
  }
}

TEST_CASE("progress: the time left is rounded up and never zero", "[unit][report]") {
  Progress p;
  p.trial = 1, p.trials = 1, p.point = "base", p.mode = Mode::loader;
  const auto left = [&](double seconds) {
    p.left = Seconds(seconds);
    return progress_text(p, 200);
  };
  CHECK(left(0) == "[1/1] base loader  |  1 s left");
  CHECK(left(59.2) == "[1/1] base loader  |  60 s left");
  CHECK(left(5000) == "[1/1] base loader  |  84 min left");
  CHECK(left(7300) == "[1/1] base loader  |  2 h 2 min left");
}

TEST_CASE("stopping: one line for each way to have enough rounds", "[unit][report]") {
  StoppingState s{.rounds = 14, .widest = 0.0187, .asked = 0.02, .spent = 50, .budget = 60};
  CHECK(stopping_text(s).empty());
  s.enough = Enough::planned_rounds;
  CHECK(stopping_text(s) == "all 14 rounds have run");
  s.enough = Enough::narrow;
  CHECK(stopping_text(s) ==
        "14 rounds are enough: every rate's 95 % interval is within 1.9 % (requested: 2 %)");
  s.enough = Enough::budget;
  CHECK(stopping_text(s) == "14 rounds took 50 s; another would pass the budget of 60 s");
  s.spent = 158, s.budget = 180;
  CHECK(stopping_text(s) == "14 rounds took 2 min 38 s; another would pass the budget of 3 min");
  s.rounds = 1, s.enough = Enough::planned_rounds;
  CHECK(stopping_text(s) == "the one round has run");
  s.enough = Enough::narrow;
  CHECK(stopping_text(s).starts_with("1 round is enough"));
  s.rounds = 14;
  s.enough = Enough::max_rounds, s.widest.reset();
  CHECK(stopping_text(s) ==
        "14 rounds are the maximum of measure.max_rounds; "
        "the widest 95 % interval is not known (requested: 2 %)");
}

TEST_CASE("cells: what is no number is not measured, and nothing is printed as an exponent",
          "[unit][report]") {
  const double kInfinite = std::numeric_limits<double>::infinity();
  for (const double odd : {std::nan(""), kInfinite, -kInfinite}) {
    CHECK(share_text(odd) == kNotMeasured);
    CHECK(ms_text(odd) == kNotMeasured);
    CHECK(rate_cell(Estimate{odd, odd, odd, 3}) == kNotMeasured);
    CHECK(ratio_cell(Estimate{odd, odd, odd, 3}) == kNotMeasured);
  }
  CHECK(spread_text({100, std::nan(""), std::nan(""), 3}).empty());
  CHECK(spread_text({100, 90, kInfinite, 3}) == "±>999%");
  CHECK(ms_text(158'000) == "2 min 38 s");
  CHECK(ms_text(-0.2) == "-200 us");
  CHECK(ratio_cell(Estimate{9.996, 0, 0, 1}) == "10.0x");
  CHECK(ratio_cell(Estimate{99.96, 0, 0, 1}) == "100x");
  CHECK(ratio_cell(Estimate{1234.5, 0, 0, 1}) == "1,234x");
  for (double size = 1e-12; size < 1e15; size *= 3.7)
    for (const double value : {size, -size})
      for (const std::string& text :
           {share_text(value), ms_text(value), rate_cell(Estimate{value, value, value, 1})}) {
        INFO(text);
        CHECK(text.find("e+") == std::string::npos);
        CHECK(text.find("e-") == std::string::npos);
        CHECK_FALSE(text.starts_with("-under"));
        CHECK_FALSE(text.starts_with("-0 "));
      }
}

TEST_CASE("cells: numbers and their spread", "[unit][report]") {
  CHECK(rate_cell(Estimate{1234.4, 1187, 1283, 3}) == "1,234 ±4%");
  CHECK(rate_cell(Estimate{1234.4, 1234.4, 1234.4, 1}) == "1,234");
  CHECK(rate_cell(std::nullopt) == "-");
  CHECK(spread_text({100, 99.5, 100.5, 3}) == "±0.5%");
  CHECK(spread_text({100, 1, 10000, 2}) == "±>999%");
  CHECK(spread_text({100, 100, 100, 2}) == "exact");
  CHECK(spread_text({100, 100, 100, 1}).empty());
  // Logarithms are rounded by as much.
  CHECK(spread_text({100, 100 * (1 - 1e-14), 100 * (1 + 1e-14), 3}) == "exact");
  // A nanosecond of a second.
  CHECK(spread_text({100, 100 * (1 - 1e-9), 100 * (1 + 1e-9), 3}) == "±<0.1%");
  CHECK(spread_text({100, 99.96, 100.04, 3}) == "±<0.1%");
  CHECK(spread_text({100, 99.94, 100.06, 3}) == "±0.1%");
  CHECK(ratio_cell(Estimate{1.254, 1.254, 1.254, 1}) == "1.25x");
  CHECK(ratio_cell(Estimate{34.56, 34.56, 34.56, 1}) == "34.6x");
  CHECK(share_text(0.042) == "4.2 %");
  CHECK(share_text(0.42) == "42 %");
  CHECK(share_text(0) == "0 %");
  CHECK(share_text(0.0003) == "under 0.1 %");
  CHECK(share_text(-0.0003) == "under 0.1 %");
  CHECK(share_text(-0.0) == "0 %");
  CHECK(difference_text(0.042) == "4.2 %");
  CHECK(difference_text(1) == "100 %");
  CHECK(difference_text(1.05) == "2.05x");
  CHECK(difference_text(109.49) == "110x");
  CHECK(share_text(0.0005) == "0.1 %");
  CHECK(share_text(-0.042) == "-4.2 %");
  CHECK(share_text(-0.3) == "-30 %");
  PointFindings point;
  CHECK(cache_text(point) == "not measured");
  point.cache_share = 0.999;
  CHECK(cache_text(point) == "99 % page cache");
}

}  // namespace words_test
}  // namespace benchbench
