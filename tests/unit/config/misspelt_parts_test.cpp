// Every mistake is reported at once, those below a misspelt part or section too.
#include "tests/unit/config/loading.h"

namespace benchbench::test {
namespace misspelt_parts {

// "line:column what", what up to the first '.', ';' or '?' of the message.
std::vector<std::string> mistakes(const std::string& text,
                                  ScenarioRequest request = request_for("")) {
  std::vector<std::string> all;
  for (const Diagnostic& d : refused(text, std::move(request)))
    all.push_back(std::to_string(d.line) + ":" + std::to_string(d.column) + " " +
                  d.message.substr(0, d.message.find('?')));
  return all;
}
using Lines = std::vector<std::string>;

const std::string kData = "dataset: {synthesize: {samples: 8}}\n";

TEST_CASE("a misspelt part: its keys are checked as those of the nearest part, which is said",
          "[unit][config]") {
  const auto all = refused(kData + "loader: {use: nativ, batchsize: 3}\ntrainer: {use: timed}\n");
  REQUIRE(all.size() == 2);
  CHECK(all[0].column == 15);
  CHECK_THAT(all[0].message,
             Catch::Contains("unknown loader \"nativ\"; did you mean native? Allowed: ") &&
                 Catch::EndsWith("Its keys are checked as those of native"));
  CHECK(all[1].column == 22);
  CHECK_THAT(all[1].message,
             Catch::StartsWith("unknown key loader.batchsize; did you mean loader.batch_size?"));
}

TEST_CASE("a misspelt part: values, sweeps and the other part are judged too", "[unit][config]") {
  CHECK(mistakes(kData + "loader: {use: nativ, residency: hots}\ntrainer: {use: timd, step_time: "
                         "3m, precision: fp32}\n"
                         "sweep: {loader.residncy: [host], loader.batch_size: [x]}\n") ==
        Lines{"2:15 loader.use: unknown loader \"nativ\"; did you mean native",
              "2:33 loader.residency: \"hots\" is not allowed; did you mean host",
              "3:16 trainer.use: unknown trainer \"timd\"; did you mean timed",
              "3:33 trainer.step_time: \"3m\" is not a duration with its unit, "
              "such as 12ms (ns, us, ms, s, min, h); did you mean 3min",
              "3:37 unknown key trainer.precision. Allowed under trainer: "
              "checkpoint, copy, copy_stream, device, device_wait, emulated, "
              "in_flight, intra_op_threads, log_every, non_blocking, "
              "postprocess, seed, step_time, use",
              "4:9 unknown key loader.residncy; did you mean loader.residency",
              "4:54 loader.batch_size: \"x\" is not a whole number, "
              "decimal and without leading zeros"});
}

TEST_CASE("a misspelt part: what the nearest one needs and takes is told as well",
          "[unit][config]") {
  CHECK(mistakes("loader: {use: rate_limted}\ntrainer: {use: timed}\n") ==
        Lines{"1:15 loader.use: unknown loader \"rate_limted\"; did you mean rate_limited",
              "1:15 loader rate_limited needs loader.rate"});
  CHECK(mistakes("loader: {use: synthetic, access: block_shufle, block_sise: 3}\n"
                 "trainer: {use: timed}\n") ==
        Lines{"1:34 loader.access: unknown sampler \"block_shufle\"; did you mean block_shuffle",
              "1:48 unknown key loader.block_sise; did you mean loader.block_size"});
}

TEST_CASE("a part near to none: only keys that some part takes are left unjudged",
          "[unit][config]") {
  const Lines all =
      mistakes("loader: {use: qqq, height: 3, batchsize: 4}\ntrainer: {use: timed}\n");
  REQUIRE(all.size() == 2);
  CHECK_THAT(all[0], Catch::StartsWith("1:15 loader.use: unknown loader \"qqq\". Allowed: ") &&
                         !Catch::Contains("checked as"));
  CHECK(all[1] == "1:31 unknown key loader.batchsize; did you mean loader.batch_size");
  CHECK(mistakes("loader: {height: 3, batchsize: 4}\ntrainer: {use: timed}\n") ==
        Lines{"1:1 loader.use is missing",
              "1:21 unknown key loader.batchsize; did you mean loader.batch_size"});
}

TEST_CASE("a misspelt section: what lies below is judged", "[unit][config]") {
  CHECK(mistakes("loader: {use: synthetic}\ntraner: {use: timed, stp_time: 3ms}\n") ==
        Lines{"2:1 unknown key traner; did you mean trainer",
              "2:22 unknown key trainer.stp_time; did you mean "
              "trainer.step_time"});
  CHECK(mistakes(kMock + "sweeep: {loader.batch: [1, 2]}\n") ==
        Lines{"3:1 unknown key sweeep; did you mean sweep",
              "3:10 unknown key loader.batch; did you mean loader.batch_size"});
  CHECK(mistakes(kMock + "traner: {stp_time: 3ms}\n") ==
        Lines{"3:1 unknown key traner; did you mean trainer"});
  CHECK(mistakes(kMock + "traner.step_time: 3ms\n") ==
        Lines{"3:1 unknown key traner.step_time; did you mean "
              "trainer.step_time"});
}

TEST_CASE(
    "a misspelt section of an axis: the nearest is suggested, and its key and values are judged",
    "[unit][config]") {
  const auto sweep = [](const std::string& axis) {
    return mistakes(kMock + "sweep: {" + axis + "}\n");
  };
  CHECK(sweep("loadr.num_workers: [0, 1]") ==
        Lines{"3:9 loadr.num_workers cannot be swept; did you mean loader.num_workers"});
  CHECK(sweep("loadr.num_workers: [1, x]").size() == 2);
  CHECK_THAT(sweep("loadr.num_workers: [1, x]").back(),
             Catch::StartsWith("3:32 ") && Catch::Contains("is not a whole number"));
  CHECK(sweep("traner.stp_time: [1ms]").back() ==
        "3:9 unknown key trainer.stp_time; did you mean trainer.step_time");
  // The answer is the same in either order.
  CHECK(sweep("loadr.num_workers: [1, x], loader.num_workers: [0, 1]").size() == 1);
  CHECK(sweep("loader.num_workers: [0, 1], loadr.num_workers: [1, x]").size() == 1);
  CHECK(sweep("qqq.num_workers: [1, x]") ==
        Lines{"3:9 qqq.num_workers cannot be swept. An axis is a key under dataset, loader, "
              "trainer or run, or `loader` or `trainer` itself with a list of maps"});
}

TEST_CASE("a key below one that holds none is not suggested to be itself", "[unit][config]") {
  require_refused(kMock + "variants.big: {}\n", 3, 1, "variants.big",
                  "unknown key variants.big. Allowed here: dataset");
  require_refused(kMock + "name.first: x\n", 3, 1, "name.first",
                  "unknown key name.first. Allowed here: dataset");
}

}  // namespace misspelt_parts
}  // namespace benchbench::test
