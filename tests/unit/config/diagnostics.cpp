// What is wrong with a scenario: each case with its message, its place and what stands under the
// caret.
#include "tests/unit/config/loading.h"

namespace benchbench::test {
namespace config_diagnostics {

TEST_CASE("scenario file: an unknown key names the nearest one and what is allowed",
          "[unit][config]") {
  require_refused(
      "loader:\n  use: synthetic\n  batchsize: 4\ntrainer: {use: timed}\n", 3, 3, "batchsize",
      "unknown key loader.batchsize; did you mean loader.batch_size? Allowed under loader: "
      "access, batch_size");
  require_refused(kMock + "traner: {device: cpu}\n", 3, 1, "traner",
                  "unknown key traner; did you mean trainer?");
  require_refused(kMock + "measure: {rouns: 3}\n", 3, 11, "rouns", "did you mean measure.rounds?");
  require_refused("loader: {use: synthetic, transform.normalize: none}\ntrainer: {use: timed}\n", 1,
                  26, "transform.normalize", "unknown key loader.transform.normalize");
  require_refused("num_workers: 4\n" + kMock, 1, 1, "num_workers", "unknown key num_workers");
}

TEST_CASE("scenario file: columns are named of one's own data, in a format that has columns",
          "[unit][config]") {
  const std::string rest = "loader: {use: native}\ntrainer: {use: discard}\n";
  require_refused("dataset: {path: x, format: tar, columns: {image: img}}\n" + rest, 1, 43, "image",
                  "format tar has no columns to name; formats with columns: hdf5");
  require_refused("dataset: {synthesize: {samples: 9}, columns: {label: cls}}\n" + rest, 1, 47,
                  "label",
                  "dataset.columns.label names a column of your own data: it needs dataset.path");
  const Scenario s = load_text(
      "dataset: {path: x, format: hdf5, columns: {image: /train/x, label: cls}}\n" + rest);
  CHECK(s.base.text("dataset.columns.image") == "/train/x");
  CHECK(s.base.text("dataset.columns.label") == "cls");
  CHECK_FALSE(s.base.has("dataset.columns.name"));
}

TEST_CASE("scenario file: a misspelt key of synthesize is one mistake, not two", "[unit][config]") {
  require_refused(
      "dataset: {synthesize: {sampels: 9}}\nloader: {use: native}\ntrainer: {use: timed}\n", 1, 24,
      "sampels",
      "did you mean dataset.synthesize.samples? Allowed under dataset.synthesize: classes, "
      "image, samples, seed");
}

TEST_CASE("scenario file: a key given twice is refused in every spelling", "[unit][config]") {
  require_refused("loader: {use: synthetic, batch_size: 1, batch_size: 2}\ntrainer: {use: timed}\n",
                  1, 41, "batch_size", "duplicate key batch_size: already set in line 1");
  require_refused(kMock + "loader.use: synthetic\n", 3, 1, "loader.use",
                  "duplicate key loader.use: already set in line 1");
  require_refused(
      "loader:\n  use: synthetic\n  shuffle: true\n  access: random\ntrainer: {use: timed}\n", 4, 3,
      "access", "duplicate key loader.access: already set in line 3, as loader.shuffle");
  require_refused("loader: {use: synthetic}\n" + kMock, 2, 1, "loader", "duplicate key loader");
  require_refused(kMock + "sweep:\n  loader.batch_size: [1, 2]\n  loader: {batch_size: [4]}\n", 5,
                  12, "batch_size", "duplicate key loader.batch_size");
}

TEST_CASE("scenario file: values of the wrong unit, kind or range are refused with what is allowed",
          "[unit][config]") {
  const auto trainer = [](const std::string& text) {
    return "loader: {use: synthetic}\ntrainer: {use: timed, " + text + "}\n";
  };
  const auto loader = [](const std::string& text) {
    return "trainer: {use: timed}\nloader: {use: synthetic, " + text + "}\n";
  };
  require_refused(trainer("step_time: 12"), 2, 34, "12",
                  "trainer.step_time: \"12\" is not a duration");
  require_refused(trainer("step_time: 5 MB"), 2, 34, "5 MB", "is not a duration");
  require_refused(trainer("step_time: -3ms"), 2, 34, "-3ms", "is not a duration");
  require_refused(loader("batch_size: 12ms"), 2, 38, "12ms",
                  "loader.batch_size: \"12ms\" is not a whole number");
  require_refused(loader("batch_size: 0"), 2, 38, "0",
                  "loader.batch_size: 0 is out of range; allowed: 1 to 1048576");
  require_refused(loader("num_workers: -1"), 2, 39, "-1", "loader.num_workers: -1 is out of range");
  require_refused(loader("num_workers: 99999999999999999999"), 2, 39, "99999999999999999999",
                  "is out of range; allowed: 0 to 1024");
  require_refused(loader("num_workers: 1000000"), 2, 39, "1000000",
                  "is out of range; allowed: 0 to 1024");
  require_refused(loader("in_order: yes"), 2, 36, "yes", "is not true or false");
  require_refused(loader("shuffle: random"), 2, 35, "random",
                  "for other orders write access: random");
  require_refused(loader("work_unit: row"), 2, 37, "row",
                  "loader.work_unit: \"row\" is not allowed. Allowed: batch, sample");
  require_refused(loader("batch_size:"), 2, 37, "}", "the value is missing");
  require_refused(loader("batch_size: [1, 2]"), 2, 38, "[1, 2]",
                  "to try several, list them under `sweep:`");
  require_refused(loader("batch_size: none"), 2, 38, "none", "none is not allowed");
  require_refused(kMock + "measure: {modes: [loader, trainr]}\n", 3, 18, "[loader, trainr]",
                  "\"trainr\" is not a mode; did you mean trainer?");
  require_refused(kMock + "measure: {warmup: long}\n", 3, 19, "long",
                  "neither until_steady nor a duration");
  require_refused(trainer("device: gpu"), 2, 31, "gpu",
                  "trainer.device: \"gpu\" is not a device. Allowed: cpu, cuda:N, emulated, auto");
  require_refused(trainer("intra_op_threads: 0"), 2, 41, "0",
                  "out of range; allowed: 1 to 4096, or auto");
  for (const std::string large : {"1e300GB/s", "1e5000GB/s", "1000.5TB/s"})
    require_refused(
        trainer("device: emulated, emulated: {pinned: " + large + "}"), 2, 60, large,
        "trainer.emulated.pinned: " + large + " is out of range; allowed: 1B/s to 1000TB/s");
  require_refused("loader: {use: rate_limited, rate: 1e400/s}\ntrainer: {use: timed}\n", 1, 35,
                  "1e400/s", "loader.rate: 1e400/s is out of range; allowed: 0/s to 1T/s");
}

TEST_CASE("scenario file: 010 is refused, since readers disagree on it", "[unit][config]") {
  require_refused("loader: {use: synthetic, batch_size: 010}\ntrainer: {use: timed}\n", 1, 38,
                  "010", "write 10 or 0o10");
  CHECK(load_text("loader: {use: synthetic, batch_size: 0o10}\ntrainer: {use: timed}\n")
            .base.integer("loader.batch_size") == 8);
}

TEST_CASE("scenario file: an unknown part is told with the nearest name and all there are",
          "[unit][config]") {
  require_refused("loader: {use: synthetic}\ntrainer:\n  use: resnt50\n", 3, 8, "resnt50",
                  "trainer.use: unknown trainer \"resnt50\"; did you mean resnet50? Allowed: "
                  "resnet50, resnet18");
  require_refused("loader: {use: synthetic, access: shufled}\ntrainer: {use: timed}\n", 1, 34,
                  "shufled", "unknown sampler \"shufled\"");
  require_refused("trainer: {use: timed}\nloader: {batch_size: 4}\n", 2, 1, "loader",
                  "loader.use is missing");
  require_refused("loader: {use: rate_limited}\ntrainer: {use: timed}\n", 1, 15, "rate_limited",
                  "loader rate_limited needs loader.rate");
  require_refused("loader: {use: words}\ntrainer: {use: resnet18}\n", 2, 16, "resnet18",
                  "trainer resnet18 takes images, but loader words makes tokens");
}

TEST_CASE("scenario file: the data are the user's or made, and there where they are read",
          "[unit][config]") {
  require_refused(
      "dataset: {path: photos, synthesize: {samples: 8}}\n"
      "loader: {use: native}\ntrainer: {use: timed}\n",
      1, 38, "samples", "mutually exclusive");
  require_refused("loader: {use: native}\ntrainer: {use: timed}\n", 1, 15, "native",
                  "loader native reads a dataset: set dataset.path or dataset.synthesize");
}

TEST_CASE("scenario file: yaml-cpp's traps are closed", "[unit][config]") {
  require_refused("loader: &x {use: synthetic}\ntrainer: {use: timed}\n", 1, 9,
                  "&x {use: synthetic}", "anchors (&name)");
  require_refused("loader: {use: synthetic}\ntrainer: {use: timed, <<: {device: cpu}}\n", 2, 23,
                  "<<", "merge keys");
  require_refused(kMock + "---\nloader: {}\n", 3, 1, "---", "a second document");
  require_refused(kMock + "name: !!str x\n", 3, 7, "!!str x", "tags");
  require_refused("loader:\n\tuse: synthetic\n", 2, 1, "\t", "a tab in the indentation");
  require_refused(kMock + std::string("name: a\0b\n", 10), 3, 8, std::string(1, '\0'),
                  "a NUL byte");
  require_refused(kMock + "name: a\xff\n", 3, 8, "\xff", "not UTF-8");
  require_refused("loader: {use: synthetic\n", 2, 1, "", "not YAML");
  require_refused("", 1, 1, "", "contains no scenario");
  require_refused("- loader\n", 1, 1, "-", "contains no scenario");
  const auto aliases = refused("name: &a x\nquestion: *a\n" + kMock);
  REQUIRE(aliases.size() == 2);
  CHECK_THAT(aliases[1].message, Catch::Contains("aliases"));
}

TEST_CASE("scenario file: nesting, size and number of values are bounded", "[unit][config]") {
  for (const std::string open : {"[", "{a: ", "- ", "? "}) {
    std::string deep;
    for (int i = 0; i < 100000; ++i) deep += open;
    CHECK_FALSE(refused(deep).empty());
  }
  std::string nested = "name: ";
  for (int i = 0; i < 40; ++i) nested += "[";
  nested += std::string(40, ']');
  const auto deep = refused(nested + "\n");
  CHECK_THAT(deep.at(0).message, Catch::Contains("deeper than 32"));
  CHECK(deep.at(0).line == 1);
  CHECK(deep.at(0).column == 38);
  CHECK_THAT(refused(kMock + "#" + std::string(1 << 20, 'x')).at(0).message,
             Catch::Contains("larger than 1 MiB"));
  std::string many = kMock;
  for (int i = 0; i < 40000; ++i) many += "k" + std::to_string(i) + ": 1\n";
  CHECK_THAT(refused(many).at(0).message, Catch::Contains("more than 30000"));
}

TEST_CASE("scenario file: a file that cannot be read says why", "[unit][config]") {
  const auto load = [](const std::string& path) {
    load_scenario(request_for(path), small_catalog());
  };
  CHECK_THROWS_WITH(load("/nowhere/x.yaml"),
                    Catch::Contains("/nowhere/x.yaml: error: cannot be read: No such file"));
  CHECK_THROWS_WITH(load("/"), Catch::Contains("is a folder"));
}

TEST_CASE("scenario file: everything wrong is told at once, in order, drawn with a caret",
          "[unit][config]") {
  const auto all = refused(
      "loader:\n  use: synthetic\n  bath_size: 4\n"
      "trainer:\n  use: timed\n  step_time: 12 parsecs\n");
  REQUIRE(all.size() == 2);
  const std::string text = ScenarioDiagnostics(all).text();
  CHECK_THAT(text,
             Catch::Contains(
                 ":3:3: error: unknown key loader.bath_size; did you mean loader.batch_size?"));
  CHECK_THAT(text, Catch::Contains("\n      bath_size: 4\n      ^~~~~~~~~\n"));
  CHECK_THAT(text, Catch::Contains("\n      step_time: 12 parsecs\n                 ^~~~~~~~~~\n"));
  CHECK(text.find(":3:3:") < text.find(":6:14:"));
}

TEST_CASE("scenario file: a caret stands under characters, not bytes, and long lines are cut",
          "[unit][config]") {
  const Diagnostic umlaut{"f", 1, 9, "m", "n\xc3\xa4me: { x", 1};
  CHECK_THAT(ScenarioDiagnostics({umlaut}).text(),
             Catch::Contains("    n\xc3\xa4me: { x\n           ^\n"));
  const Diagnostic far{"f", 1, 5001, "m", std::string(5000, 'a') + "BAD" + std::string(5000, 'b'),
                       3};
  const std::string text = ScenarioDiagnostics({far}).text();
  CHECK(text.size() < 500);
  const std::size_t bad = text.find("BAD"), caret = text.find("^~~");
  CHECK(bad - text.find("    ...") == caret - (text.rfind('\n', caret) + 1));
}

TEST_CASE("scenario file: --set, --sweep and --variant are told by their own text",
          "[unit][config]") {
  ScenarioRequest set = request_for("");
  set.sets = {{"loader.batch_size", "many"}};
  require_refused(kMock, 1, 19, "many", "is not a whole number", set);
  ScenarioRequest key = request_for("");
  key.sets = {{"loader.batch_sise", "4"}};
  require_refused(kMock, 1, 1, "loader.batch_sise", "did you mean loader.batch_size?", key);
  ScenarioRequest sweep = request_for("");
  sweep.sweeps = {{"loader.batch_size", "4,x"}};
  require_refused(kMock, 1, 21, "x", "is not a whole number", sweep);
  CHECK(refused(kMock, sweep).at(0).file == "--sweep");
  CHECK(refused(kMock, sweep).at(0).excerpt == "loader.batch_size=4,x");
  ScenarioRequest rounds = request_for("");
  rounds.sets = {{"measure.rounds", "0", "--rounds"}};
  require_refused(kMock, 1, 10, "0", "measure.rounds: 0 is out of range", rounds);
  CHECK(refused(kMock, rounds).at(0).file == "--rounds");
  CHECK(refused(kMock, rounds).at(0).excerpt == "--rounds 0");
  ScenarioRequest variant = request_for("");
  variant.variants = {"bigg"};
  require_refused(kMock + "variants: {big: {loader.batch_size: 64}}\n", 1, 1, "bigg",
                  "did you mean big?", variant);
}

TEST_CASE("scenario file: an axis is a list of values of a key that can be swept",
          "[unit][config]") {
  const auto sweep = [](const std::string& text) { return kMock + "sweep: {" + text + "}\n"; };
  require_refused(sweep("loader.batch_size: []"), 3, 28, "[]",
                  "the axis loader.batch_size is empty");
  require_refused(sweep("loader.batch_size: 4"), 3, 28, "4", "takes a list of values");
  require_refused(sweep("loader.batch_size: [4, -8]"), 3, 32, "-8", "out of range");
  require_refused(sweep("loader.bach_size: [4]"), 3, 9, "loader.bach_size",
                  "did you mean loader.batch_size?");
  require_refused(sweep("measure.rounds: [3]"), 3, 9, "measure.rounds", "cannot be swept");
  require_refused(sweep("run: [{cpus: 1}]"), 3, 9, "run", "run cannot be swept");
  require_refused(sweep("run.cpu: [1]"), 3, 9, "run.cpu", "did you mean run.cpus?");
  require_refused(sweep("run.cpus: [0]"), 3, 20, "0", "out of range; allowed: 1 to");
  require_refused(sweep("mode: girid"), 3, 15, "girid", "did you mean grid?");
  require_refused(sweep("loader: [native]"), 3, 18, "native", "is a map, such as {use: ...}");
  require_refused(sweep("loader: [{use: synthetic, rate: 5/s}]"), 3, 35, "rate",
                  "unknown key loader.rate");
  require_refused(sweep("mode: zip, loader.batch_size: [1, 2], loader.num_workers: [1, 2, 3]"), 3,
                  67, "[1, 2, 3]", "loader.num_workers has 3 values and loader.batch_size has 2");
  std::string values = "1";
  for (int i = 2; i <= 10001; ++i) values += "," + std::to_string(i);
  require_refused(sweep("loader.batch_size: [" + values + "]"), 3, 9, "loader.batch_size",
                  "has 10001 values");
}

TEST_CASE("scenario file: variants that are not laid on are judged too", "[unit][config]") {
  require_refused(kMock + "variants:\n  cuda: {trainer.step_time: 5}\n", 4, 29, "5",
                  "is not a duration");
  require_refused(kMock + "variants:\n  big: {sweep: {loader.batch_size: [x]}}\n", 4, 37, "x",
                  "is not a whole number");
  require_refused(kMock + "variants:\n  cpu: {trainer.device: cuda:0}\n", 4, 9, "trainer.device",
                  "cannot set trainer.device");
}

}  // namespace config_diagnostics
}  // namespace benchbench::test
