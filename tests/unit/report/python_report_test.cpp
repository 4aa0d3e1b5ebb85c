// What a report says of the user's own Python, word for word.
#include <catch2/catch.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/core/printed_by_code.h"
#include "harness/report/conclusion/conclusion_words.h"
#include "harness/report/external/external_lines.h"
#include "harness/report/external/external_words.h"
#include "harness/report/external/python_words.h"
#include "harness/report/text/display_text.h"
#include "harness/report/text/formats.h"
#include "harness/report/text/notes.h"
#include "harness/report/words/advice_words.h"
#include "harness/report/words/title.h"
#include "tests/unit/analysis/python_run.h"
#include "tests/unit/report/told_findings.h"

namespace benchbench::python_report_test {

using test::exactly;
using test::ms;
using test::PythonRun;
using test::ToldFindings;
using namespace test::told;

std::string printed(const PythonRun& run, const char* format, TerminalStyle style = {}) {
  const Findings findings = run.findings();
  std::ostringstream out;
  find_report_format(format)->write(out,
                                    {findings, run.plan, run.records, "results/runs/x", style});
  return out.str();
}
bool has(const std::string& text, std::string_view words) {
  return text.find(words) != std::string::npos;
}

ExternalFinding finding(ExternalFault fault) {
  ExternalFinding f;
  f.fault = fault, f.workers = 4, f.where = "train.py:44";
  f.ms = exactly(3), f.step_ms = exactly(20);
  f.batches_an_epoch = 100, f.cores = 4;
  return f;
}

TEST_CASE("finding words: workers without data", "[unit][report]") {
  ExternalFinding f = finding(ExternalFault::idle_workers);
  f.idle = 2, f.where = "train.py:31";
  CHECK(finding_words(f) ==
        "2 of 4 workers had no data, which costs 3 ms of each 20 ms step: divide the data over "
        "all workers (train.py:31), in at least 4 parts (num_workers=2 is as fast as this).");
}

TEST_CASE("finding words: memory, so far and by the end of an epoch where that is known",
          "[unit][report]") {
  ExternalFinding f = finding(ExternalFault::copy_on_write);
  f.ms.reset(), f.step_ms.reset(), f.bytes = exactly(48 << 20),
                                   f.bytes_an_epoch = exactly(2.0 * (1 << 30)),
                                   f.where = "train.py:12";
  CHECK(finding_words(f) ==
        "The workers' memory grows by copy-on-write, 48 MiB in one window and 2 GiB by the end of "
        "an epoch at this pace: "
        "keep what the data set (train.py:12) holds in one NumPy array or tensor, "
        "not in many Python objects, whose counts every worker writes to.");
  f.all_copied = true;
  CHECK(
      has(finding_words(f), "48 MiB in one window and 2 GiB by the end of an epoch at most: keep"));
  f.bytes_an_epoch.reset(), f.where.clear();
  CHECK(finding_words(f, 1) ==
        "The workers' memory grows by copy-on-write, 48 MiB in one window: "
        "keep what the data set holds in one NumPy array or tensor.");
}

TEST_CASE("finding words: what an epoch pays", "[unit][report]") {
  ExternalFinding f = finding(ExternalFault::epoch_startup);
  CHECK(finding_words(f) ==
        "Starting 4 workers costs 300 ms in each epoch: 3 ms a step on top of 20 ms; "
        "pass persistent_workers=True (train.py:44), which starts them once.");
  f.first_epoch = true, f.where.clear();
  CHECK(finding_words(f) ==
        "Starting 4 workers cost 300 ms in the first epoch, and as much in each if they all do: "
        "3 ms a step on top of 20 ms; pass persistent_workers=True, which starts them once.");
  CHECK_FALSE(has(finding_words(f, 1), "once"));
  f.numbers = {{"remade", 3}, {"kept", 0}};
  CHECK(has(finding_words(f),
            "; make the loader once, not in each epoch, and pass persistent_workers=True."));
  f.numbers = {{"remade", 3}, {"kept", 1}};
  CHECK(has(finding_words(f), "; make the loader once, not in each epoch."));
  CHECK(remedy_for(f) == Remedy::kept_loader);
  ExternalFinding gap = finding(ExternalFault::epoch_gap);
  gap.forked = true;
  CHECK(finding_words(gap) ==
        "The beginning of each epoch costs 300 ms, 3 ms a step on top of 20 ms, since nothing is "
        "prefetched for the next "
        "one: make epochs longer, with a sampler that passes over the data several "
        "times (train.py:44).");
  gap.forked = false;  // their interpreters start in the gap too
  CHECK(has(finding_words(gap),
            "a step on top of 20 ms: pass persistent_workers=True and make epochs longer"));
  gap.persistent = true;
  CHECK(has(finding_words(gap), "one: make epochs longer"));
  gap.in_iter = true;
  CHECK(has(finding_words(gap),
            "on top of 20 ms, most of it in iter(): make cheaper what begins an epoch, such as the "
            "sampler (train.py:44)."));
  gap.workers = 0, gap.where = "train.py:31";
  CHECK(finding_words(gap) ==
        "The beginning of each epoch costs 300 ms, 3 ms a step on top of 20 ms: "
        "make cheaper what begins an epoch, the sampler or __iter__ (train.py:31).");
}

TEST_CASE("finding words: cores", "[unit][report]") {
  ExternalFinding f = finding(ExternalFault::threads);
  f.runnable = 16.2, f.threads = 8, f.workers = 2, f.mode = Mode::pipeline;
  CHECK(finding_words(f) ==
        "2 workers compute with several threads each, of which 16.2 run or wait on 4 cores, and 3 "
        "ms of each 20 ms step is spent waiting for a core: set OPENBLAS_NUM_THREADS=1, "
        "MKL_NUM_THREADS=1 and OMP_NUM_THREADS=1 for the workers (train.py:44), before numpy is "
        "imported; torch's own are one in a worker, unless worker_init_fn sets more.");
  CHECK(remedy_for(f) == Remedy::worker_threads);
  CHECK_FALSE(has(finding_words(f, 1), "torch"));
  f.of_step = true;
  CHECK(
      finding_words(f) ==
      "The step's 8 threads and 2 workers run on 4 cores, and at least 3 ms of each 20 ms step is "
      "spent waiting for a core: call torch.set_num_threads(2) in the training process (now 8).");
  CHECK(remedy_for(f) == Remedy::fewer_threads);
  CHECK_FALSE(has(finding_words(f), "NUM_THREADS"));
  ExternalFinding limit = finding(ExternalFault::cpu_limit);
  limit.workers = 64, limit.cpu_count = 64, limit.threads = 64, limit.throttled_ms = 2;
  CHECK(
      finding_words(limit) ==
      "os.cpu_count() says 64, but 4 cores can be used, and 3 ms of each 20 ms step is spent "
      "waiting for a core "
      "(throttled for 2 ms): pass num_workers=4 (train.py:44) and call torch.set_num_threads(4).");
  limit.threads = 4, limit.throttled_ms = 0;
  CHECK(has(finding_words(limit), "waiting for a core: pass num_workers=4 (train.py:44)."));
}

TEST_CASE("finding words: tensors in memory, and draws", "[unit][report]") {
  ExternalFinding f = finding(ExternalFault::in_memory);
  f.ms = exactly(19.9), f.direct_ms = 0.1;
  CHECK(finding_words(f) ==
        "The data are tensors in memory, and the DataLoader (train.py:44) costs 19.9 ms of "
        "each 20 ms step: index them directly, data[indices], which takes 100 us a batch.");
  ExternalFinding draws = finding(ExternalFault::same_draws);
  draws.ms.reset(), draws.where = "train.py:12",
                    draws.draws = {{"self.rng (numpy Generator)", "train.py:12", 4, true}};
  CHECK(finding_words(draws) ==
        "4 workers draw the same random numbers from self.rng "
        "(numpy Generator) (train.py:12), so that 3 of 4 "
        "augmentations repeat another worker's, and every epoch repeats the last: "
        "seed it in worker_init_fn from torch.initial_seed(), or draw with torch's own generator.");
  draws.draws.front().workers = 1;
  CHECK(
      finding_words(draws).starts_with("Every epoch draws the same random numbers from self.rng"));
  CHECK(finding_cost(draws).empty());
  CHECK(finding_cost(f) == "19.9 ms a step");
}

TEST_CASE("python words: settings as code has them", "[unit][report]") {
  CHECK(python_value("true") == "True");
  CHECK(python_value("none") == "None");
  CHECK(python_value("1e-3") == "1e-3");
  CHECK(python_value("it's") == "'it\\'s'");
  CHECK(python_keyword("loader.shuffle", "false") == "shuffle=False");
  CHECK(python_keyword("loader.access", "random") == "shuffle=True");
  CHECK(python_keyword("loader.dispatch", "shared").empty());
  Point p;
  p.settings.set("loader.call", test::words("make_data"));
  p.settings.set("loader.args.code", test::words("224"));
  p.settings.set("loader.args.size", test::whole(288));
  CHECK(python_settings(p, {{"loader.num_workers", "4"},
                            {"loader.args.size", "288"},
                            {"loader.multiprocessing_context", "spawn"},
                            {"loader.args.code", "224"},
                            {"trainer.seed", "3"}}) ==
        "DataLoader(num_workers=4, multiprocessing_context='spawn'), make_data(size=288, "
        "code='224'), trainer.seed: 3");
  CHECK(python_settings(p, {{"trainer.seed", "3"}}) == "trainer.seed: 3");
}

TEST_CASE("advice words: of the user's own code", "[unit][report]") {
  Advice a{Component::contention, Remedy::fewer_workers, "loader.num_workers", "4", "2", true};
  CHECK(advice_words(a) ==
        "use DataLoader(num_workers=2) (now 4), which leaves the trainer more of the cores");
  a = {Component::contention, Remedy::fewer_threads, "trainer.intra_op_threads", "4", "2", true};
  CHECK(advice_words(a) ==
        "call torch.set_num_threads(2) (now 4), which leaves the loader more of the cores");
  a.in_code = false;
  CHECK(advice_words(a).starts_with("set trainer.intra_op_threads to 2"));
}

TEST_CASE("own code: a hand-over is billed without waits for a core", "[unit][report]") {
  ExternalPoint seen;
  seen.workers = 2, seen.getitem_ms = 0.5, seen.collate_ms = 0.1, seen.handover_ms = 61;
  CHECK(own_code_words(seen) ==
        "make batches of fewer tensors or bytes: handing one to the main process takes 61 ms a "
        "batch, over "
        "2 workers");
  seen.core_wait_main_ms = 13, seen.core_wait_loader_ms = 0;
  CHECK(has(own_code_words(seen), "takes 48 ms a batch without waits for a core, over 2 workers"));
  seen.core_wait_main_ms = 50;  // what is left of it is no code's
  CHECK(own_code_words(seen).empty());
  seen.getitem_ms = 1.7, seen.collate_ms = 1.1, seen.handover_ms = 4;
  seen.core_wait_main_ms = 8.4, seen.core_wait_loader_ms = 14;
  CHECK(own_code_words(seen).empty());  // __getitem__ is a small part
  seen.getitem_ms = 0.5, seen.collate_ms = 0.15, seen.handover_ms = 2.2;
  seen.core_wait_main_ms = 0.7, seen.core_wait_loader_ms = 0.4;
  CHECK(own_code_words(seen).empty());  // a batch of any size takes 1.5 ms
  seen.getitem_ms = 9, seen.collate_ms = 1.6, seen.handover_ms = 9.7;
  seen.core_wait_main_ms = 5.6, seen.core_wait_loader_ms = 8.3;
  CHECK(own_code_words(seen) == "make __getitem__ cheaper: it takes 9 ms a batch, over 2 workers");
}

// A sweep of workers over the user's loader: 4 are 1.9 times as fast.
ToldFindings sweep() {
  ToldFindings t;
  t.add(kTwo, 100, 500, 100);
  t.add(kFour, 190, 500, 190);
  t.recommend(Choice::faster, 1, {1.9, 1.85, 1.95, 5});
  t.axis("loader.num_workers", AxisOutcome::gain, "4", 1.9);
  t.plan.scenario.axes = {{"loader.num_workers", {}}};
  for (Point& p : t.plan.points) p.settings.set("loader.use", test::words("python"));
  t.f.external.loaders = {"python"};
  return t;
}

TEST_CASE(
    "conclusion of the user's loader: "
    "settings as DataLoader(...), and not that it holds for another",
    "[unit][report]") {
  ToldFindings t = sweep();
  const Lines said = t.said();
  CHECK(part(said, "use") ==
        "Use DataLoader(num_workers=4): it is 1.90x as fast (1.85 to 1.95), 190 samples/s.");
  CHECK(part(said, "next") ==
        "Whether more workers would help is not known: what a batch takes of the processes was not "
        "measured.");
  CHECK(has(part(said, "headroom"), "with DataLoader(num_workers=4): not enough"));
  t.f.external.points.resize(1);
  ExternalPoint& seen = t.f.external.points.front();
  seen.point = 1, seen.workers = 4, seen.getitem_ms = 60, seen.collate_ms = 3,
  seen.facts.getitem_where = "train.py:31";
  seen.batch = BatchTimes{.step_ms = 16,
                          .main_ms = 4,
                          .worker_ms = 63,
                          .worker_wait_ms = 0,
                          .cpu_ms = 67,
                          .cores = 16,
                          .workers = 4,
                          .largest_share = 0.25};
  CHECK(
      part(t.said(), "next") ==
      "Try DataLoader(num_workers=8), which was not measured. At most 2x the rate is foretold, by "
      "what a batch takes of the workers, of the main process and of the cores that other "
      "programs leave. "
      "Or make __getitem__ (train.py:31) cheaper: it takes 60 ms a batch, over 4 workers.");
  seen.batch->cores = 4;
  CHECK(part(t.said(), "next") ==
        "Make __getitem__ (train.py:31) cheaper: it takes 60 ms a batch, over 4 workers. "
        "More "
        "workers would not help: too few cores are free for them.");
  t.f.external.points.clear();
  for (Point& p : t.plan.points) p.settings.set("loader.use", test::words("native"));
  CHECK(has(part(t.said(), "use"), "Use num_workers: 4: it is"));
  CHECK(has(part(t.said(), "use"), "This holds for native"));
  CHECK(part(t.said(), "next") == "Try num_workers: 8, which was not measured.");
}

TEST_CASE(
    "conclusion of the user's loader: no component of it can be replaced, "
    "what it spends its time on is named",
    "[unit][report]") {
  ToldFindings t = sweep();
  t.f.external.points.resize(1);
  ExternalPoint& seen = t.f.external.points.front();
  seen.point = 1, seen.workers = 4, seen.getitem_ms = 60, seen.collate_ms = 3,
  seen.facts.getitem_where = "train.py:31";
  t.f.external.findings = {finding(ExternalFault::idle_workers)};
  t.f.external.findings[0].point = 1, t.f.external.findings[0].idle = 1;
  CHECK(part(t.said(), "next") ==
        "Make __getitem__ (train.py:31) cheaper: it takes 60 ms a batch, over 4 workers.");
  CHECK(has(part(t.said(), "findings"), "1 of 4 workers had no data"));
  seen.collate_ms = 70;
  CHECK(has(part(t.said(), "next"), "Make the collate function cheaper: it takes 70 ms"));
  seen.getitem_ms.reset(), seen.collate_ms.reset();
  CHECK(part(t.said(), "next").empty());
  t.f.points[1].own_workers = true;
  t.plan.points[1].settings.set("loader.call", test::words("stream"));
  CHECK(part(t.said(), "next") ==
        "Look with a profiler at what stream() spends its time on: it makes its batches by itself, "
        "which no setting here changes.");
  t.f.points[1].own_in_turn = true;
  CHECK(part(t.said(), "next") ==
        "Let stream() make its batches while the step runs, in a thread or in processes of its "
        "own: now the step waits for each.");
}

TEST_CASE("conclusion of the user's iterable: its workers are its own", "[unit][report]") {
  ToldFindings t;
  t.add(kNone, 100, 500, 90);
  CHECK(has(part(t.said(), "binds"), "without workers the other side waits"));
  t.f.points.front().own_workers = true;
  CHECK_FALSE(has(part(t.said(), "binds"), "without workers"));
  CHECK_FALSE(has(part(t.said(), "headroom"), "take turns"));
  CHECK_FALSE(has(part(t.said(), "next"), "num_workers"));
  t.f.points.front().own_in_turn = true;
  CHECK(has(part(t.said(), "binds"), "and the other side waits meanwhile"));
  CHECK(has(part(t.said(), "headroom"), "but they take turns"));
}

TEST_CASE("findings: the two that cost most stand in the last paragraph, which keeps its 8 lines",
          "[unit][report]") {
  ToldFindings t = sweep();
  t.f.external.points.resize(1);
  t.f.external.points.front().point = 1;
  for (const auto fault : {ExternalFault::idle_workers, ExternalFault::epoch_startup,
                           ExternalFault::epoch_gap, ExternalFault::in_memory}) {
    t.f.external.findings.push_back(finding(fault));
    t.f.external.findings.back().point = 1, t.f.external.findings.back().idle = 1;
  }
  // A fault of the base, which is not the point to use.
  t.f.external.findings.push_back(finding(ExternalFault::threads));
  t.f.epoch_samples = 5000;
  const std::string said = part(t.said(), "findings");
  CHECK(has(said, "1 of 4 workers had no data"));
  CHECK(has(said, "Starting 4 workers"));
  CHECK(has(said, " 2 more findings: --detail."));
  CHECK_FALSE(has(said, "threads"));
  for (const std::size_t width : {60u, 80u, 100u, 200u}) {
    const auto lines = conclusion_lines(t.f, t.plan, width);
    CAPTURE(width, lines);
    CHECK(lines.size() <= kConclusionLines);
    CHECK(std::ranges::any_of(
        lines, [](const std::string& line) { return line.starts_with("findings"); }));
    for (const std::string& line : lines) CHECK(display_width(line) <= width);
  }
  t.f.recommended.reset();
  CHECK(part(t.said(), "findings").starts_with("Of DataLoader(num_workers=4): 1 of 4 workers"));
  t.f.external.findings.clear();
  CHECK(part(t.said(), "findings").empty());
}

TEST_CASE("epoch: a gap of 2 % and more is said to be in it", "[unit][report]") {
  ToldFindings t = sweep();
  t.f.recommended.reset();
  t.f.epoch_samples = 1000;
  t.f.points.front().epoch_gap_ms = 500;
  CHECK(part(t.said(), "epoch") ==
        "An epoch of 1,000 samples takes about 10.5 s, 500 ms of it for its beginning.");
  t.f.points.front().epoch_gap_ms = 100;
  CHECK(part(t.said(), "epoch") == "An epoch of 1,000 samples takes about 10.1 s.");
}

PythonRun told_run() {
  PythonRun run;
  run.noise = 0;
  run.plan.scenario.base = run.python_settings(4);
  run.loader_alone(4, 20, [](Facts& f) {
    ExternalFacts& e = *f.external;
    e.workers_start_ns = ms(31), e.getitem = ExternalTime{ms(6000), 1600}, e.runnable_mean = 3.2,
    e.runnable_max = 7;
    e.same_draws = {{"rng", "train.py:9", 4, false}};
    f.start.first_batch_ns = ms(250);
  });
  return run;
}

TEST_CASE("report: the ways are named in every format, versions with --detail", "[unit][report]") {
  const PythonRun run = told_run();
  for (const char* format : {"terminal", "json", "markdown"})
    CHECK(has(printed(run, format), "measured L self-timed"));
  CHECK_FALSE(has(printed(run, "terminal"), "torch 1.13.1"));
  CHECK(has(printed(run, "terminal", {.detail = true}),
            "\n  Python 3.11.2, torch 1.13.1 (/usr/bin/python3)\n") +
            has(printed(run, "terminal", {.detail = true}),
                "\nPython 3.11.2, torch 1.13.1 (/usr/bin/python3)\n") ==
        1);
  CHECK(has(printed(run, "markdown"), "- Python 3.11.2, torch 1.13.1 (/usr/bin/python3)"));
  CHECK(has(printed(run, "terminal"), "loader train.py:make_data"));
}

TEST_CASE("report: --detail has what was seen of the loader, and says what was not",
          "[unit][report]") {
  const std::string text = printed(told_run(), "terminal", {.width = 400, .detail = true});
  INFO(text);
  for (const char* line : {"start     start method fork; start of the workers 31 ms, time to first "
                           "batch 250 ms; not measured: process, imports, call\n",
                           "epochs    gap between epochs not measured, persistent_workers=False\n",
                           "a batch   time of all workers for one: __getitem__ 60 ms; not "
                           "measured: collate, hand-over, pin, measuring these\n",
                           "samples   samples of each: 400 400 400 400\n",
                           "memory    memory of the workers not measured\n",
                           "cores     threads that run or wait: 3.2 on average, 7 at most, "
                           "4 available, os.cpu_count() 4; wait for a core a step not measured\n",
                           "/dev/shm  free space not measured\n",
                           "finding   same augmentation (base): 4 workers draw"})
    CHECK(has(text, line));
  CHECK_FALSE(has(printed(told_run(), "terminal"), "/dev/shm"));
}

// Steps of 12 ms that wait 0.1 ms of it; two workers whose batches took `made_ms` each.
PythonRun timed_run(double made_ms) {
  PythonRun run;
  run.noise = 0;
  run.pipeline(2, 12, 0.1, [=](Facts& f) {
    for (ExternalWorker& w : f.external->workers) w.made_ns.assign(64, test::ms(made_ms));
    f.external->streams = false, f.external->in_order = true, f.external->prefetch_factor = 2;
  });
  return run;
}

TEST_CASE("report: --detail and JSON have what other depths would make of the step",
          "[unit][report]") {
  const std::string text = printed(timed_run(10), "terminal", {.width = 600, .detail = true});
  INFO(text);
  CHECK(has(text,
            "depth     by the times of batches in the workers, which give the measured step within "
            "0.8 %, a step takes 11.9 ms with prefetch_factor=1, 2, 4, 8 or 16; "
            "11.9 ms with in_order=False and prefetch_factor=1; with prefetch_factor=2, 11.9 ms if "
            "all batches took as long, "));
  const auto depth = nlohmann::json::parse(printed(timed_run(10), "json"))["depth"][0];
  CHECK(depth["point"] == "base");
  CHECK(depth["steps"].size() == 20);
  CHECK(depth["steps"][1]["in_order"] == false);
  CHECK(depth["steps"][1]["num_workers"] == 1);
  CHECK(depth["steps"][1]["step_ms"] == Approx(11.9));
  CHECK(depth["measured_step_ms"] == Approx(12));
  CHECK(depth["off_share"] == Approx(-0.1 / 12));
  const std::string off = printed(timed_run(40), "terminal", {.width = 600, .detail = true});
  CHECK(has(off,
            "depth     the times of batches in the workers would make steps of 20 ms, where 12 ms "
            "was measured: nothing is foretold from them\n"));
  CHECK(nlohmann::json::parse(printed(told_run(), "json"))["depth"].empty());
}

TEST_CASE("report: JSON has facts and findings with units, null where not measured or over here",
          "[unit][report]") {
  const auto all = nlohmann::json::parse(printed(told_run(), "json"));
  const auto& external = all["external"];
  CHECK(external["ways"]["loader"] == nlohmann::json::array({"self-timed"}));
  CHECK(external["ways"]["pipeline"].empty());
  CHECK(external["versions"] == "Python 3.11.2, torch 1.13.1");
  const auto& p = external["points"][0];
  CHECK(p["getitem_ms_per_batch"] == Approx(60));
  CHECK(p["collate_ms_per_batch"].is_null());
  CHECK(p["workers_start_ms"] == Approx(31));
  CHECK(p["each_worker"].size() == 4);
  CHECK(p["shm_free_bytes"].is_null());
  const auto& f = external["findings"][0];
  CHECK(f["kind"] == "same augmentation");
  CHECK(f["cost_ms_per_step"].is_null());
  CHECK(f["cost_share"] == Approx(0.75));
  CHECK(f["same_draws"][0]["where"] == "train.py:9");
  CHECK(f["what"].is_null());
  CHECK(f["count"].is_null());
  PythonRun none;
  none.rates(none.trial(none.point({}, none.settings(2)), Mode::loader), {100, 101});
  CHECK(nlohmann::json::parse(printed(none, "json"))["external"].is_null());
}

TEST_CASE(
    "report: CSV has columns of the user's loader where there is one, empty where not measured",
    "[unit][report]") {
  const std::string csv = printed(told_run(), "csv");
  const auto lines = split_lines(csv);
  CHECK(has(lines[0], ",reasons,process_start_ms,import_ms,"));
  CHECK(lines[0].ends_with(",workers_memory_growth_bytes_per_sample,findings"));
  CHECK(lines[1].ends_with(",,,same augmentation"));
  CHECK(std::ranges::count(lines[0], ',') == std::ranges::count(lines[1], ','));
  PythonRun none;
  none.rates(none.trial(none.point({}, none.settings(2)), Mode::loader), {100, 101});
  CHECK(has(printed(none, "csv"), ",reasons\n"));
}

// As a trial that the user's code ended records it.
PythonRun failed_run(std::size_t frames) {
  PythonRun run = told_run();
  std::string traceback = "Traceback (most recent call last):";
  for (std::size_t i = 0; i < frames; ++i)
    traceback += "\n  File \"train.py\", line " + std::to_string(i) + ", in f";
  traceback += "\nValueError: bad sample 17\nlast output: loading\n";
  for (TrialRecord& r : run.records)
    r.status = Status::failed,
    r.reasons = {{"", true, "the user's code raised ValueError: bad sample 17", traceback}},
    r.facts = {};
  run.records[1].reasons[0].details += "\nlast output: differs";
  return run;
}

TEST_CASE("report: a traceback of the user's is below what FAILED, without --detail its end",
          "[unit][report]") {
  const std::string brief = printed(failed_run(40), "terminal"),
                    detail = printed(failed_run(40), "terminal", {.detail = true});
  INFO(brief);
  CHECK(has(brief,
            "FAILED: the user's code raised ValueError: bad sample 17 (all 5 trials)\n    ... 32 "
            "more lines: --detail ...\n"));
  CHECK(has(brief, "    ValueError: bad sample 17\n    last output: loading\n"));
  CHECK(std::ranges::count(brief, '\n') <= 30);
  for (int i = 0; i < 40; ++i) CHECK(has(detail, "line " + std::to_string(i) + ", in f\n"));
  CHECK_FALSE(has(detail, "more lines"));
  CHECK(has(printed(failed_run(4), "terminal"), "line 3, in f\n"));
  CHECK_FALSE(has(printed(failed_run(4), "terminal"), "more lines"));
}

TEST_CASE(
    "report: of what the user's code printed before it failed, "
    "the last line stays without --detail",
    "[unit][report]") {
  for (const std::size_t frames : {2, 40}) {
    PythonRun run = failed_run(frames);
    for (TrialRecord& r : run.records) {
      r.reasons[0].details =
          r.reasons[0].details.substr(0, r.reasons[0].details.find("\nlast output")) + "\n" +
          std::string(kLastPrinted);
      for (int i = 0; i < 20; ++i) r.reasons[0].details += "\nprinted " + std::to_string(i);
    }
    const std::string brief = printed(run, "terminal"),
                      detail = printed(run, "terminal", {.detail = true});
    INFO(brief);
    CHECK(has(brief, "    ValueError: bad sample 17\n    The last it printed: printed 19\n"));
    CHECK_FALSE(has(brief, "printed 18"));
    CHECK(has(brief, frames == 2 ? "    ... 20 more lines: --detail ...\n"
                                 : "    ... 52 more lines: --detail ...\n"));
    CHECK(has(detail, "    The last it printed:\n    printed 0\n"));
  }
}

TEST_CASE("report: a traceback stays one in Markdown and JSON; CSV has the reason",
          "[unit][report]") {
  const std::string page = printed(failed_run(2), "markdown");
  CHECK(has(
      page,
      "\n  ```text\n  Traceback (most recent call last):\n    File \"train.py\", line 0, in f\n"));
  const auto all = nlohmann::json::parse(printed(failed_run(2), "json"));
  REQUIRE(all["problems"].size() == 1);
  CHECK(has(all["problems"][0].get<std::string>(),
            "(all 5 trials)\nTraceback (most recent call last):\n  File"));
  CHECK(has(printed(failed_run(2), "csv"), "the user's code raised ValueError: bad sample 17"));
}

TEST_CASE("report: of many causes the first traceback keeps its end", "[unit][report]") {
  PythonRun run = failed_run(40);
  for (int i = 0; i < 40; ++i) {
    TrialRecord& r = run.record(0, static_cast<std::uint32_t>(5 + i), test::good_facts(100));
    r.status = Status::noisy;
    r.reasons = {{"", false, "cause " + std::to_string(i)}};
  }
  const std::string text = printed(run, "terminal");
  INFO(text);
  CHECK(has(text, "    ValueError: bad sample 17\n    last output: loading\n"));
  CHECK(std::ranges::count(text, '\n') <= 30);
}

TEST_CASE("next: of the user's loader alone, a step of theirs is what is missing",
          "[unit][report]") {
  ToldFindings t;
  t.add({{"loader.num_workers", "2"}}, 1234, 0, 0);
  t.plan.scenario.base.set("trainer.use", test::words("discard"));
  CHECK(part(t.said(), "next") == "Measure all three: measure.modes: [loader, trainer, pipeline].");
  t.f.external.points.emplace_back();
  CHECK(part(t.said(), "next") ==
        "Name your training step, to see whether this loader feeds it: trainer: {use: python, "
        "script: ..., call: ...}.");
  t.plan.scenario.base.set("trainer.use", test::words("mlp"));
  CHECK(part(t.said(), "next") == "Measure all three: measure.modes: [loader, trainer, pipeline].");
}

}  // namespace benchbench::python_report_test
