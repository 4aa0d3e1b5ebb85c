// The words for a job whose time passes outside of its training steps.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "harness/report/conclusion/conclusion_words.h"
#include "harness/report/external/external_lines.h"
#include "harness/report/external/external_words.h"
#include "harness/report/external/job_words.h"
#include "tests/unit/report/told_findings.h"
#include "tests/unit/report/values_of.h"

namespace benchbench::job_report_test {

using test::exactly;
using test::ToldFindings;

ExternalSpent spent(const char* state, const char* loader, std::int64_t ms, std::uint64_t count) {
  return {.state = state,
          .loader = loader,
          .made = "train.py:36",
          .where = "train.py:50",
          .trains = loader == std::string("train"),
          .workers = 4,
          .ns = ms * 1'000'000,
          .count = count};
}

// A second, 100 batches of 16.
JobTime job_with(std::vector<ExternalSpent> rows) {
  return *divide_job({100, true, std::move(rows)}, 16);
}
JobTime validating() {
  return job_with({spent("step", "train", 350, 100), spent("wait", "train", 50, 99),
                   spent("iter", "valid", 100, 5), spent("first", "valid", 300, 5),
                   spent("shutdown", "valid", 50, 5), spent("step", "valid", 150, 50)});
}

struct Told : ToldFindings {
  explicit Told(const JobTime& time, double loader = 500, double trainer = 100) {
    plan.scenario.base.set("measure.class", test::words("stretch"));
    add({}, loader, trainer, 100).exposed_wait_ms = exactly(0.1);
    ExternalPoint seen;
    seen.job = time;
    f.external.points.push_back(seen);
    f.external.any.emplace();
  }
  std::string part(std::string_view label) {
    said();
    for (const ConclusionPart& p : conclusion_parts(f, plan))
      if (p.label == label) return p.text;
    return "";
  }
};

TEST_CASE("job report: what is lost outside of the steps comes before what holds them back",
          "[unit][report][wrap]") {
  CHECK(Told(validating())
            .part("binds")
            .starts_with("60 % of the job's time passes outside of its training steps: 30 % in "
                         "first batches of valid (train.py:50), 15 % in work with batches of valid "
                         "(train.py:50), 10 % in starting 4 workers of valid (train.py:50). The "
                         "job makes 1,600 samples/s where its steps alone make 4,000 samples/s. Of "
                         "the steps: The trainer is the limit"));
}

TEST_CASE("job report: less than is waited within the steps, or than a twentieth, is not told",
          "[unit][report][wrap]") {
  CHECK(Told(job_with({spent("step", "train", 300, 100), spent("wait", "train", 400, 99),
                       spent("first", "valid", 300, 5)}))
            .part("binds")
            .starts_with("The trainer"));
  CHECK(Told(job_with({spent("step", "train", 960, 100), spent("save", "", 40, 2)}))
            .part("binds")
            .starts_with("The trainer"));
}

// A part that came once while a job was seen may never come again, or each hour.
TEST_CASE("job report: what came once is not what a job loses", "[unit][report][wrap]") {
  const auto said = [](std::uint64_t validations, std::uint64_t saves, std::uint64_t epochs) {
    std::vector<ExternalSpent> rows = {
        spent("step", "train", 300, 100), spent("wait", "train", 50, 99),
        spent("iter", "valid", 300, validations), spent("first", "train", 100, epochs),
        spent("save", "", 250, saves)};
    rows[3].before = 1, rows[3].before_ns = rows[3].ns / static_cast<std::int64_t>(epochs);
    rows[4].made = "", rows[4].saver = "torch.save";
    return lost_outside_words(*divide_job({100, false, std::move(rows)}, 16, 50), 0);
  };
  CHECK(said(1, 1, 1) == "");
  CHECK(said(2, 1, 1) ==
        "33 % of the job's time passes outside of its training steps: 33 % in starting 4 workers "
        "of valid (train.py:50).");
  CHECK(said(1, 2, 1).starts_with("28 % of the job's time"));
  CHECK(said(4, 4, 3).find("The job makes") != std::string::npos);
  // One epoch began, and it is known how many batches each has.
  CHECK(said(1, 1, 2).find(" in first batches of train (train.py:50)") != std::string::npos);
}

TEST_CASE("job report: a script that was watched only has the rate that it would print itself",
          "[unit][report][wrap]") {
  JobTime job = job_with({spent("step", "train", 1000, 100), spent("first", "train", 600, 1)});
  job.rate_with_start = 70;
  Told t(job, 0, 0);
  t.plan.trials.resize(1);
  t.plan.trials[0].mode = Mode::pipeline;
  CHECK(lost_outside_words(job, 0).starts_with("38 % of the job's time"));
  CHECK(t.part("binds").find("the script ran at 70 samples/s in all, at 100 samples/s within "
                             "its steps and waited") != std::string::npos);
}

TEST_CASE("job report: iterators that the steps make are no time outside of them",
          "[unit][report][wrap]") {
  Told t(job_with({spent("step", "train", 200, 100), spent("iter", "train", 500, 100),
                   spent("shutdown", "train", 300, 100)}),
         0, 0);
  t.f.epoch_samples = 16'000;
  t.f.external.findings.resize(1);
  t.f.external.findings[0].ms = t.f.external.findings[0].step_ms = exactly(8);
  t.f.external.findings[0].fault = ExternalFault::epoch_gap;
  CHECK(t.part("epoch").ends_with(" 8 s of it outside of its steps."));
  t.f.external.findings[0].fault = ExternalFault::iterator_each_step;
  CHECK(t.part("epoch").ends_with(" 8 s of it in the iterators that its steps make."));
  Told saves(job_with({spent("step", "train", 200, 100), spent("iter", "train", 500, 100),
                       spent("after step", "train", 900, 100)}),
             0, 0);
  saves.f.epoch_samples = 16'000;
  saves.f.external.findings = t.f.external.findings;
  CHECK(saves.part("epoch").ends_with(" of it outside of its steps."));
}

ExternalFinding finding_of(const JobTime& job) {
  ExternalFinding found;
  found.fault = ExternalFault::outside_steps;
  found.share = share_beside_epochs(job);
  found.where = "train.py:50";
  found.job = job;
  return found;
}

TEST_CASE("job report: workers that each validation starts are to stay, by name and line",
          "[unit][report][wrap]") {
  const ExternalFinding found = finding_of(validating());
  CHECK(finding_words(found) ==
        "60 % of the job's time passes outside of its training steps, 45 % in starting, preparing "
        "and ending 4 workers of valid, 5 times (train.py:50); pass persistent_workers=True to "
        "valid (train.py:36), which starts them once.");
  CHECK(remedy_for(found) == Remedy::persistent_workers);
  ExternalFinding remade = found;
  remade.numbers = {{"remade", 4}, {"kept", 1}};
  CHECK(finding_words(remade).ends_with(
      "5 times (train.py:50); make valid (train.py:36) once, not in each epoch."));
  CHECK(remedy_for(remade) == Remedy::kept_loader);
  const ExternalFinding saves = finding_of(
      job_with({spent("step", "train", 500, 100), spent("after step", "train", 500, 9)}));
  CHECK(finding_words(saves) ==
        "50 % of the job's time passes outside of its training steps, 50 % in what follows "
        "some of the steps (train.py:50); do that less often.");
  CHECK(remedy_for(saves) == Remedy::rarer);
}

TEST_CASE("job report: programs get all rows, which add up, and the step's unexplained rest",
          "[unit][report][wrap]") {
  Told t(validating());
  t.said();
  t.f.points[0].trainer_rate = exactly(125);  // 8 of each 10 ms
  t.f.points[0].step_ms = exactly(10);
  t.f.points[0].exposed_wait_ms = exactly(0.5);
  const nlohmann::json point = external_values(t.f)["points"][0];
  CHECK(point["unexplained_ms_per_step"].get<double>() == Approx(1.5));
  CHECK(point["job_time"]["outside_share"].get<double>() == Approx(0.6));
  CHECK(point["job_time"]["samples_per_second"].get<double>() == Approx(1600));
  std::int64_t all = 0;
  for (const auto& row : point["job_time"]["rows"]) all += row["ns"].get<std::int64_t>();
  CHECK(all == 1'000'000'000);
  std::string lines;
  for (const auto& [label, text] : external_lines(t.f, t.plan)) lines += label + " " + text + "\n";
  CHECK(
      lines.find("job 1,600 samples/s over 1 s, its steps alone 4,000 samples/s: steps 35 %, waits "
                 "for their batches 5 %, outside of them 60 %\n") != std::string::npos);
  CHECK(lines.find("outside 30 % in first batches of valid (train.py:50)\n") != std::string::npos);
}

TEST_CASE("job report: a row says what no part of the step explains", "[unit][report][wrap]") {
  PointFindings p;
  p.pipeline_rate = exactly(100), p.trainer_rate = exactly(125);  // 8 of each 10 ms
  p.step_ms = exactly(10), p.exposed_wait_ms = exactly(0.5);
  using Rows = std::vector<std::pair<std::string, double>>;
  const auto names = [](const Rows& rows) {
    std::string text;
    for (const auto& [name, ms] : rows) text += fmt::format("{} {:.3g}; ", name, ms);
    return text;
  };
  CHECK(names(step_rows(p, nullptr, "train")) ==
        "the step itself 8; waits for train 0.5; unexplained 1.5; ");
  ExternalPoint seen;
  seen.partners = {{"masks", 0.2}};
  CHECK(names(step_rows(p, &seen, "train")) ==
        "the step itself 8; waits for train 0.3; waits for masks 0.2; unexplained 1.5; ");
  p.trainer_rate.reset();
  CHECK(step_rows(p, nullptr, "train").empty());
}

}  // namespace benchbench::job_report_test
