// How much a report says, and how wide it is.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <sstream>

#include "harness/analysis/conclusion/analyse.h"
#include "harness/report/terminal/brief_lines.h"
#include "harness/report/terminal/points_table.h"
#include "harness/report/text/cells.h"
#include "harness/report/text/display_text.h"
#include "tests/unit/report/resnet_run.h"

namespace benchbench::brief_test {

using test::good_facts;
using test::MadeRun;
using test::ResnetRun;

std::string printed(const MadeRun& run, TerminalStyle style = {},
                    const std::string& folder = "results/runs/made-20261121-121803") {
  const Findings findings = analyse(run.plan, run.records);
  std::ostringstream out;
  find_report_format("terminal")->write(out, {findings, run.plan, run.records, folder, style});
  return out.str();
}

// Without colours.
std::string plain(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\x1b')
      at = text.find('m', at);
    else
      out += text[at];
  }
  return out;
}

std::size_t lines_in(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

void check_width(const std::string& text, std::size_t width) {
  for (const std::string& line : split_lines(plain(text))) {
    INFO(width << " columns: " << line);
    CHECK(display_width(line) <= width);
  }
}

// configs/quickstart.yaml on a machine with neighbours: every kind of doubt.
struct Quickstart : MadeRun {
  explicit Quickstart(bool doubts = true) {
    plan.scenario.name = "quickstart";
    plan.scenario.source = "configs/quickstart.yaml";
    plan.scenario.question =
        "Which side holds the job back, "
        "when the loader takes 5 ms a batch and the trainer 2 ms a step?";
    plan.scenario.decisions = {
        "trainer.intra_op_threads auto is 1: 2 cores less "
        "the sweep's largest num_workers, 4, and at least 1"};
    std::uint32_t trainer = 0;
    for (const auto& [workers, loader, pipeline] :
         {std::tuple{2, 12'640.0, 12'656.0}, {0, 6'329.0, 4'462.0}, {4, 24'850.0, 15'909.0}}) {
      const auto p =
          point({{"loader.num_workers", std::to_string(workers)}}, settings(workers, 32));
      if (p == 0)
        rates(trainer = trial(p, Mode::trainer), {15'717, 15'300, 16'000}, 32);
      else
        share(p, trainer);
      rates(trial(p, Mode::loader), {loader, loader * 1.006, loader * 0.994}, 32);
      rates(trial(p, Mode::pipeline), {pipeline, pipeline * 1.01, pipeline * 0.99}, 32);
    }
    plan.anchor = trainer;
    for (std::uint32_t round = 0; round < 3; ++round)
      record(trainer, round, good_facts(15'800, 32), 1);
    if (!doubts) return;
    for (const char* rule : {"R06", "R08", "R09", "R15"}) {
      TrialRecord& r = records[static_cast<std::size_t>(rule[2]) % records.size()];
      r.status = Status::noisy;
      r.reasons.push_back({rule, false,
                           "a reason that takes as many words as such reasons do on a machine that "
                           "also does other work"});
    }
  }
};

TEST_CASE("report: three points take at most 25 lines, whatever is doubtful", "[unit][report]") {
  for (const bool doubts : {false, true}) {
    const std::string text = printed(Quickstart(doubts));
    INFO(text);
    CHECK(lines_in(text) <= 25);
    for (const char* word : {"loader L", "trainer T", "pipeline F", "headroom", "held back by",
                             "noise", "results", "num_workers=0"})
      CHECK(text.find(word) != std::string::npos);
    for (const char* word :
         {"One step of", "gain", "memory", "first batch", "decided", "software", "not measured:"})
      CHECK(text.find(word) == std::string::npos);
  }
}

TEST_CASE("report: the twelve points of configs/resnet.yaml take at most 45 lines, all of them",
          "[unit][report]") {
  const std::string text = printed(ResnetRun());
  INFO(text);
  CHECK(lines_in(text) <= 45);
  for (const char* name : {"num_workers=1", "batch_size=32", "pin_memory=true", "format=hdf5",
                           "  wait  ", "held back by", "status"})
    CHECK(text.find(name) != std::string::npos);
  CHECK(text.find("more point") == std::string::npos);
  CHECK(text.find("\npoint ") != std::string::npos);
  CHECK(text.find("\npoint ") == text.rfind("\npoint "));  // one block of columns
}

TEST_CASE("report: --detail has the rest", "[unit][report]") {
  const std::string text = printed(ResnetRun(), {.detail = true});
  for (const char* word : {"One step of", "gain", "memory", "first batch", "decided", "software",
                           "machine", "get_blocked", "workers"})
    CHECK(text.find(word) != std::string::npos);
}

// A sweep of `n` points; every seventh is noisy, one failed.
struct Long : MadeRun {
  explicit Long(int n, const std::string& name = "v") {
    for (int i = 0; i < n; ++i) {
      const auto p = point({{"loader.prefetch_factor", name + std::to_string(i)}}, settings(2));
      rates(trial(p, Mode::pipeline), {1000.0 + 10 * ((i * 37) % n), 1001.0 + 10 * ((i * 37) % n)});
      if (i % 7 == 3)
        records.back().status = Status::noisy,
        records.back().reasons = {{"X1", false, "neighbours"}};
    }
    for (TrialRecord& r : records)
      if (r.planned.trial == 31)
        r.status = Status::failed, r.reasons = {{"", true, "killed by signal 9"}}, r.facts = {};
  }
};

TEST_CASE("report: of a long sweep the points that matter, and how many are left out",
          "[unit][report]") {
  const Long run(64);
  const Findings f = analyse(run.plan, run.records);
  const std::string text = printed(run);
  INFO(text);
  CHECK(lines_in(text) <= 45);
  std::size_t shown = 0;
  for (const PointFindings& p : f.points) shown += text.find(p.name + ' ') != std::string::npos;
  CHECK(shown >= 20);
  CHECK(text.find(std::to_string(64 - shown) + " more points: --detail\n") != std::string::npos);
  CHECK(lines_in(printed(run, {.detail = true})) > 64);
  CHECK(printed(run, {.detail = true}).find("more point") == std::string::npos);
  CHECK(printed(Long(20)).find("more point") == std::string::npos);
}

TEST_CASE("report: of few points all are shown, however narrow the terminal and many the notes",
          "[unit][report]") {
  for (const unsigned width : {60u, 80u, 100u, 132u}) {
    CHECK(printed(Quickstart(), {.width = width}).find("more point") == std::string::npos);
    CHECK(printed(Long(6), {.width = width}).find("more point") == std::string::npos);
    CHECK(printed(ResnetRun(), {.width = width}).find("more point") == std::string::npos);
    CHECK(printed(Long(64), {.width = width}).find("more points: --detail") != std::string::npos);
  }
}

TEST_CASE("report: base, best, slowest and failed points stay when rows are few",
          "[unit][report]") {
  const Long run(64);
  const Findings f = analyse(run.plan, run.records);
  REQUIRE(f.best);
  std::size_t slowest = 1;
  for (std::size_t i = 1; i < 64; ++i)
    if (f.points[i].pipeline_rate &&
        f.points[i].pipeline_rate->value < f.points[slowest].pipeline_rate->value)
      slowest = i;
  const auto rows = points_that_matter(f, 5);
  REQUIRE(rows.size() == 5);
  CHECK(std::ranges::is_sorted(rows));
  for (const std::size_t i : {std::size_t{0}, std::size_t{*f.best}, std::size_t{31}})
    CHECK(std::ranges::count(rows, i) == 1);
  CHECK(std::ranges::count_if(rows, [&](std::size_t i) {
          return i == slowest || f.points[i].status == Status::noisy;
        }) >= 1);
  CHECK(points_that_matter(f, 64).size() == 64);
  CHECK(points_that_matter(f, 63).size() == 63);
}

TEST_CASE("report: the number of rounds is a column only where points differ in it",
          "[unit][report]") {
  MadeRun run;
  const auto a = run.trial(run.point({}, run.settings(2)), Mode::pipeline);
  const auto b =
      run.trial(run.point({{"loader.num_workers", "4"}}, run.settings(4)), Mode::pipeline);
  run.rates(a, {100, 101, 102});
  run.rates(b, {110, 111, 112});
  CHECK(printed(run).find("± is a 95 % interval over 3 rounds") != std::string::npos);
  run.record(b, 3, good_facts(111));
  CHECK(printed(run).find("± is a 95 % interval over n rounds") != std::string::npos);
  CHECK(printed(run).find("F  n") != std::string::npos);
  MadeRun exact;
  exact.rates(exact.trial(exact.point({}, exact.settings(2)), Mode::pipeline), {100, 100, 100});
  CHECK(printed(exact).find("±") == std::string::npos);
  CHECK(printed(exact).find("\nexact: the same in every round\n") != std::string::npos);
}

TEST_CASE("report: no line is wider than the terminal, with names of any length",
          "[unit][report]") {
  const std::string folder =
      "/home/somebody/" + std::string(90, 'x') + "/results/runs/quickstart-20261121-121803";
  MadeRun named = Long(9, "access=shuffle_buffer buffer_size=256 写真/" + std::string(70, 'y'));
  named.plan.scenario.name = std::string(110, 'n');
  named.plan.scenario.source = "/a/path/" + std::string(120, 'p') + ".yaml";
  named.plan.scenario.question = "Is a question with a " + std::string(130, 'w') + " readable?";
  for (TrialRecord& r : named.records)
    if (!r.reasons.empty())
      r.reasons[0].text = "line one", r.reasons[0].details = "line two " + std::string(140, 'r');
  for (const MadeRun& run :
       {named, static_cast<const MadeRun&>(Quickstart()), static_cast<const MadeRun&>(ResnetRun())})
    for (const unsigned width : {60u, 80u, 100u, 132u})
      for (const bool detail : {false, true})
        for (const bool colour : {false, true})
          check_width(printed(run, {colour, width, detail}, folder), width);
  check_width(printed(Quickstart(), {.width = 20}), 60);  // nothing is readable in less
}

TEST_CASE("report: colour changes no word", "[unit][report]") {
  for (const bool detail : {false, true})
    CHECK(plain(printed(ResnetRun(), {true, 100, detail})) ==
          printed(ResnetRun(), {false, 100, detail}));
}

TEST_CASE("report: notes that are many are cut or counted, what failed last of all",
          "[unit][report]") {
  MadeRun run = Quickstart(false);
  for (std::size_t i = 0; i < run.records.size() - 1; ++i) {
    run.records[i].status = Status::noisy;
    run.records[i].reasons = {{"X" + std::to_string(i), false, "a doubt"}};
  }
  run.records.back().status = Status::failed;
  run.records.back().reasons = {{"", true, "killed by signal 9"}};
  const std::string text = printed(run);
  INFO(text);
  CHECK(lines_in(text) <= 25);
  CHECK(text.find("FAILED: killed by signal 9") != std::string::npos);
  // One cause that failed, and 23 rules: six have a line.
  CHECK_THAT(text, Catch::Contains("\n18 more notes, also of X13, X14 and 16 more: --detail\n"));
}

// A short run with three warnings.
struct Warned : Quickstart {
  Warned() : Quickstart(false) {
    for (TrialRecord& r : records) r.facts.notices = {"no eviction", "no counters", "no counts"};
  }
  void doubt(std::size_t record, const std::string& rule, const std::string& why) {
    records[record].status = Status::noisy;
    records[record].reasons = {{rule, false, why}};
  }
  std::vector<std::string> brief(std::size_t most) const {
    std::vector<std::string> lines;
    for (const Note& n : brief_notes(analyse(plan, records), plan, 100, most))
      lines.push_back(n.text);
    return lines;
  }
};

TEST_CASE("report: why a point is NOISY is said before other notes, however few lines there are",
          "[unit][report]") {
  Warned run;
  run.doubt(4, "X1", "a trend of +14 %");
  run.doubt(7, "X2", "guests took 3.1 %");
  const auto two = run.brief(1);
  REQUIRE(two.size() == 3);
  CHECK_THAT(two[0], Catch::StartsWith("NOISY X1: a trend of +14 %: "));
  CHECK_THAT(two[1], Catch::StartsWith("NOISY X2: guests took 3.1 %: "));
  CHECK(two[2] == "3 more notes: --detail");
  run.doubt(10, "X3", "a third doubt");
  run.doubt(13, "X4", "a fourth doubt");
  const auto four = run.brief(1);
  REQUIRE(four.size() == 4);
  CHECK(four[2].starts_with("NOISY X3: a third doubt: "));
  CHECK(four[3] == "4 more notes, also of X4: --detail");
  CHECK(run.brief(5).size() == 5);
  CHECK(run.brief(5).back() == "3 more notes: --detail");
  CHECK(run.brief(7).front().starts_with("warning: "));  // there is room for all, in their order
}

TEST_CASE("report: the line of one note is not given to a line that counts it", "[unit][report]") {
  Warned run;
  for (TrialRecord& r : run.records) r.facts.notices = {"no eviction"};
  run.doubt(4, "X1", "a trend of +14 %");
  const auto lines = run.brief(1);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].starts_with("warning: no eviction"));
  CHECK(lines[1].starts_with("NOISY X1: a trend of +14 %: "));
}

TEST_CASE(
    "report: a note that is cut begins with the reason, though trials have reasons that differ",
    "[unit][report]") {
  Warned run;
  run.doubt(4, "X2", "guests took 3.1 %");
  run.doubt(5, "X2", "guests took 4.7 %");
  run.doubt(7, "X2", "guests took 2.2 %");
  CHECK(run.brief(1).front() ==
        "NOISY X2: guests took 3.1 %: num_workers=2 (base) loader round 2; 2 more");
}

TEST_CASE(
    "report: of one or two rounds the noise is what was seen, "
    "from three on what 95 of 100 stay under",
    "[unit][report]") {
  const auto noise = [](std::uint32_t rounds, bool detail = false) {
    MadeRun run;
    run.plan.anchor = run.trial(run.point({}, run.settings(2)), Mode::trainer);
    for (std::uint32_t round = 0; round < rounds; ++round)
      for (std::uint32_t repeat = 0; repeat < 2; ++repeat)
        run.record(run.plan.anchor, round, good_facts(repeat ? 1020 : 1000), repeat);
    const std::string text = printed(run, {.width = 400, .detail = detail});
    const std::size_t at = text.find("noise ");
    return text.substr(at, text.find("\nresults", at) - at);
  };
  CHECK_THAT(noise(1), Catch::Contains("up to 2.0 % seen between identical trials") &&
                           Catch::Contains("in 1 pair of 1 round: more rounds may show more"));
  CHECK_THAT(noise(2), Catch::Contains("up to 2.0 % seen"));
  CHECK_THAT(noise(3),
             Catch::Contains("between two identical trials") && !Catch::Contains("seen between"));
  CHECK_THAT(noise(3), Catch::EndsWith("; measuring cost 0 %"));
  const std::string one = noise(1, true);
  INFO(one);
  CHECK((one.find("differed by up to 2.0 %") != std::string::npos &&
         one.find("estimated that") != std::string::npos));
}

TEST_CASE(
    "report: that a loader does not report its samples is in --detail, "
    "as all that is so in every run",
    "[unit][report]") {
  MadeRun run = Quickstart(false);
  const std::string text =
      "conservation (R01) was not measured: "
      "loader python does not report which samples its batches hold";
  for (TrialRecord& r : run.records) r.facts.notices = {text, "no eviction"};
  CHECK_THAT(printed(run), Catch::Contains("warning: no eviction") && !Catch::Contains("R01"));
  CHECK_THAT(printed(run, {.detail = true}),
             Catch::Contains("warning: no eviction") && Catch::Contains("(R01)"));
}

TEST_CASE(
    "report: what had no turn before the run ended is not run, "
    "what was ended in its trial is ABORTED",
    "[unit][report]") {
  MadeRun run;
  std::array<std::uint32_t, 4> pipelines{};
  for (int i = 0; i < 4; ++i) {
    const auto p = run.point({{"loader.num_workers", std::to_string(i)}}, run.settings(i));
    const auto loader = run.trial(p, Mode::loader);
    pipelines[static_cast<std::size_t>(i)] = run.trial(p, Mode::pipeline);
    if (i < 2) run.rates(loader, {1000, 1001});
    if (i == 0) run.rates(pipelines[0], {1000, 1001});
    for (std::uint32_t round = 0; round < 2; ++round)
      for (const auto t : {loader, pipelines[static_cast<std::size_t>(i)]})
        run.plan.order.push_back({t, round, 0});
  }
  run.record(pipelines[2], 0, {});
  run.records.back().status = Status::aborted;
  run.records.back().reasons = {{"", false, "the budget was used up before it ended"}};
  const std::string text = printed(run);
  INFO(text);
  const auto row = [&](const std::string& name) {
    return text.substr(text.find("\n" + name),
                       text.find('\n', text.find("\n" + name) + 1) - text.find("\n" + name));
  };
  CHECK(row("num_workers=1").ends_with("  partial"));
  CHECK(row("num_workers=2").ends_with("  ABORTED"));
  CHECK(row("num_workers=3").ends_with("  not run"));
  const Findings f = analyse(run.plan, run.records);
  CHECK(status_text(f.points[1], Mode::pipeline) == "not run");
  CHECK(status_text(f.points[1], Mode::loader) == "VALID");
}

TEST_CASE("report: points that share the base's trial, which was ended, are not run",
          "[unit][report]") {
  MadeRun run;
  const auto base = run.point({{"loader.num_workers", "1"}}, run.settings(1)),
             other = run.point({{"loader.num_workers", "2"}}, run.settings(2));
  const auto trainer = run.trial(base, Mode::trainer);
  run.share(other, trainer);
  run.record(trainer, 0, {});
  run.records.back().status = Status::aborted;
  const auto pipeline = run.trial(other, Mode::pipeline);
  for (const auto t : {trainer, pipeline}) run.plan.order.push_back({t, 0, 0});
  const Findings f = analyse(run.plan, run.records);
  CHECK(status_text(f.points[0]) == "ABORTED");
  CHECK(status_text(f.points[1]) == "not run");
}

// `frames` of the user's code, with marks below each line as newer Pythons print them, and what it
// printed.
std::vector<std::string> traceback(int frames,
                                   std::vector<std::string> exception = {"KeyError: 'mask'"},
                                   int printed_lines = 0) {
  std::vector<std::string> lines{"Traceback (most recent call last):"};
  for (int i = 1; i <= frames; ++i) {
    lines.push_back("  File \"/home/me/train.py\", line " + std::to_string(i) + ", in f" +
                    std::to_string(i));
    lines.push_back(i == frames ? "    return sample['mask']"
                                : "    return f" + std::to_string(i + 1) + "(sample)");
    lines.push_back("           ^^^~~~~^^");
  }
  for (std::string& line : exception) lines.push_back(std::move(line));
  if (printed_lines > 0) lines.push_back("The last it printed:");
  for (int i = 0; i < printed_lines; ++i) lines.push_back("  loaded " + std::to_string(i));
  return lines;
}

TEST_CASE(
    "report: a traceback that is cut keeps the line that raised, "
    "and the last one printed where there is room",
    "[unit][report]") {
  const auto cut = [](std::vector<std::string> lines, std::size_t most) {
    return with_details({true, "FAILED", std::move(lines)}, 100, most);
  };
  CHECK(cut(traceback(2, {"KeyError: 'mask'"}, 9), 12) ==
        "FAILED\n    Traceback (most recent call last):\n      File \"/home/me/train.py\", line 1, "
        "in f1\n        return f2(sample)\n"
        "               ^^^~~~~^^\n      File \"/home/me/train.py\", line 2, in f2\n        return "
        "sample['mask']\n               ^^^~~~~^^\n"
        "    KeyError: 'mask'\n    The last it printed: loaded 8\n"
        "    ... 9 more lines: --detail ...");
  CHECK(cut(traceback(2), 4) ==
        "FAILED\n    ... 5 more lines: --detail ...\n"
        "      File \"/home/me/train.py\", line 2, in f2\n"
        "        return sample['mask']\n    KeyError: 'mask'");
  for (const int printed_lines : {0, 3, 50})
    for (std::size_t most = 4; most <= 12; ++most) {
      const std::string text = cut(
          traceback(7, {"ValueError: of", "many", "lines", "and more", "of them"}, printed_lines),
          most);
      INFO(text);
      CHECK(text.find("return sample['mask']") != std::string::npos);
      CHECK(text.find("ValueError: of") != std::string::npos);
      const std::string last = "The last it printed: loaded " + std::to_string(printed_lines - 1);
      CHECK((text.find("loaded") != std::string::npos) == (printed_lines > 0 && most > 5));
      CHECK((text.find(last) != std::string::npos) == (printed_lines > 0 && most > 5));
      CHECK(lines_in(text) <= most);
    }
  // All of it is kept where there is room.
  CHECK(cut(traceback(1, {"KeyError: 'mask'"}, 2), 12).find("loaded 1") != std::string::npos);
}

TEST_CASE(
    "report: a traceback that is cut may begin with lines of the message, or be that of a group",
    "[unit][report]") {
  const auto cut = [](std::vector<std::string> lines) {
    return with_details({true, "FAILED", std::move(lines)}, 100, 6);
  };
  std::vector<std::string> below = traceback(7);
  below.insert(below.begin(), {"and shape (4, 5)", "differ"});
  CHECK(cut(below) == cut(traceback(7)).replace(11, 18, "... 20 more lines:"));
  CHECK(cut(traceback(7)).starts_with("FAILED\n    ... 18 more lines: --detail ...\n"));
  CHECK(cut(below).ends_with("line 7, in f7\n        return sample['mask']\n    KeyError: 'mask'"));
  std::vector<std::string> printed = traceback(1, {"KeyError: 'mask'"}, 9);
  printed.insert(printed.begin(), "differ");
  CHECK(with_details({true, "FAILED", printed}, 100, 8)
            .starts_with("FAILED\n    differ\n    Traceback"));
  CHECK(with_details({true, "FAILED", printed}, 100, 8).ends_with("more lines: --detail ..."));
  std::vector<std::string> group{"  + Exception Group Traceback (most recent call last):"};
  for (int i = 1; i <= 9; ++i) {
    group.push_back("  |   File \"/home/me/train.py\", line " + std::to_string(i) + ", in f");
    group.push_back("  |     raise ExceptionGroup('g', [a])");
  }
  group.insert(group.end(), {"  | ExceptionGroup: g (1 sub-exception)",
                             "  +-+---------------- 1 ----------------", "    | KeyError: 'mask'",
                             "    | of", "    | many"});
  group.insert(group.end(), {"    | lines", "    +------------------------------------"});
  const std::string text = cut(group);
  INFO(text);
  CHECK(
      text.starts_with("FAILED\n    ... 21 more lines: --detail ...\n      |   File "
                       "\"/home/me/train.py\", line 9, in f\n"));
  CHECK(lines_in(text) == 6);
}

}  // namespace benchbench::brief_test
