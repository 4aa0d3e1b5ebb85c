// What the report of `benchbench wrap` says: nothing to change that its rounds do not show, in
// words of a script.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "harness/report/external/external_words.h"
#include "harness/report/terminal/points_table.h"
#include "harness/report/text/notes.h"
#include "tests/unit/report/told_script.h"
#include "tests/unit/report/values_of.h"

namespace benchbench::wrapped_report_test {

using test::exactly;
using told_script::has;
using told_script::Script;
using told_script::Told;

TEST_CASE("wrapped report: a round that settles the side is told as certain, others as seen",
          "[unit][report][wrap]") {
  Told one, two;
  one.add({}, 100, 500, 100, true, 1);
  two.add({}, 100, 500, 100, false, 2);
  CHECK(has(one.part("binds"), "Measured in 1 round."));
  CHECK(conclusion_values(one.f, one.plan)["indicative"] == false);
  CHECK(conclusion_values(two.f, two.plan)["indicative"] == true);
  CHECK(has(one.part("binds"),
            "The loader is the limit: alone it takes all of each 100 ms step, and the script loses "
            "80 ms (80 %, critical)"));
  CHECK(one.part("next") ==
        "Try DataLoader(num_workers=4): "
        "--try num_workers=4 measures it in turns with the script's own.");
  Told fewer;
  fewer.add({}, 500, 100, 60).side = Side::contention;
  fewer.said();
  fewer.f.conclusion.next.kind = NextKind::change;
  fewer.f.conclusion.next.advice = Advice{.component = Component::contention,
                                          .remedy = Remedy::fewer_workers,
                                          .key = "loader.num_workers",
                                          .from = "2",
                                          .to = "1",
                                          .in_code = true};
  std::string next;
  for (const ConclusionPart& part : conclusion_parts(fewer.f, fewer.plan))
    if (part.label == "next") next = part.text;
  CHECK(next ==
        "Try DataLoader(num_workers=1) (now 2), which would leave the trainer more of the cores: "
        "--try num_workers=1 measures it in turns with the script's own.");
  CHECK(has(one.part("headroom"), "not enough"));
  CHECK(two.part("binds") ==
        "In 2 complete rounds the loader seemed to be the limit: it took all of each 100 ms step. "
        "That is not certain: more rounds are needed.");
  CHECK(two.part("next") ==
        "Measure more rounds before changing anything (--rounds, --budget), with a script "
        "that gets that far before it saves or ends.");
  CHECK(two.part("headroom") == "The loader alone makes 0.20x what the trainer alone takes.");
  CHECK(two.f.conclusion.severity == Severity::none);
  CHECK(conclusion_values(two.f, two.plan)["doubt"] == "few rounds");
  CHECK(conclusion_values(one.f, one.plan)["doubt"].is_null());
}

TEST_CASE(
    "wrapped report: of a trainer that few rounds show, neither a device nor workers are spoken of",
    "[unit][report][wrap]") {
  Told t;
  PointFindings& p = t.add({}, 500, 100, 100, false, 1);
  p.status = Status::noisy, p.mode_status.fill(Status::noisy);
  CHECK(t.part("binds") ==
        "In 1 complete round the trainer seemed to be the limit: it took all of each 100 ms step. "
        "That is not certain: more rounds are needed, and what was measured is noisy.");
  CHECK(has(t.part("next"), "before changing anything, while the machine does nothing else"));
  CHECK_FALSE(has(t.part("next"), "device"));
}

TEST_CASE("wrapped report: a step that shares the cores with its loader takes longer than alone",
          "[unit][report][wrap]") {
  const auto binds = [](double cpu, double waited_ms, Measured loader = exactly(300)) {
    Told t;
    PointFindings& p = t.add({}, 300, 125, 80);  // of each 125 ms the step alone takes 80
    p.cpu_rate = cpu > 0 ? Measured(exactly(cpu)) : std::nullopt,
    p.exposed_wait_ms = exactly(waited_ms), p.loader_rate = loader;
    return t.part("binds");
  };
  CHECK(has(binds(90, 5),
            "The step takes 40 ms longer than alone, as the loader's work needs the same cores: a "
            "cheaper loader gives some of that back, too."));
  // The cores are not full before the trainer is.
  CHECK_FALSE(has(binds(126, 5), "longer than alone"));
  CHECK_FALSE(has(binds(0, 5), "longer than alone"));
  CHECK_FALSE(has(binds(90, 33), "longer than alone"));  // most of it is a wait
  CHECK(has(binds(90, 32), "13 ms longer than alone"));
}

TEST_CASE("wrapped report: steps that are faster with a loader than without one are not believed",
          "[unit][report][wrap]") {
  Told t;
  t.add({}, 500, 100, 130, false);
  CHECK(has(t.part("binds"),
            "No side can be named: the script as it is makes 130 samples/s, more than its trainer "
            "alone (100), which should not be: other work on the machine may have come between"));
  CHECK(has(t.part("binds"), "the batches held for T may take longer than the others"));
  CHECK(t.part("headroom").empty());
  CHECK(has(t.part("next"), "Measure again before changing anything"));
  CHECK(conclusion_values(t.f, t.plan)["indicative"] == true);
  Told loader;
  loader.add({}, 100, 500, 130, false);
  CHECK(has(loader.part("binds"),
            "more than its loader alone (100), which should not be: other work on the machine may "
            "have come between. Measured"));
  // L and T differ by more than that: the rounds ended as certain.
  Told settled;
  settled.add({}, 500, 100, 130);
  CHECK(has(settled.part("binds"), "The trainer is the limit"));
  CHECK(conclusion_values(settled.f, settled.plan)["indicative"] == false);
}

TEST_CASE("wrapped report: of a narrow excess the rounds decide whether it is one",
          "[unit][report][wrap]") {
  Told t;
  PointFindings& p = t.add({}, 500, 100, 108, false);
  p.overlap_efficiency = Estimate{1.08, 0.97, 1.2, 5};
  CHECK(has(t.part("binds"), "which the rounds leave open"));
  p.overlap_efficiency = Estimate{1.08, 1.04, 1.12, 5};
  CHECK(has(t.part("binds"), "which should not be"));
  p.overlap_efficiency = exactly(1.04), p.pipeline_rate = exactly(104);
  CHECK(has(t.part("binds"), "which the rounds leave open"));
}

TEST_CASE("wrapped report: sides that many rounds do not settle are not told apart",
          "[unit][report][wrap]") {
  Told t;
  PointFindings& p = t.add({}, 90, 100, 80, false);
  p.headroom = Estimate{0.9, 0.7, 1.2, 5};
  CHECK(has(t.part("binds"),
            "No side can be named: the loader alone makes 0.90x what the trainer alone takes, "
            "which the rounds leave open (0.70 to 1.20)."));
  CHECK(has(t.part("next"), "Measure again before changing anything"));
  // Settled is what 99 % say; no interval is printed that would say it, or says too little.
  for (const auto& [low, high] : {std::pair(0.82, 0.98), std::pair(0.4, 2.0)}) {
    p.headroom = Estimate{0.9, low, high, 5};
    CHECK(has(t.part("binds"), "takes, which the rounds leave open. "));
  }
  p.headroom = Estimate{0.9, 0.7, 1.2, 5};
  p.by_waits = true, p.settled = true;  // the waits tell them apart
  CHECK(has(t.part("binds"), "The loader is the limit"));
}

TEST_CASE("wrapped report: a script far below both of its sides is not said to have near ones",
          "[unit][report][wrap]") {
  Told t;
  t.add({}, 1000, 100, 40, false).overlap_efficiency = Estimate{0.4, 0.15, 1.1, 5};
  CHECK(has(t.part("binds"),
            "No side can be named: the script as it is makes 40 samples/s, 0.40x what its sides "
            "alone would allow, in rounds that leave open why. Measured in 5 rounds."));
}

TEST_CASE("wrapped report: without workers both take turns, whichever takes longer",
          "[unit][report][wrap]") {
  Told t;
  PointFindings& p = t.add({{"loader.num_workers", "0"}}, 90, 100, 48);
  p.headroom = Estimate{0.9, 0.7, 1.2, 5};
  p.exposed_wait_ms = exactly(100);
  CHECK(t.part("binds") ==
        "Loader and trainer take turns, as there are no workers: the step waits for its batch 100 "
        "ms of each 208 ms step (48 %). Measured in 5 rounds.");
  CHECK(has(t.part("next"), "Try DataLoader(num_workers=1)"));
}

TEST_CASE("wrapped report: the loader's own code is spoken of where steps wait for it",
          "[unit][report][wrap]") {
  const auto next = [](double waited_ms) {
    Told t;
    // Steps take 125 ms.
    t.add({{"loader.num_workers", "0"}}, 500, 100, 80).exposed_wait_ms = exactly(waited_ms);
    t.f.external.points.resize(1);
    t.f.external.points.front().getitem_ms = 12;
    return t.part("next");
  };
  CHECK(has(next(13), "Try DataLoader(num_workers=1)"));
  CHECK(has(next(13), " Or make __getitem__ cheaper: it takes 12 ms"));
  CHECK(has(next(12), "Try DataLoader(num_workers=1)"));
  CHECK_FALSE(has(next(12), "__getitem__"));
}

TEST_CASE(
    "wrapped report: of one loader nothing is to be kept; of a copy that was tried in too few "
    "rounds nothing is to be used",
    "[unit][report][wrap]") {
  Told one;
  one.add({}, 100, 500, 100);
  CHECK(one.part("use").empty());
  for (const bool settled : {false, true}) {  // the side, which is another question
    Told tried;
    tried.add({{"loader.num_workers", "2"}}, 100, 500, 100, settled, 2);
    tried.add({{"loader.num_workers", "4"}}, 200, 500, 200, settled, 2);
    tried.recommend(Choice::faster, 1, exactly(2, 2));
    CHECK(tried.part("use") == "Num_workers: 4 was 2.00x as fast, which is not certain.");
    CHECK(has(tried.part("binds"), "That is not certain") != settled);
    CHECK(has(tried.part("binds"), "The loader is the limit") == settled);
    CHECK(has(tried.part("next"), "Measure more rounds before changing anything"));
    CHECK(conclusion_values(tried.f, tried.plan)["indicative"] == !settled);
  }
  Told tried;
  tried.add({{"loader.num_workers", "2"}}, 100, 500, 100, false, 2);
  tried.add({{"loader.num_workers", "4"}}, 200, 500, 200, false, 2);
  tried.recommend(Choice::faster, 1, exactly(2, 2));
  CHECK(tried.part("use") == "Num_workers: 4 was 2.00x as fast, which is not certain.");
  tried.f.recommended->over_base.ratio = exactly(2, 3);  // of F there are more rounds than of T
  CHECK(has(tried.part("use"), "Use num_workers: 4: it is 2.00x as fast"));
  CHECK(tried.part("next").empty());
}

TEST_CASE("wrapped report: a finding of the copy that was tried is not taken for the script's own",
          "[unit][report][wrap]") {
  Told tried;
  tried.add({{"loader.num_workers", "0"}}, 100, 500, 100);
  tried.add({{"loader.num_workers", "4"}}, 200, 500, 200);
  tried.recommend(Choice::faster, 1, exactly(2));
  ExternalFinding start;
  start.fault = ExternalFault::epoch_startup, start.point = 1, start.workers = 4,
  start.batches_an_epoch = 100;
  start.ms = exactly(3), start.step_ms = exactly(50), start.share = 0.06;
  tried.f.external.findings = {start};
  tried.f.external.points.resize(1);
  tried.f.external.points.front().point = 1;
  CHECK(has(tried.part("findings"),
            "Of num_workers: 4: Starting 4 workers costs 300 ms in each epoch"));
}

TEST_CASE("wrapped report: of balanced sides it is said within what they are",
          "[unit][report][wrap]") {
  Told t;
  PointFindings& p = t.add({}, 100, 104, 100, true, 4);
  p.side = Side::balanced, p.within = 0.15;
  t.f.indicative = false;
  CHECK(t.part("binds") ==
        "Loader and trainer are balanced: alone, one is less than 15 % faster than the other, in a "
        "step of 100 ms. Measured in 4 rounds.");
  CHECK(t.part("next") ==
        "Make both the loader and the step faster: one alone gains less than 15 %.");
  CHECK(conclusion_values(t.f, t.plan)["settled"] == true);
  CHECK(conclusion_values(t.f, t.plan)["within"] == 0.15);
  p.within.reset(), p.settled = false;
  CHECK(conclusion_values(t.f, t.plan)["settled"] == false);
  CHECK(conclusion_values(t.f, t.plan)["within"].is_null());
}

TEST_CASE("wrapped report: what the script waits is an answer where no round was complete",
          "[unit][report][wrap]") {
  Told t;
  PointFindings& p = t.add({}, 300, 0, 100, true, 1);
  t.plan.trials.resize(1);
  t.plan.trials[0].mode = Mode::loader;
  p.exposed_wait_ms = exactly(73, 1);
  CHECK(
      t.part("binds") ==
      "The loader is the limit: the script ran at 100 samples/s and waited for data 73 ms of each "
      "100 ms step (73 %); "
      "without that wait it would run at 370 samples/s at most; the trainer was not measured "
      "alone. Measured in 1 round.");
  CHECK(t.f.conclusion.doubt == Doubt::none);
}

// A script that was watched only.
TEST_CASE("wrapped report: what the script waits is an answer where nothing else is measured",
          "[unit][report][wrap]") {
  Told t;
  PointFindings& p = t.add({}, 0, 0, 100);
  t.plan.trials.resize(1);
  t.plan.trials[0].mode = Mode::pipeline;
  p.exposed_wait_ms = exactly(73);
  CHECK(
      t.part("binds") ==
      "The loader is the limit: the script ran at 100 samples/s and waited for data 73 ms of each "
      "100 ms step (73 %); "
      "without that wait it would run at 370 samples/s at most. Measured in 5 rounds.");
  CHECK(t.part("next") ==
        "Run it without --keep-going: the loader and the step are measured alone, too, and "
        "the script is stopped then.");
  t.f.warnings.notices = {
      {"another", {}, false},
      {"neither L nor T was measured: the script saves every 12 batches", {}, false}};
  CHECK(t.part("next") ==
        "Change what keeps the loader and the step from being measured alone: the script saves "
        "every 12 batches.");
  t.f.warnings.notices.clear();
  p.exposed_wait_ms = exactly(1);
  CHECK(
      has(t.part("binds"), "waited for data 1 ms of each 100 ms step (1 %): its loader keeps up."));
}

TEST_CASE("wrapped report: a finding's change is told as such, or as what may help",
          "[unit][report][wrap]") {
  CHECK(has(Script(5).printed("terminal"),
            "on top of 20 ms; pass persistent_workers=True (train.py:44)"));
  CHECK(has(Script(2).printed("terminal"), "; pass persistent_workers=True"));
  Script doubted(2, 18);
  const std::string near = doubted.printed("terminal");
  CHECK(has(near, "; it may help to pass persistent_workers=True (train.py:44)"));
  CHECK_FALSE(has(near, "; pass"));
  // One without a cost was seen, however few rounds there are: on the page and for programs.
  ExternalFinding lock;
  lock.fault = ExternalFault::lock_at_fork;
  Findings f = doubted.findings();
  REQUIRE(f.conclusion.doubt == Doubt::few_rounds);
  f.external.findings = {lock};
  CHECK_FALSE(has(external_values(f)["findings"][0]["text"].get<std::string>(), "may help"));
}

TEST_CASE("wrapped report: of several loaders it is said which one the step waits for",
          "[unit][report][wrap]") {
  Told t;
  t.plan.scenario.base.set("loader.call", test::words("real"));
  t.add({}, 100, 500, 100).exposed_wait_ms = exactly(80);
  ExternalPoint seen;
  seen.partners = {{"noise", 5}};
  t.f.external.points.push_back(seen);
  CHECK(has(t.part("binds"),
            "Measured in 5 rounds. Each step fetches from 2 loaders, "
            "and waits for real 75 ms, for noise 5 ms."));
  t.f.external.points[0].partners.clear();
  CHECK_FALSE(has(t.part("binds"), "Each step"));
}

TEST_CASE("wrapped report: it has no words of scenarios", "[unit][report][wrap]") {
  const Script script(5);
  for (const bool detail : {false, true}) {
    const std::string text = script.printed("terminal", detail);
    INFO(text);
    for (const char* word : {"point", "trial", "pipeline", "scenario", "base", "Keep your"})
      CHECK_FALSE(has(text, word));
    CHECK(has(text, "5 rounds, 15 stretches"));
    CHECK(has(text, "15 stretches: 15 valid") == detail);
    CHECK(has(text, "train_loader (train.py:44)"));
    CHECK(has(text, "F the script as it is"));
  }
  for (const char* word : {"point", "trial ", "trials", "pipeline", "| base"})
    CHECK_FALSE(has(script.printed("markdown"), word));
}

TEST_CASE("wrapped report: noise is told where the answer could be another one",
          "[unit][report][wrap]") {
  Told t;
  PointFindings& p = t.add({}, 100, 500, 100);
  p.status = Status::noisy;
  p.mode_status.fill(Status::noisy);
  t.f.problems = {{Status::noisy, "R09", {{0, 0, "other programs used 1.8 of 2 cores"}}, ""}};
  t.plan.trials.resize(1);
  const auto page = [&] {
    std::string text = t.part("binds");
    for (const Note& note : notes_of(t.f, t.plan, false)) text += '\n' + note.text;
    return text;
  };
  CHECK_FALSE(has(page(), "oisy"));
  CHECK_FALSE(has(page(), "NOISY"));
  CHECK(has(notes_of(t.f, t.plan).front().text, "NOISY R09"));
  CHECK_FALSE(conclusion_values(t.f, t.plan)["noisy"].get<bool>());
  CHECK(conclusion_values(t.f, t.plan)["open"] == "none");
  p.side = Side::contention, p.hindered_by = Neighbour::programs, p.settled = false;
  CHECK(has(page(), "No side can be named: other programs were busy, and"));
  CHECK(has(page(), ", noisy"));
  CHECK(has(page(),
            "\nNOISY: on a quiet machine another side may be named: other programs used 1.8"));
  CHECK_FALSE(has(page(), "R09"));
  CHECK(conclusion_values(t.f, t.plan)["noisy"].get<bool>());
  CHECK(conclusion_values(t.f, t.plan)["open"] == "side");
}

TEST_CASE("wrapped report: noise that may decide which advice comes first is said",
          "[unit][report][wrap]") {
  Told t;
  PointFindings& p = t.add({}, 100, 500, 100);
  p.status = Status::noisy, p.mode_status.fill(Status::noisy);
  t.f.problems = {
      {Status::noisy, "R06", {{0, 0, "step time has a trend of +15 % (limit 5 %); x"}}, ""}};
  t.f.external.points.resize(1);
  t.f.external.findings.resize(1);
  ExternalFinding& found = t.f.external.findings[0];
  found.ms = exactly(0.25), found.step_ms = exactly(10), found.share = 0.025;
  t.said();
  CHECK(noise_line(t.f) ==
        "NOISY: on a quiet machine another advice may come first: step time has a trend of +15 %");
  CHECK(conclusion_values(t.f, t.plan)["open"] == "first advice");
  found.share = 0.3;
  CHECK(noise_line(t.f).empty());
}

// All of them: a page, a page for a browser, a page for an issue, values for programs.
TEST_CASE("wrapped report: no report says NOISY where noise cannot change the answer",
          "[unit][report][wrap]") {
  Script script(2);
  for (TrialRecord& r : script.records) {
    r.facts.cpu.others_s = 0;
    r.facts.instrument.overhead_share = 0.02;
  }
  const auto answer = [&](std::string page) { return page.substr(0, page.find("id=\"real\"")); };
  for (const char* said : {"NOISY R", "NOISY:", "NOISY |", " noisy"})
    for (const char* format : {"terminal", "markdown"})
      CHECK_FALSE(has(script.printed(format), said));
  const std::string page = script.printed("html");
  CHECK_FALSE(has(answer(page), ">NOISY<"));
  CHECK_FALSE(has(answer(page), " noisy"));
  CHECK(has(page, ">NOISY<"));  // in its table of trials
  CHECK(has(script.printed("terminal", true), "NOISY R16"));
  const Findings f = script.findings();
  CHECK(f.points[0].status == Status::noisy);
  CHECK_FALSE(conclusion_values(f, script.plan)["noisy"].get<bool>());
}

TEST_CASE("wrapped report: an interval over a factor of three is for --detail",
          "[unit][report][wrap]") {
  Told t;
  PointFindings& p = t.add({}, 500, 100, 100);
  p.headroom = Estimate{2, 0.5, 9, 5};
  p.by_waits = true;
  CHECK(t.part("headroom") ==
        "The loader alone makes 2.00x what the trainer alone takes, within an interval of over a "
        "factor of three.");
  p.headroom = Estimate{2, 0.9, 2.6, 5};
  CHECK(has(t.part("headroom"), "(0.90 to 2.60)"));
  p.headroom = Estimate{1.1, 0.83, 1.45, 1};  // of one round, by what is expected of it
  CHECK(has(t.part("headroom"), "takes (0.83 to 1.45)."));
}

// Two rounds that differ by 5 % have a t interval of 37 %; what rounds of a script are expected to
// differ by is known.
TEST_CASE("wrapped report: rates of two rounds have the interval that their ratios have",
          "[unit][report][wrap]") {
  Script script(2);
  for (TrialRecord& r : script.records) {
    r.facts.window.ns = r.planned.round == 0 ? 2'000'000'000 : 2'100'000'000;
    r.facts.cpu.others_s = 0;
  }
  CHECK(has(script.printed("terminal"), " ±18%"));
  CHECK_FALSE(has(script.printed("terminal"), " ±37%"));
}

TEST_CASE("wrapped report: the table says which intervals it leaves out", "[unit][report][wrap]") {
  const Script script(2);
  Findings f = script.findings();
  const auto table = [&](bool detail) {
    TerminalStyle style;
    style.width = 200, style.detail = detail;
    std::string text;
    for (const std::string& line : points_table(f, script.plan, style, 40)) text += line + '\n';
    return text;
  };
  // Two rounds that differ by a tenth have such an interval.
  f.points[0].loader_rate = Estimate{100, 50, 200, 2};
  CHECK(has(table(false), "the interval of L is over a factor of three: --detail"));
  CHECK_FALSE(has(table(true), "factor of three"));
  f.points[0].pipeline_rate = Estimate{100, 50, 200, 2};
  CHECK(has(table(false), "the intervals of L and F are over a factor of three: --detail"));
}

TEST_CASE(
    "wrapped report: an iterator for each step is what to change, with or without --keep-going, "
    "and checkpoints would end a run without it",
    "[unit][report][wrap]") {
  Told t;
  t.add({}, 0, 0, 100).exposed_wait_ms = exactly(73);
  t.plan.trials.resize(1);
  t.plan.trials[0].mode = Mode::pipeline;
  t.f.external.points.resize(1);
  t.f.external.points[0].job = JobTime{};
  t.f.external.points[0].job->rate_with_start = 100;
  t.f.external.points[0].job->all = {{.state = "save"}};
  CHECK(has(t.part("next"), "Run it without --keep-going and without its checkpoints: "));
  t.f.external.findings.resize(1);
  t.f.external.findings[0].fault = ExternalFault::iterator_each_step;
  t.f.external.findings[0].ms = t.f.external.findings[0].step_ms = exactly(73);
  CHECK(has(t.part("next"), "Keep the iterator"));
}

}  // namespace benchbench::wrapped_report_test
