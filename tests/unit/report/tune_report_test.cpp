// A tune's report in words, from observations written by hand.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "harness/report/tune/tune_report.h"

namespace benchbench {
namespace tune_report_test {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

// num_workers 0, 2, 4 and prefetch_factor 2, 4: ids 0 to 5.
Space space() {
  return Space({{"num_workers", KnobKind::workers, {{"0", 0, 0}, {"2", 2, 1}, {"4", 4, 2}}, false},
                {"prefetch_factor", KnobKind::depth, {{"2", 2, 0}, {"4", 4, 1}}, true}});
}

TuneProblem problem() {
  TuneProblem p{.space = space(), .limits = {}, .references = {}, .trainer_rate = {}};
  p.present = 2;  // num_workers=2 prefetch_factor=2
  p.budget_runs = 50;
  return p;
}

Observation seen(PointId point, double rate, std::uint32_t round, double memory) {
  Observation o;
  o.point = point, o.rate = rate, o.round = round, o.memory_bytes = memory, o.cost_runs = 0.5;
  return o;
}

// Four workers are a quarter faster, for a gigabyte more.
std::vector<Observation> search() {
  constexpr double kGiB = 1 << 30;
  return {seen(2, 100, 0, 2 * kGiB), seen(4, 125, 0, 3 * kGiB), seen(2, 100, 1, 2 * kGiB),
          seen(4, 125, 1, 3 * kGiB)};
}

TuneResult found_four() {
  TuneResult r;
  r.advice = TuneAdvice::change, r.stop = Stop::nothing_left, r.chosen = r.found = r.fastest = 4,
  r.chance_left = 0.01;
  r.rate = Estimate{125, 123, 127, 2};
  r.gains = {{2, Estimate{1.25, 1.2, 1.3, 3}, true}};
  r.cost_runs = 2, r.trials = 4, r.points_measured = 2;
  return r;
}

TuneReport report_of(const TuneProblem& p, const std::vector<Observation>& records,
                     TuneResult result) {
  return {"job", "python", p,     records, std::move(result), PresentStep{2, 10, 100, 130, 100},
          false, false,    false, 12};
}

// Returns a report of the problem and the search above.
TuneReport report_of(TuneResult result) {
  static const TuneProblem asked = problem();
  static const std::vector<Observation> records = search();
  return report_of(asked, records, std::move(result));
}

TEST_CASE("tune report: a change is said with its interval and its memory", "[unit][report]") {
  const std::string text = tune_text(report_of(found_four()));
  CHECK_THAT(
      text,
      StartsWith("job: num_workers 2 -> 4: +25.0 % [+20.0, +30.0], memory +1 GiB\n"
                 "The trainer waits 2.00 of 10.00 ms a step (20 %) with the present settings.\n"
                 "Present settings (num_workers=2 prefetch_factor=2): loader alone 100, trainer "
                 "alone 130, both together 100 samples/s.\n"
                 "\n    DataLoader(..., num_workers=4, prefetch_factor=2)\n"));
  CHECK_THAT(
      text,
      Contains("  over num_workers=2 prefetch_factor=2: +25.0 % [+20.0, +30.0], 3 fresh pairs\n"));
  CHECK_THAT(
      text, Contains("Why it stopped: no point is likely to be 2 % above the fastest (chance left: "
                     "1 %).\n"
                     "Cost: 2.0 full runs of 12 s after the first round (4 trials; "
                     "2 of 5 points measured: 2 in 2 rounds).\n"));
}

TEST_CASE("tune report: an interval is printed of pairs that differ, and of nothing else",
          "[unit][report]") {
  TuneResult r = found_four();
  r.gains = {{2, Estimate{1.25, 1.25, 1.25, 5}, true}, {0, Estimate{10, 10, 10, 1}}};
  TuneReport report = report_of(r);
  report.job_seconds = 40 * 3600;
  const std::string text = tune_text(report);
  CHECK_THAT(text, StartsWith("job: num_workers 2 -> 4: +25.0 %, memory +1 GiB\n"));
  CHECK_THAT(text, Contains("  over num_workers=2 prefetch_factor=2: +25.0 %, 5 fresh pairs\n"
                            "  over num_workers=0: +900.0 %, 1 fresh pair\n"));
  CHECK_THAT(text, Contains("\nA job of 40 h today takes 32 h.\n"));
  // The worth of a knob is by the search's model, which knows no interval of its own.
  CHECK_THAT(text, Contains("  num_workers=4: +25.0 %\n"));
}

TEST_CASE("tune report: a point that is slower and needs more is in no Pareto row",
          "[unit][report]") {
  const TuneProblem p = problem();
  auto records = search();
  records.push_back(seen(5, 90, 1, 4e9));
  const std::string text = tune_text(report_of(p, records, found_four()));
  CHECK_THAT(text, Contains("  3 GiB          -  num_workers=4 prefetch_factor=2\n"));
  CHECK_THAT(text, Contains("  2 GiB          -  num_workers=2 prefetch_factor=2\n"));
  CHECK_THAT(text, !Contains("num_workers=4 prefetch_factor=4"));
}

TEST_CASE("tune report: without memory and CPU time there is no table of what they buy",
          "[unit][report]") {
  const TuneProblem p = problem();
  auto records = search();
  for (Observation& o : records) o.memory_bytes.reset();
  CHECK_THAT(tune_text(report_of(p, records, found_four())), !Contains("Most samples/s for"));
  records.front().memory_bytes = 1e9;
  CHECK_THAT(tune_text(report_of(p, records, found_four())), Contains("Most samples/s for"));
}

TEST_CASE("tune report: a gain under the floor keeps yours, and names the floor of its pairs",
          "[unit][report]") {
  TuneResult r = found_four();
  r.advice = TuneAdvice::keep_yours, r.chosen = 2;
  r.gains = {{2, Estimate{1.01, 0.99, 1.03, 4}, false}};
  CHECK(tune_summary(report_of(r)) ==
        "keep yours: the best of the others, num_workers=4 prefetch_factor=2, "
        "is +1.0 % [-1.0, +3.0] in 4 fresh pairs, and the floor of such pairs is 2.8 %");
  CHECK_THAT(tune_text(report_of(r)),
             Contains("    DataLoader(..., num_workers=2, prefetch_factor=2)\n"));
}

TEST_CASE("tune report: an interval from none to much is too noisy to say", "[unit][report]") {
  TuneResult r = found_four();
  r.advice = TuneAdvice::keep_yours, r.chosen = 2;
  r.gains = {{2, Estimate{1.06, 0.98, 1.15, 3}, false}};
  CHECK(
      tune_summary(report_of(r)) ==
      "too noisy to say: num_workers=4 prefetch_factor=2 is +6.0 % [-2.0, +15.0] in fresh rounds");
}

TEST_CASE("tune report: a trainer that binds the present settings is said first",
          "[unit][report]") {
  TuneResult r = found_four();
  r.advice = TuneAdvice::keep_yours, r.stop = r.limit = Stop::trainer_binds, r.chosen = r.found = 2,
  r.gains.clear();
  CHECK(tune_summary(report_of(r)) ==
        "nothing to tune: the trainer is the limit; cheapest setting that keeps it so: "
        "num_workers=2 prefetch_factor=2");
}

TEST_CASE(
    "tune report: present settings at the limit are nothing to tune, "
    "though the budget ended on a dearer point",
    "[unit][report]") {
  TuneResult r = found_four();
  r.advice = TuneAdvice::keep_yours, r.stop = Stop::budget, r.limit = Stop::trainer_binds,
  r.chosen = 2, r.present_at_limit = true;
  r.gains = {{2, Estimate{1.0, 0.96, 1.04, 3}}};
  CHECK(tune_summary(report_of(r)) ==
        "nothing to tune: the trainer is the limit; whether a cheaper setting keeps it so is open");
  r.limit = Stop::cores_bind;
  CHECK_THAT(tune_summary(report_of(r)), StartsWith("nothing to tune: the cores are the limit; "));
  r.stop = Stop::cores_bind;
  CHECK(tune_summary(report_of(r)) ==
        "nothing to tune: the cores are the limit; cheapest setting that keeps it so: "
        "num_workers=2 prefetch_factor=2");
}

TEST_CASE("tune report: what is not finished says what is known, and keeps yours in the line",
          "[unit][report]") {
  TuneResult r = found_four();
  r.advice = TuneAdvice::not_finished, r.stop = Stop::budget, r.chosen = 2;
  r.gains.front().shown = false, r.gains.front().of_search = true;
  const auto said = [&] { return tune_summary(report_of(r)); };
  const std::string found = "not finished: num_workers=4 prefetch_factor=2 ",
                    more = "; a larger --budget looks further";
  CHECK(said() == found + "is +25.0 % in the search, and was not measured again" + more);
  TuneReport report = report_of(r);
  report.job_seconds = 3600;
  const std::string text = tune_text(report);
  CHECK_THAT(text, Contains("\n    DataLoader(..., num_workers=2, prefetch_factor=2)\n"));
  CHECK_THAT(text,
             !Contains("measured again:") && !Contains("fresh pair") && !Contains("A job of"));
  r.gains = {{2, Estimate{1.137, 0.729, 1.774, 3}}};
  CHECK(said() ==
        "too noisy to say: num_workers=4 prefetch_factor=2 is +13.7 % [-27.1, +77.4] in "
        "fresh rounds");
  r.gains = {{2, Estimate{1.05, 1.03, 1.07, 3}}};
  CHECK(said() == found + "is +5.0 % [+3.0, +7.0] in 3 fresh pairs, and 5 pairs are needed" + more);
  r.gains = {{2, Estimate{1.01, 0.98, 1.04, 12}}}, r.chance_faster = 0.23;
  CHECK(said() == found +
                      "is +1.0 % [-2.0, +4.0] in 12 fresh pairs, and a setting that is 2 % "
                      "faster has a chance of 23 %" +
                      more);
  r.stop = Stop::nothing_left;
  CHECK(said().ends_with("has a chance of 23 %"));
  r.gains.clear();
  CHECK(said() == found + "looked better, and was not measured again");
  r.found = 2, r.stop = Stop::budget, r.chance_faster = 0.84;
  CHECK(said() == "not finished: a setting that is 2 % faster has a chance of 84 %" + more);
}

TEST_CASE("tune report: a gain that there is no room for is refused with what there is",
          "[unit][report]") {
  TuneResult r = found_four();
  r.advice = TuneAdvice::not_finished, r.chosen = 2;
  r.gains = {{2, Estimate{1.137, 1.099, 1.176, 5}}};
  r.gains.front().room = Room{0.005, 1.01}, r.gains.front().refused = true;
  const std::string begin =
      "refused: num_workers=4 prefetch_factor=2 is +13.7 % [+9.9, +17.6] in 5 fresh pairs, but the "
      "step waits 0.5 % of its time for batches or a core and the trainer alone is ";
  CHECK(tune_summary(report_of(r)) ==
        begin + "1.0 % faster: no setting of the loader gives more than 1.0 %");
  r.gains.front().room->trainer = 0.98;
  CHECK(tune_summary(report_of(r)) ==
        begin + "not faster: no setting of the loader gives more than 0.5 %");
}

TEST_CASE("tune report: what was slower when it was measured again is said to be that",
          "[unit][report]") {
  TuneResult r = found_four();
  r.advice = TuneAdvice::keep_yours, r.chosen = 2;
  r.gains = {{2, Estimate{0.92, 0.89, 0.95, 3}, false, true}};
  CHECK(tune_summary(report_of(r)) ==
        "keep yours: num_workers=4 prefetch_factor=2 looked as fast in the search, and is -8.0 % "
        "[-11.0, -5.0] in 3 fresh pairs");
}

TEST_CASE("tune report: a target is reached, reached within 2 %, not reached or out of reach",
          "[unit][report]") {
  TuneProblem p = problem();
  const auto records = search();
  TuneResult r = found_four();
  const auto line = [&](double target, bool met) {
    p.limits.target_rate = target, r.target_met = met;
    return tune_text(report_of(p, records, r));
  };
  CHECK_THAT(line(120, true),
             Contains("Target 120 samples/s: reached; what was found gives 125 samples/s.\n"));
  CHECK_THAT(line(126, true), Contains("Target 126 samples/s: reached within 2 %; what"));
  CHECK_THAT(line(300, false), Contains("Target 300 samples/s: out of reach; what"));
  r.stop = Stop::budget;
  CHECK_THAT(line(300, false), Contains("Target 300 samples/s: not reached; what"));
}

TEST_CASE("tune report: points over the limit of memory are not in its table", "[unit][report]") {
  TuneProblem p = problem();
  const auto records = search();
  CHECK_THAT(tune_text(report_of(p, records, found_four())), Contains("        125      3 GiB"));
  p.limits.memory_bytes = 2.5 * (1 << 30);
  CHECK_THAT(tune_text(report_of(p, records, found_four())), !Contains("        125      3 GiB"));
  CHECK_THAT(tune_text(report_of(p, records, found_four())),
             Contains("Over the limit of 2.5 GiB: 1 measured point; the fastest, num_workers=4 "
                      "prefetch_factor=2, gives 125 samples/s and needs 3 GiB.\n"));
  auto unknown = records;
  for (Observation& o : unknown) o.memory_bytes.reset();
  CHECK_THAT(tune_text(report_of(p, unknown, found_four())),
             Contains("The memory of no trial is known: the limit was not applied.\n"));
  p.limits.memory_bytes = 4.0 * (1 << 30);
  CHECK_THAT(tune_text(report_of(p, records, found_four())), !Contains("Over the limit"));
}

TEST_CASE("tune report: what is pasted leaves out what has no effect", "[unit][report]") {
  CHECK(line_to_paste(space(), 0, "python") == "DataLoader(..., num_workers=0)");
  CHECK(line_to_paste(space(), 5, "libtorch") ==
        "torch::data::DataLoaderOptions().workers(4).max_jobs(16)");
  CHECK(line_to_paste(space(), 5, "native") ==
        "loader: {num_workers: 4, prefetch_factor: 4}   # valid for the loader native");
}

TEST_CASE("tune report: libtorch has no option for pinned batches, so the line says what to do",
          "[unit][report]") {
  const Space pinned({{"num_workers", KnobKind::workers, {{"4", 4, 0}}, false},
                      {"pin_memory", KnobKind::flag, {{"false", 0, 0}, {"true", 0, 1}}, false}});
  CHECK(line_to_paste(pinned, 1, "libtorch") ==
        "torch::data::DataLoaderOptions().workers(4)   // and pin each batch: batch.data = "
        "batch.data.pin_memory() (pin_memory: true)");
  CHECK(line_to_paste(pinned, 0, "libtorch") ==
        "torch::data::DataLoaderOptions().workers(4)   "
        "// without pinned batches (pin_memory: false)");
}

TEST_CASE(
    "tune report: trials that are not used are said with their reasons, "
    "and counted by what became of them",
    "[unit][report]") {
  const TuneProblem p = problem();
  auto records = search();
  records.push_back(seen(5, 0, 1, 0)), records.back().outcome = TuneOutcome::invalid;
  records.push_back(seen(3, 60, 1, 0)), records.back().outcome = TuneOutcome::stopped_early;
  TuneReport r = report_of(p, records, found_four());
  r.problems = {{true, "INVALID R07 (duration): a window of 1 s", {"a line below"}}};
  const std::string text = tune_text(r);
  CHECK_THAT(text, Contains("\nTrials that are not used, and noisy ones:\n  INVALID R07 "
                            "(duration): a window of 1 s\n    a line below\n"));
  CHECK_THAT(
      text,
      Contains("(6 trials, 1 ended early as hopeless, 1 INVALID; 3 of 5 points measured: 1 in 1 "
               "round, 2 in 2 rounds).\n"));
}

TEST_CASE("tune report: the first round is a round of the present settings", "[unit][report]") {
  const TuneProblem p = problem();
  const auto records = search();
  TuneReport r = report_of(p, records, found_four());
  r.first_round = true;
  CHECK_THAT(tune_text(r), Contains("2 of 5 points measured: 1 in 2 rounds, 1 in 3 rounds).\n"));
  TuneReport first = report_of(p, {}, {});
  CHECK_THAT(tune_text(first), Contains("(0 trials; 0 of 5 points measured).\n"));
  CHECK(tune_summary(first) == "nothing can be said: no point has a rate so far");
  first.first_round = true;
  CHECK_THAT(tune_text(first), Contains("(0 trials; 1 of 5 points measured: 1 in 1 round).\n"));
  CHECK(tune_summary(first) ==
        "nothing can be said: only the present settings were measured, in round 1");
}

TEST_CASE("tune report: memory is called what it is", "[unit][report]") {
  const TuneProblem p = problem();
  auto records = search();
  TuneReport r = report_of(p, records, found_four());
  CHECK_THAT(tune_text(r), Contains("  memory: the peak of the process's resident memory.\n"));
  r.memory = MemoryMeasure::processes;
  CHECK_THAT(tune_text(r),
             Contains("  memory: PSS of all processes together, the most that was seen; what is in "
                      "/dev/shm counts where a process has it mapped.\n"));
  r.job_seconds = 41 * 3600;
  CHECK_THAT(tune_text(r),
             Contains("has it mapped, and what the workers' memory grows by in 41 h.\n"));
  for (Observation& o : records) o.memory_bytes.reset();
  CHECK_THAT(tune_text(r), !Contains("  memory: "));
}

TEST_CASE("tune report: a job's hours and its cost, where the gain is shown", "[unit][report]") {
  TuneReport r = report_of(found_four());
  CHECK_THAT(tune_text(r), !Contains("A job of"));
  r.job_seconds = 40 * 3600;
  CHECK_THAT(tune_text(r), Contains("\nA job of 40 h today takes 32 h [30.8, 33.3].\n"));
  r.price = 2.5;
  CHECK_THAT(tune_text(r), Contains("takes 32 h [30.8, 33.3], and costs 80 instead of 100.\n"));
  r.result.gains.front().shown = false;
  CHECK_THAT(tune_text(r), !Contains("A job of"));
}

TEST_CASE(
    "tune report: workers are kept where starting them costs an epoch 5 %, "
    "and what it costs is said",
    "[unit][report]") {
  TuneReport r = report_of(found_four());
  r.epoch_start = EpochStart{600, 9.4};
  CHECK_THAT(
      tune_text(r),
      Contains("    DataLoader(..., num_workers=4, prefetch_factor=2, persistent_workers=True)\n"));
  CHECK_THAT(tune_text(r), Contains("\nWorkers are started for each epoch: 600 ms before an epoch "
                                    "of 9.4 s (6 %), which the rates leave out and "
                                    "persistent_workers=True saves.\n"));
  r.epoch_start = EpochStart{400, 9.6};
  CHECK_THAT(tune_text(r), Contains("    DataLoader(..., num_workers=4, prefetch_factor=2)\n"));
  CHECK_THAT(tune_text(r), !Contains("Workers are started"));
}

TEST_CASE(
    "tune report: a knob without effect at one of the points is not said to change from there",
    "[unit][report]") {
  TuneProblem p = problem();
  p.present = 0;  // num_workers=0
  const std::vector<Observation> records = {seen(0, 100, 0, 1e9), seen(5, 125, 0, 1e9)};
  TuneResult result = found_four();
  result.chosen = result.found = 5;
  result.gains.front().reference = 0;
  const TuneReport report = report_of(p, records, result);
  CHECK_THAT(tune_summary(report), StartsWith("num_workers 0 -> 4, prefetch_factor 4: +25.0 %"));
  // Nor is a present value of it invented.
  CHECK_THAT(tune_text(report),
             Contains("  num_workers=4: ") && !Contains("  prefetch_factor=4: "));
  const auto json = tune_json(report);
  CHECK(json["present"] == nlohmann::ordered_json{{"num_workers", "0"}});
  CHECK(json["chosen"] == nlohmann::ordered_json{{"num_workers", "4"}, {"prefetch_factor", "4"}});
  REQUIRE(json["knobs"].size() == 1);
  CHECK(json["knobs"][0]["knob"] == "num_workers");
}

TEST_CASE(
    "tune report: the most workers that were tried are said to be that, "
    "but where something else is the limit",
    "[unit][report]") {
  TuneReport r = report_of(found_four());
  const std::string most = "num_workers=4 is the most that was tried; --max-workers tries more.\n";
  CHECK_THAT(tune_text(r), Contains(most));
  r.result.stop = Stop::trainer_binds;
  CHECK_THAT(tune_text(r), !Contains(most));
  r.result.stop = Stop::budget;
  r.result.chosen = 0;
  CHECK_THAT(tune_text(r), !Contains(most));
}

TEST_CASE(
    "tune report: what was not tried has its reason, and streams make num_workers change the order",
    "[unit][report]") {
  TuneReport r = report_of(found_four());
  CHECK_THAT(tune_text(r), !Contains("Not tried") && !Contains("IterableDataset"));
  r.not_tried = {{"pin_memory", "the step's device is not CUDA"}, {"in_order", "why not"}};
  r.streams = true;
  CHECK_THAT(
      tune_text(r),
      Contains("\nNot tried: pin_memory (the step's device is not CUDA); in_order (why not).\n"));
  CHECK_THAT(tune_text(r),
             Contains("\nnum_workers changes the order of the samples: the data set is an "
                      "IterableDataset, and each worker has a stream of its own.\n"));
}

TEST_CASE("tune report: a format is pasted as a setting of the data set", "[unit][report]") {
  const Space formats({{"num_workers", KnobKind::workers, {{"4", 4, 0}}, false},
                       {"format", KnobKind::category, {{"tar", 0, 0}, {"hdf5", 0, 1}}, false}});
  CHECK(line_to_paste(formats, 1, "native") ==
        "dataset: {format: hdf5}\n    loader: {num_workers: 4}   # valid for the loader native");
  CHECK(line_to_paste(formats, 0, "libtorch") ==
        "torch::data::DataLoaderOptions().workers(4)   # with dataset.format: tar");
}

TEST_CASE(
    "tune report: present settings over the limit are said to be that, and others to have no rate",
    "[unit][report]") {
  TuneProblem p = problem();
  const auto records = search();
  TuneResult result = found_four();
  result.present_works = false;
  CHECK(tune_summary(report_of(p, records, result)) ==
        "the present settings have no usable rate here; found: num_workers=4 prefetch_factor=2");
  p.limits.memory_bytes = 1.5 * (1 << 30);
  CHECK(tune_summary(report_of(p, records, result)) ==
        "the present settings need 2 GiB, over the limit of 1.5 GiB; found: num_workers=4 "
        "prefetch_factor=2");
}

TEST_CASE("tune report: a budget that ended says what it left open", "[unit][report]") {
  TuneResult result = found_four();
  result.stop = Stop::budget;
  CHECK_THAT(
      tune_text(report_of(result)),
      Contains("Why it stopped: the budget ended; no point is likely to be 2 % above the fastest "
               "(chance left: 1 %), and whether a cheaper one is as fast is open.\n"));
  result.chance_left = 0.3;
  CHECK_THAT(
      tune_text(report_of(result)),
      Contains(
          "Why it stopped: the budget ended (chance of a point 2 % above the fastest: 30 %).\n"));
  result.chance_left = 0.9999;
  CHECK_THAT(tune_text(report_of(result)), Contains("the fastest: over 99 %).\n"));
  result.chance_left = 0.004;
  CHECK_THAT(tune_text(report_of(result)), Contains("(chance left: below 1 %)"));
}

TEST_CASE("tune report: interrupted, it is the best so far", "[unit][report]") {
  TuneReport r = report_of(found_four());
  r.interrupted = true;
  CHECK_THAT(tune_text(r), Contains("Why it stopped: interrupted: this is the best so far.\n"));
}

}  // namespace tune_report_test
}  // namespace benchbench
