// `tune` on mocks whose best settings are known, in virtual time.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/golden/program/program.h"

namespace benchbench::test {
namespace tune_test {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

// Two workers of four keep a step of 1 ms fed at 2 ms a batch; `extra` and `--set` make the other
// cases. Cases that ask for the same get copies of one search.
Ran tune(const Scratch& s, std::vector<std::string> more, const std::string& extra = "") {
  const std::vector<std::string> words{"tune", "tiny.yaml", "--clock", "simulated", "--max-workers",
                                       "4",    "--out",     "out",     "--quiet"};
  more.insert(more.begin(), words.begin(), words.end());
  Ran ran = copy_shared_run(s, tiny_scenario(extra), more);
  UNSCOPED_INFO(ran.err << ran.out);
  return ran;
}

// Goes on with the search in `s`.
Ran resume(const Scratch& s, std::vector<std::string> more) {
  const std::vector<std::string> words{"tune",      "tiny.yaml",     "--resume", "--clock",
                                       "simulated", "--max-workers", "4",        "--out",
                                       "out",       "--quiet"};
  more.insert(more.begin(), words.begin(), words.end());
  Ran ran = run_program(s, more);
  UNSCOPED_INFO(ran.err << ran.out);
  return ran;
}

int strict_code(const Scratch& s) { return run_program(s, {"report", "out", "--strict"}).code; }

TEST_CASE("tune: two workers where two are just enough, with a line to paste", "[golden][app]") {
  const Scratch s;
  const Ran ran = tune(s, {"--knobs", "num_workers"});
  CHECK(ran.code == 0);
  CHECK_THAT(ran.out, StartsWith("tiny: num_workers 1 -> 2: +100.0 %\n"));
  CHECK_THAT(
      ran.out,
      Contains("The trainer waits 1.00 of 2.00 ms a step (50 %) with the present settings.\n"));
  CHECK_THAT(ran.out,
             Contains("\n    loader: {num_workers: 2}   # valid for the loader synthetic\n"));
  CHECK_THAT(ran.out,
             Contains("Why it stopped: the rate is within 2 % of what the trainer can take.\n"));
}

TEST_CASE("tune: a trainer that binds is said first", "[golden][app]") {
  const Scratch s;
  const Ran ran = tune(s, {"--knobs", "num_workers", "--set", "loader.batch_time=500us"});
  CHECK(ran.code == 0);
  CHECK_THAT(ran.out, StartsWith("tiny: nothing to tune: the trainer is the limit; cheapest "
                                 "setting that keeps it so: num_workers=1\n"));
}

TEST_CASE(
    "tune: present settings within 2 % of the trainer are nothing to tune, "
    "though another point is faster",
    "[golden][app]") {
  const Scratch s;
  const Ran ran = tune(s, {"--knobs", "num_workers", "--set", "loader.batch_time=1015us"});
  CHECK(ran.code == 0);
  CHECK_THAT(ran.out, StartsWith("tiny: nothing to tune: the trainer is the limit; cheapest "
                                 "setting that keeps it so: num_workers=1\n"));
}

TEST_CASE("tune: in virtual time a gain of over 2 % is exact, and is shown", "[golden][app]") {
  const Scratch s;
  const Ran ran = tune(s, {"--knobs", "num_workers", "--set", "loader.batch_time=1020300ns"});
  CHECK(ran.code == 0);
  CHECK_THAT(ran.out, StartsWith("tiny: num_workers 1 -> 2: +2.0 %\n"));
  CHECK_THAT(ran.out, Contains("    loader: {num_workers: 2}   # valid"));
}

TEST_CASE("tune: where the loader binds and no other point is faster, the present settings stay",
          "[golden][app]") {
  const Scratch s;
  const Ran ran = tune(s, {"--knobs", "num_workers", "--max-workers", "1"});
  CHECK(ran.code == 0);
  CHECK_THAT(ran.out,
             StartsWith("tiny: keep yours: nothing measured is believed to be faster by 2 %\n"));
}

TEST_CASE("tune: where no point runs nothing is said, with 8", "[golden][app]") {
  const Scratch s;
  const Ran ran = tune(s, {"--set", "trainer.device=cuda:7"});
  CHECK(ran.code == 8);
  CHECK_THAT(ran.out,
             StartsWith("tiny: nothing can be said: no point that was tried has a usable rate\n"));
}

TEST_CASE(
    "tune: windows that are too short are INVALID, "
    "said with the rule, and nothing is advised from them",
    "[golden][app]") {
  const Scratch s;
  const Ran ran = tune(s, {"--knobs", "num_workers", "--set", "measure.class=normal", "--set",
                           "measure.window=40ms"});
  CHECK(ran.code == 8);
  CHECK_THAT(ran.out,
             StartsWith("tiny: nothing can be said: no point that was tried has a usable rate\n"));
  CHECK_THAT(ran.out, Contains("  INVALID R07 (duration): num_workers=1 (base) loader round 1 (a "
                               "window of 0.2 s; class normal needs 1 s)"));
  CHECK_THAT(ran.out, Contains(" INVALID; 0 of 5 points measured)"));
  CHECK_THAT(ran.out, !Contains("loader: {"));
}

TEST_CASE("tune: a limit of memory where memory is not known is said, and 9 under --strict",
          "[golden][app]") {
  const Scratch s;
  const Ran ran = tune(s, {"--knobs", "num_workers", "--max-memory", "1KB"});
  CHECK(ran.code == 0);
  CHECK_THAT(ran.out, Contains("The memory of no trial is known: the limit was not applied.\n"));
  CHECK(strict_code(s) == 9);
}

TEST_CASE("tune: a sweep over what is no knob is left out", "[golden][app]") {
  const Scratch s;
  const Ran ran = tune(s, {"--knobs", "pin_memory"}, "sweep: {trainer.step_time: [1ms, 2ms]}\n");
  CHECK(ran.code == 0);
  CHECK_THAT(ran.out, StartsWith("tiny: nothing to tune: the knobs leave one point, "));
}

TEST_CASE(
    "tune: the step has the threads of the present settings, "
    "whatever number of workers the grid ends at",
    "[golden][app]") {
  const Scratch s;
  const std::string most = std::to_string(std::thread::hardware_concurrency() + 2);
  const Ran ran =
      tune(s, {"--knobs", "num_workers", "--max-workers", most, "--set", "loader.num_workers=0"});
  CHECK(ran.code == 0);
  const std::string journal = read_file(s.path("out/journal.jsonl"));
  const auto first = nlohmann::json::parse(journal.substr(0, journal.find('\n')));
  CHECK(first["trial"]["settings"]["trainer.intra_op_threads"] ==
        std::thread::hardware_concurrency());
}

TEST_CASE("tune: one knob with one value is nothing to tune", "[golden][app]") {
  const Scratch s;
  const Ran ran = tune(s, {"--knobs", "num_workers"}, "sweep: {loader.num_workers: [1]}\n");
  CHECK(ran.code == 0);
  CHECK_THAT(ran.out,
             StartsWith("tiny: nothing to tune: the knobs leave one point, num_workers=1\n"));
}

TEST_CASE("tune: a limit of workers below the present ones is refused", "[golden][app]") {
  const Scratch s;
  const Ran ran = tune(s, {"--max-workers", "1", "--set", "loader.num_workers=3"});
  CHECK(ran.code == 2);
  CHECK_THAT(ran.err, Contains("--max-workers 1: the present settings have num_workers 3"));
}

TEST_CASE("tune: a target out of reach is said, and 9 under --strict", "[golden][app]") {
  const Scratch s;
  const Ran ran = tune(s, {"--json", "first.json", "--target-rate", "9000", "--strict"});
  CHECK(ran.code == 9);
  CHECK_THAT(
      ran.out,
      Contains("Target 9,000 samples/s: out of reach; what was found gives 4,000 samples/s.\n"));
  CHECK(run_program(s, {"report", "out"}).code == 0);
}

TEST_CASE(
    "tune: a limit of memory below what anything needs is "
    "said with the least that was seen, and 9 under --strict",
    "[golden][app]") {
  const Scratch s;
  s.write("tiny.yaml", quick_scenario());
  const Ran ran = run_program(s, {"tune", "tiny.yaml", "--knobs", "num_workers", "--max-workers",
                                  "2", "--max-memory", "1MiB", "--quiet", "--out", "out"});
  UNSCOPED_INFO(ran.err << ran.out);
  CHECK(ran.code == 0);
  CHECK_THAT(
      ran.out,
      StartsWith(
          "tiny: no settings keep to the limit of 1 MiB: the least that a trial needed is "));
  CHECK_THAT(ran.out,
             Contains("Why it stopped: every point is over the limit, by what was seen.\n"));
  CHECK(strict_code(s) == 9);
}

TEST_CASE("tune: a budget below one pair is 7", "[golden][app]") {
  const Scratch s;
  const Ran ran = tune(s, {"--budget", "1ms"});
  CHECK(ran.code == 7);
  CHECK_THAT(ran.out,
             StartsWith("tiny: nothing can be said: the budget is below one pair of trials\n"));
  // The first round is of the present settings.
  CHECK_THAT(ran.out, Contains("(0 trials; 1 of ") && Contains(" points measured: 1 in 1 round)"));
}

TEST_CASE("tune: without workers no setting of theirs is named", "[golden][app]") {
  const Scratch s;
  s.write("tiny.yaml", tiny_scenario());
  const Ran ran =
      run_program(s, {"tune", "tiny.yaml", "--clock", "simulated", "--knobs",
                      "num_workers,prefetch_factor", "--max-workers", "2", "--out", "out"});
  INFO(ran.err << ran.out);
  CHECK_THAT(ran.err, Contains(": pipeline num_workers=0: ") &&
                          Contains(": pipeline num_workers=1 prefetch_factor=2 (base): ") &&
                          !Contains("num_workers=0 prefetch_factor"));
}

TEST_CASE("tune: a setting that the loader does not have, and one that is no knob, are refused",
          "[golden][app]") {
  const Scratch s;
  CHECK_THAT(tune(s, {"--knobs", "io"}).err,
             Contains("--knobs io: the loader synthetic has no such setting"));
  CHECK_THAT(
      tune(s, {"--knobs", "prefetch_factor", "--set", "loader.num_workers=0"}).err,
      Contains(
          "--knobs prefetch_factor: without workers it has no effect, and num_workers stays at 0"));
  const Ran ran = tune(s, {"--knobs", "shuffle"});
  CHECK(ran.code == 2);
  CHECK_THAT(ran.err, Contains("--knobs shuffle: not a knob of tune; knobs are num_workers, "));
  CHECK_THAT(
      tune(s, {"--knobs", "num_worker"}).err,
      Contains("--knobs num_worker: not a knob of tune; did you mean num_workers?; knobs are "));
}

TEST_CASE("tune: a present setting of auto is refused where it is to be searched",
          "[golden][app]") {
  const Scratch s;
  s.write("data.yaml",
          "name: data\n"
          "dataset: {format: image_folder, synthesize: {samples: 96, image: {mean_width: 48, "
          "mean_height: 32}, classes: 4}}\n"
          "loader: {use: native, num_workers: 1, batch_size: 16, "
          "transform: {random_resized_crop: 32}}\ntrainer: {use: discard}\n"
          "measure: {class: selftest, rounds: 1}\n");
  const Ran ran = run_program(s, {"tune", "data.yaml", "--knobs", "io"});
  CHECK(ran.code == 2);
  CHECK_THAT(ran.err, Contains("--knobs io: the present setting is auto"));
  CHECK_THAT(ran.err, Contains("--set loader.io=pread"));
}

TEST_CASE("tune: resumed it says the same from its records, and runs nothing twice",
          "[golden][app]") {
  const Scratch s;
  const Ran first = tune(s, {});
  const std::size_t lines = count_lines(s.path("out/journal.jsonl"));
  const Ran again = resume(s, {});
  CHECK(again.code == 0);
  CHECK(again.out == first.out);
  CHECK(count_lines(s.path("out/journal.jsonl")) == lines);
  const Ran without_file = run_program(s, {"tune", "--resume", "--out", "out", "--quiet"});
  CHECK(without_file.code == 0);
  CHECK(without_file.out == first.out);
}

TEST_CASE("tune: report of its folder says the same, in text and JSON, and nothing else",
          "[golden][app]") {
  const Scratch s;
  const Ran first = tune(s, {"--json", "first.json", "--target-rate", "9000", "--strict"});
  CHECK(first.code == 9);
  const Ran again = run_program(s, {"report", "out", "--json", "again.json"});
  CHECK(again.code == 0);
  CHECK(again.out == first.out);
  CHECK(read_file(s.path("again.json")) == read_file(s.path("first.json")));
  CHECK(run_program(s, {"report", "out", "--strict"}).code == 9);
  const Ran detailed = run_program(s, {"report", "out", "--detail"});
  CHECK(detailed.code == 2);
  CHECK_THAT(detailed.err, Contains("--detail: out is a tune's or a require's folder"));
}

TEST_CASE("tune: a tune that was cut goes on to the same end", "[golden][app]") {
  const Scratch s;
  const Ran first = tune(s, {});
  const std::string journal = read_file(s.path("out/journal.jsonl"));
  std::size_t cut = 0;
  for (int line = 0; line < 8; ++line) cut = journal.find('\n', cut) + 1;
  s.write("out/journal.jsonl", journal.substr(0, cut));
  const Ran again = resume(s, {});
  CHECK(again.out == first.out);
  CHECK(count_lines(s.path("out/journal.jsonl")) > 8);
}

TEST_CASE("tune: resumed with another budget, all that was measured counts and the search goes on",
          "[golden][app]") {
  const Scratch s;
  const Ran first = tune(s, {"--budget", "3s"});
  const std::size_t lines = count_lines(s.path("out/journal.jsonl"));
  CHECK_THAT(first.out, Contains("Why it stopped: the budget ended"));
  const Ran again = resume(s, {"--budget", "10min"});
  CHECK(count_lines(s.path("out/journal.jsonl")) > lines);
  CHECK_THAT(again.out, StartsWith("tiny: num_workers 1 -> ") && Contains(": +100.0 %\n"));
  CHECK_THAT(again.out, !Contains("the budget ended"));
}

TEST_CASE("tune: resumed with a target that is met by what was measured, it ends there",
          "[golden][app]") {
  const Scratch s;
  tune(s, {});
  const std::size_t lines = count_lines(s.path("out/journal.jsonl"));
  const Ran again = resume(s, {"--target-rate", "1500", "--json", "out.json"});
  CHECK_THAT(again.out, Contains("Target 1,500 samples/s: reached"));
  CHECK(count_lines(s.path("out/journal.jsonl")) <= lines + 20);
  const auto json = nlohmann::json::parse(read_file(s.path("out.json")));
  // All trials but the first round's: F, L and three of T.
  CHECK(json["trials"] == count_lines(s.path("out/journal.jsonl")) - 5);
}

TEST_CASE("tune: resumed with a smaller budget, what was measured beyond it counts all the same",
          "[golden][app]") {
  const Scratch s;
  const Ran first = tune(s, {});
  const Ran again = resume(s, {"--budget", "2s", "--json", "out.json"});
  const auto json = nlohmann::json::parse(read_file(s.path("out.json")));
  // All trials but the first round's: F, L and three of T.
  CHECK(json["trials"] == count_lines(s.path("out/journal.jsonl")) - 5);
  CHECK(again.out.substr(0, again.out.find('\n')) == first.out.substr(0, first.out.find('\n')));
}

TEST_CASE("tune: resumed, it has the options that it was started with", "[golden][app]") {
  const Scratch s;
  const Ran first = tune(s, {"--knobs", "num_workers", "--target-rate", "9000"});
  s.write("tiny.yaml", tiny_scenario());
  const Ran again = run_program(s, {"tune", "tiny.yaml", "--resume", "--out", "out", "--quiet"});
  UNSCOPED_INFO(again.err);
  CHECK(again.code == 0);
  CHECK(again.out == first.out);
}

TEST_CASE("tune: resumed with other knobs it is refused", "[golden][app]") {
  const Scratch s;
  tune(s, {"--knobs", "num_workers"});
  const Ran again = resume(s, {"--knobs", "num_workers,prefetch_factor"});
  CHECK(again.code == 2);
  CHECK_THAT(again.err, Contains("--resume: the stored run has a different scenario"));
}

// On the real clock, eight workers make batches as fast as the step takes them. With one, 100
// batches take 1.6 s at least, and a third of the window has passed long before.
TEST_CASE("tune: a hopeless trial is ended after a third of its window, and its rate counts",
          "[golden][app]") {
  const Scratch s;
  s.write("tiny.yaml", tiny_scenario("sweep: {loader.num_workers: [8, 1]}\n"));
  const Ran ran =
      run_program(s, {"tune", "tiny.yaml", "--knobs", "num_workers", "--out", "out", "--quiet",
                      "--budget", "10min", "--set", "loader.num_workers=8", "--set",
                      "loader.batch_time=16ms", "--set", "trainer.step_time=2ms"});
  UNSCOPED_INFO(ran.err << ran.out);
  // A busy machine may leave it open whether fewer workers do.
  CHECK((ran.code == 0 || ran.code == 4 || ran.code == 7));
  CHECK_THAT(read_file(s.path("out/journal.jsonl")), Contains("ended early: "));
  CHECK_THAT(ran.out, Contains(" ended early as hopeless"));
  CHECK_THAT(ran.out, !Contains("ended early: "));  // it is no trial that was not used
}

TEST_CASE(
    "tune: batch_size is a knob where it is asked for, the trainer's rate at one size limits no "
    "other, and what it changes is said",
    "[golden][app]") {
  const Scratch s;
  const Ran ran = tune(s, {"--knobs", "batch_size", "--set", "trainer.step_time=3ms"});
  CHECK(ran.code == 0);
  // A step takes as long with any size.
  CHECK_THAT(ran.out, StartsWith("tiny: batch_size 4 -> 16: +300.0 %\n"));
  CHECK_THAT(ran.out, Contains("batch_size changes the training: the rates are of samples, not of "
                               "what is learnt from them.\n"));
}

TEST_CASE(
    "tune: formats of the scenario's sweep are made and searched, and pasted as the data set's",
    "[golden][app]") {
  const Scratch s;
  s.write("data.yaml",
          "name: data\n"
          "dataset: {format: image_folder, synthesize: {samples: 96, image: {mean_width: 48, "
          "mean_height: 32}, classes: 4}}\n"
          "loader: {use: native, num_workers: 1, batch_size: 16, "
          "transform: {random_resized_crop: 32}}\ntrainer: {use: discard}\n"
          "sweep: {dataset.format: [image_folder, tar]}\n"
          "measure: {class: stretch, rounds: 1, window: 100ms, window_batches: 4, warmup: 10ms}\n");
  const Ran ran = run_program(s, {"tune", "data.yaml", "--knobs", "format", "--out", "out",
                                  "--quiet", "--json", "out.json"});
  UNSCOPED_INFO(ran.err << ran.out);
  // The machine says which one is faster, or leaves it open.
  CHECK((ran.code == 0 || ran.code == 4 || ran.code == 7));
  const auto json = nlohmann::json::parse(read_file(s.path("out.json")));
  CHECK(json["points"].size() == 2);
  CHECK_THAT(ran.out, Contains("    dataset: {format: "));
  CHECK(read_file(s.path("out/scenario.yaml")) == read_file(s.path("data.yaml")));
}

TEST_CASE("tune: JSON on standard output is one document", "[golden][app]") {
  const Scratch s;
  tune(s, {"--knobs", "num_workers"});
  const Ran ran = resume(s, {"--knobs", "num_workers", "--json", "-"});
  const auto json = nlohmann::json::parse(ran.out);
  CHECK(json["advice"] == "change");
  CHECK(json["chosen"] == nlohmann::json{{"num_workers", "2"}});
  CHECK(json["present"] == nlohmann::json{{"num_workers", "1"}});
}

}  // namespace tune_test
}  // namespace benchbench::test
