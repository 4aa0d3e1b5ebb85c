// What each axis gave, word for word.
#include <catch2/catch.hpp>

#include "harness/core/random.h"
#include "harness/report/text/text_table.h"
#include "tests/unit/report/told_findings.h"

namespace benchbench {
namespace conclusion_axes_test {

using test::exactly;
using test::ToldFindings;
using namespace test::told;

TEST_CASE("conclusion: what each other axis gave, those alike together", "[unit][report]") {
  ToldFindings t;
  t.add({{"loader.num_workers", "2"}, {"loader.batch_size", "8"}}, 1000, 100, 99);
  t.add(kFour, 1000, 130, 130);
  t.recommend(Choice::faster, 1, exactly(1.3));
  t.axis("loader.num_workers", AxisOutcome::gain, "4", 1.3);
  t.axis("loader.batch_size", AxisOutcome::gain, "16", 1.084);
  t.axis("loader.prefetch_factor", AxisOutcome::not_shown, "4", 1.01, 0.05);
  t.axis("loader.shuffle", AxisOutcome::nothing, "false");
  t.axis("dataset.format", AxisOutcome::not_shown, "tar", 1.02, 0.12);
  t.axis("loader.in_order", AxisOutcome::nothing, "false");
  t.axis("loader.transform.smooth_passes", AxisOutcome::loss, "8", 0.31);
  t.axis("loader.pin_memory", AxisOutcome::could_not_be_tried, "", 1, {},
         "pinned memory needs CUDA: no driver");
  t.axis("loader.io", AxisOutcome::invalid);
  t.axis("loader.dispatch", AxisOutcome::not_compared);
  CHECK(part(t.said(), "axes") ==
        "batch_size: 16 is 1.08x as fast. prefetch_factor, format showed no difference (12 % would "
        "have been seen). shuffle, in_order "
        "give nothing. smooth_passes: every other value is slower (8: 0.31x). pin_memory could not "
        "be tried (pinned memory needs "
        "CUDA: no driver). io gave nothing usable. dispatch was not compared alone.");
  t.recommend(Choice::no_difference_shown);  // then the first one is another axis like the others
  CHECK(part(t.said(), "axes").starts_with("num_workers: 4 is 1.30x as fast. batch_size: "));
}

AxisValueEffect value_of(Shown shown, const char* label, Status status = Status::valid,
                         std::uint32_t point = 0) {
  AxisValueEffect v;
  v.shown = shown;
  v.label = label;
  v.status = status;
  v.point = point;
  return v;
}

std::string axes_of(AxisOutcome outcome, std::optional<double> detectable,
                    const std::vector<AxisValueEffect>& more) {
  ToldFindings t;
  t.add({}, 1000, 100, 99);
  t.axis("loader.num_workers", outcome, "2", 0.4, detectable);
  for (const AxisValueEffect& v : more) t.f.axes.back().values.push_back(v);
  return part(t.said(), "axes");
}

TEST_CASE(
    "conclusion: an axis with a slower value gives nothing faster, which is not no difference",
    "[unit][report]") {
  CHECK(axes_of(AxisOutcome::not_shown, 0.1, {value_of(Shown::slower, "0")}) ==
        "num_workers showed no faster value (10 % would have been seen).");
  CHECK(axes_of(AxisOutcome::nothing, {}, {value_of(Shown::slower, "0")}) ==
        "num_workers gives nothing faster.");
  CHECK(axes_of(AxisOutcome::not_shown, 0.1, {value_of(Shown::same, "0")}) ==
        "num_workers showed no difference (10 % would have been seen).");
}

TEST_CASE("conclusion: an axis says which values it was not compared at", "[unit][report]") {
  const auto skipped = value_of(Shown::not_compared, "8", Status::skipped),
             invalid = value_of(Shown::not_compared, "16", Status::invalid);
  CHECK(axes_of(AxisOutcome::loss, {}, {skipped}) ==
        "num_workers: every value that could be compared is slower (2: 0.40x).");
  CHECK(axes_of(AxisOutcome::nothing, {}, {skipped}) ==
        "num_workers gives nothing (8 could not be tried).");
  CHECK(axes_of(AxisOutcome::nothing, {}, {skipped, invalid}) ==
        "num_workers gives nothing (8, 16 could not be compared).");
  CHECK(
      axes_of(AxisOutcome::not_shown, 0.1, {skipped, skipped, skipped}) ==
      "num_workers showed no difference (10 % would have been seen; 8, 8, 8 could not be tried).");
  CHECK(axes_of(AxisOutcome::nothing, {}, {skipped, skipped, skipped, skipped}) ==
        "num_workers gives nothing (4 values could not be tried).");
}

TEST_CASE("conclusion: values next to a base that is of no use are not unusable",
          "[unit][report]") {
  ToldFindings t;
  t.add({}, 1000, 100, 99);
  t.add(kFour, 1000, 100, 99);
  t.axis("loader.num_workers", AxisOutcome::invalid);
  t.f.axes.back().values = {value_of(Shown::not_compared, "4", Status::valid, 1)};
  CHECK(part(t.said(), "axes") == "num_workers could not be compared with the base.");
  t.f.points[1].mode_status = {Status::invalid, Status::invalid, Status::invalid};
  CHECK(part(t.said(), "axes") == "num_workers gave nothing usable.");
}

TEST_CASE("conclusion: axes of one round are told apart from those of more", "[unit][report]") {
  ToldFindings t;
  t.add({}, 1000, 100, 99);
  t.axis("loader.shuffle", AxisOutcome::not_shown, "true", 1);
  CHECK(part(t.said(), "axes") == "shuffle needs two rounds to be compared.");
  t.axis("loader.in_order", AxisOutcome::not_shown, "false", 1, 0.1);
  t.axis("dataset.format", AxisOutcome::not_shown, "tar", 1, 0.2);
  CHECK(part(t.said(), "axes") ==
        "shuffle needs two rounds to be compared. in_order, format showed no difference "
        "(20 % would have been seen).");
}

TEST_CASE("conclusion: an axis that could have shown nothing is not said to show no difference",
          "[unit][report]") {
  ToldFindings t;
  t.add({}, 1000, 100, 99);
  t.axis("loader.shuffle", AxisOutcome::not_shown, "true", 1, 0.1);
  t.axis("loader.in_order", AxisOutcome::not_shown, "false", 1, 0.51);
  t.axis("dataset.format", AxisOutcome::not_shown, "tar", 1, 12.0);
  t.axis("loader.io", AxisOutcome::not_shown, "direct", 1, 0.2);
  CHECK(part(t.said(), "axes") ==
        "shuffle, io showed no difference (20 % would have been seen). in_order, format show "
        "nothing: not even a difference of 50 % would have been seen.");
  t.f.axes = {t.f.axes[1]};
  CHECK(part(t.said(), "axes") ==
        "in_order shows nothing: not even a difference of 50 % would have been seen.");
}

TEST_CASE("conclusion: an axis is left out where the setting to use changes that very one",
          "[unit][report]") {
  ToldFindings t;
  t.add({{"loader.io", "read"}, {"loader.shuffle", ""}}, 1000, 100, 99);
  t.add({{"loader.io", "direct"}, {"loader.shuffle", ""}}, 1000, 130, 130);
  t.recommend(Choice::faster, 1, exactly(1.3));
  for (const char* key : {"loader.io", "loader.io_depth", "loader.shuffle"})
    t.axis(key, AxisOutcome::nothing, "1");
  t.f.axes.back().base_label = "none";  // as its settings have it
  CHECK(part(t.said(), "axes") == "io_depth, shuffle give nothing.");
  t.f.axes = {t.f.axes.front()};
  t.f.axes[0].key = "loader.batch_size, loader.io, loader.seed";
  CHECK(part(t.said(), "axes").empty());
  t.f.axes[0].key = "loader.batch_size, loader.io";
  CHECK(part(t.said(), "axes").empty());
}

TEST_CASE("conclusion: orders that are shuffled otherwise are said not to be compared",
          "[unit][report]") {
  ToldFindings t;
  t.add({{"loader.access", "random"}}, 1000, 100, 99);
  t.add({{"loader.access", "sequential"}}, 1000, 130, 130);
  const auto sequential = value_of(Shown::not_compared, "sequential", Status::valid, 1);
  const auto axes = [&](AxisOutcome outcome, const AxisValueEffect& other) {
    t.f.axes.clear();
    t.axis("loader.access", outcome, "shuffle_buffer", 0.4);
    t.f.axes.back().values = {other, sequential};
    return part(t.said(), "axes");
  };
  CHECK(axes(AxisOutcome::invalid, sequential) ==
        "access could not be compared with the base: shuffled otherwise.");
  CHECK(axes(AxisOutcome::nothing, value_of(Shown::same, "shuffle_buffer")) ==
        "access gives nothing (sequential could not be compared: shuffled otherwise).");
  CHECK(
      axes(AxisOutcome::nothing, value_of(Shown::not_compared, "block_shuffle", Status::invalid)) ==
      "access gives nothing (block_shuffle, sequential could not be compared).");
  AxisValueEffect slower = value_of(Shown::slower, "shuffle_buffer");
  slower.ratio = exactly(0.4);
  CHECK(axes(AxisOutcome::loss, slower) ==
        "access: every value that could be compared is slower (shuffle_buffer: 0.40x).");
}

TEST_CASE("conclusion: axes of one last word have their whole names", "[unit][report]") {
  ToldFindings t;
  t.add({}, 1000, 100, 99);
  t.axis("loader.seed", AxisOutcome::nothing, "1");
  t.axis("trainer.seed", AxisOutcome::nothing, "1");
  CHECK(part(t.said(), "axes") == "loader.seed, trainer.seed give nothing.");
}

}  // namespace conclusion_axes_test
}  // namespace benchbench
