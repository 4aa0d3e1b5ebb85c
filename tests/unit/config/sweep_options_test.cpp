// --only, --sweep and --set sweep=none: what is left of the file's sweep.
#include "tests/unit/config/loading.h"

namespace benchbench::test {
namespace sweep_options {

const std::string kTwoAxes =
    kMock + "sweep: {loader.num_workers: [0, 1, 2], loader.batch_size: [4, 8]}\n";

std::string axes_of(const Scenario& s) {
  std::string text;
  for (const Axis& axis : s.axes) {
    text += (text.empty() ? "" : " ") + axis.key + "=";
    for (const AxisValue& v : axis.values)
      text += (&v == axis.values.data() ? "" : ",") + v.label +
              (v.repeat ? "#" + std::to_string(v.repeat) : "");
  }
  return text;
}

ScenarioRequest request(std::vector<Overlay> only, std::vector<Overlay> sweeps = {},
                        std::vector<Overlay> sets = {}) {
  ScenarioRequest r = request_for("");
  r.only = std::move(only);
  r.sweeps = std::move(sweeps);
  r.sets = std::move(sets);
  return r;
}

bool decided(const Scenario& s, const std::string& text) {
  return std::ranges::find(s.decisions, text) != s.decisions.end();
}

TEST_CASE("--only: its axes are the whole sweep, in the order given", "[unit][config]") {
  const Scenario one = load_text(kTwoAxes, request({{"loader.num_workers", "1,4"}}));
  CHECK(axes_of(one) == "loader.num_workers=1,4");
  CHECK(decided(one, "sweep of loader.batch_size dropped: --only names the axes"));
  CHECK_FALSE(decided(one, "sweep of loader.num_workers dropped: --only names the axes"));
  const Scenario several = load_text(
      kTwoAxes, request({{"loader.prefetch_factor", "[1, 2]"}, {"loader.batch_size", "16"}}));
  CHECK(axes_of(several) == "loader.prefetch_factor=1,2 loader.batch_size=16");
  CHECK(axes_of(load_text(kMock, request({{"loader.shuffle", "true,false"}}))) ==
        "loader.shuffle=true,false");
}

TEST_CASE("--only: axes of variants and of --variant go too", "[unit][config]") {
  const std::string text =
      kTwoAxes +
      "variants:\n  cpu: {sweep: {loader.seed: [1, 2]}}\n  big: {sweep: {loader.height: [8]}}\n";
  ScenarioRequest big = request({{"loader.num_workers", "1,4"}});
  big.variants = {"big"};
  CHECK(axes_of(load_text(text, big)) == "loader.num_workers=1,4");
}

TEST_CASE("--sweep adds an axis, or replaces the values of one that is there", "[unit][config]") {
  CHECK(axes_of(load_text(kTwoAxes, request({}, {{"loader.prefetch_factor", "1,2"}}))) ==
        "loader.num_workers=0,1,2 loader.batch_size=4,8 loader.prefetch_factor=1,2");
  CHECK(axes_of(load_text(kTwoAxes, request({}, {{"loader.num_workers", "4"}}))) ==
        "loader.num_workers=4 loader.batch_size=4,8");
  CHECK(axes_of(load_text(kTwoAxes, request({{"loader.num_workers", "4"}},
                                            {{"loader.prefetch_factor", "1,2"}}))) ==
        "loader.num_workers=4 loader.prefetch_factor=1,2");
}

TEST_CASE("--set sweep=none leaves the base point alone; a variant's `sweep: none` too",
          "[unit][config]") {
  const Scenario none = load_text(kTwoAxes, request({}, {}, {{"sweep", "none"}}));
  CHECK(none.axes.empty());
  CHECK(decided(none, "sweep of loader.num_workers dropped: --set sets sweep: none"));
  CHECK(decided(none, "sweep of loader.batch_size dropped: --set sets sweep: none"));
  CHECK(load_text(kTwoAxes + "variants: {cpu: {sweep: none}}\n").axes.empty());
  CHECK(load_text(kMock + "sweep: none\n").axes.empty());
  CHECK(axes_of(load_text(kTwoAxes,
                          request({}, {}, {{"sweep", "none"}, {"sweep.loader.seed", "[1, 2]"}}))) ==
        "loader.seed=1,2");
  CHECK(load_text(kTwoAxes, request({}, {}, {{"sweep.loader.seed", "[1, 2]"}, {"sweep", "none"}}))
            .axes.empty());
  require_refused(kMock, 1, 7, "nothing", ", or none", request({}, {}, {{"sweep", "nothing"}}));
}

TEST_CASE("a sweep given anew drops the mode of the file's and of variants, not that of --set",
          "[unit][config]") {
  const std::string zip =
      kMock + "sweep: {mode: zip, loader.num_workers: [0, 1], loader.batch_size: [4, 8]}\n";
  CHECK(load_text(zip).mode == SweepMode::zip);
  const std::vector<Overlay> unequal = {{"loader.num_workers", "1,2,4"},
                                        {"loader.prefetch_factor", "1,2"}};
  CHECK(load_text(zip, request(unequal)).mode == SweepMode::one_at_a_time);
  CHECK(
      load_text(zip, request({}, {}, {{"sweep", "none"}, {"sweep.loader.seed", "[1, 2]"}})).mode ==
      SweepMode::one_at_a_time);
  CHECK(load_text(zip + "variants: {cpu: {sweep: none}}\n").mode == SweepMode::one_at_a_time);
  CHECK(load_text(zip, request({}, {{"loader.seed", "1,2"}})).mode == SweepMode::zip);
  CHECK(load_text(zip, request(unequal, {}, {{"sweep.mode", "grid"}})).mode == SweepMode::grid);
  CHECK(load_text(zip, request({}, {}, {{"sweep", "none"}, {"sweep.mode", "grid"}})).mode ==
        SweepMode::grid);
  require_refused(kMock + "sweep: {mode: zap, loader.num_workers: [0, 1]}\n", 3, 15, "zap",
                  "sweep.mode: \"zap\"", request(unequal));
}

TEST_CASE("zip: axes of unequal length are refused once, where the one that is left stands",
          "[unit][config]") {
  const std::string zip =
      kMock + "sweep: {mode: zip, loader.num_workers: [0, 1], loader.batch_size: [4, 8]}\n";
  const auto all = refused(zip, request({}, {{"loader.batch_size", "[4, 8, 16]"}}));
  REQUIRE(all.size() == 1);
  CHECK(all[0].file == "--sweep");
  CHECK_THAT(all[0].message,
             Catch::Contains("loader.batch_size has 3 values and loader.num_workers has 2"));
}

TEST_CASE("--only, --sweep and --set that contradict each other are refused", "[unit][config]") {
  require_refused(
      kTwoAxes, 1, 1, "loader.seed",
      "--only loader.seed adds an axis, but --set sweep=none empties the sweep: drop one of them",
      request({{"loader.seed", "1,2"}}, {}, {{"sweep", "none"}}));
  require_refused(kTwoAxes, 1, 1, "loader.seed", "--sweep loader.seed adds an axis",
                  request({}, {{"loader.seed", "1,2"}}, {{"sweep", "none"}}));
  require_refused(kTwoAxes, 1, 1, "loader.seed",
                  "the axis loader.seed is given by --sweep and by --only",
                  request({{"loader.seed", "1,2"}}, {{"loader.seed", "3"}}));
  require_refused(kTwoAxes, 1, 1, "loader.seed",
                  "--only loader.seed is given twice: list all its values at once",
                  request({{"loader.seed", "1,2"}, {"loader.seed", "3"}}));
  require_refused(kTwoAxes, 1, 1, "loader.shuffle", "--sweep loader.access is given twice",
                  request({}, {{"loader.access", "random"}, {"loader.shuffle", "false"}}));
  require_refused(kTwoAxes, 1, 1, "sweep.loader.height",
                  "--only drops the axis loader.height that --set gives",
                  request({{"loader.seed", "1,2"}}, {}, {{"sweep.loader.height", "[8]"}}));
}

TEST_CASE("--only: mistakes in it are shown in its own text", "[unit][config]") {
  const ScenarioRequest misspelt = request({{"loader.workers", "1,2"}});
  require_refused(kTwoAxes, 1, 1, "loader.workers", "did you mean loader.num_workers?", misspelt);
  CHECK(refused(kTwoAxes, misspelt).at(0).file == "--only");
  require_refused(kTwoAxes, 1, 22, "x", "is not a whole number",
                  request({{"loader.num_workers", "1,x"}}));
}

TEST_CASE("an axis: a value given several times is numbered, others are not", "[unit][config]") {
  CHECK(axes_of(load_text(kMock, request({{"loader.num_workers", "1,1,1"}}))) ==
        "loader.num_workers=1#1,1#2,1#3");
  CHECK(axes_of(load_text(kMock, request({{"loader.num_workers", "1,2,1"}}))) ==
        "loader.num_workers=1#1,2,1#2");
  CHECK(axes_of(load_text(kMock, request({{"loader.num_workers", "1,2,0o1"}}))) ==
        "loader.num_workers=1#1,2,1#2");
  CHECK(
      axes_of(load_text(
          kMock +
          "sweep: {trainer: [{use: timed, step_time: 1ms}, {use: discard}, {use: timed, step_time: "
          "1ms}]}\n")) == "trainer=timed(step_time=1ms)#1,discard,timed(step_time=1ms)#2");
}

}  // namespace sweep_options
}  // namespace benchbench::test
