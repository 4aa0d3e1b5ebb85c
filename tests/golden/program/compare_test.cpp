// `compare` on mocks in virtual time: known changes, and what cannot be compared.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "harness/report/text/display_text.h"
#include "tests/golden/program/compare_runs.h"
#include "tests/places.h"

namespace benchbench::test {
namespace compare_test {

using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;
using nlohmann::json;

// Compares two runs of the same settings, of which `program` makes B.
Ran compare_with(const Scratch& s, const std::string& program) {
  return interleaved(s, {"--set", "measure.modes=pipeline", "--b-program", program});
}

json metric_in(const json& report, const std::string& name) {
  for (const json& metric : report["points"][0]["metrics"])
    if (metric["metric"] == name) return metric;
  return nullptr;
}

TEST_CASE("compare: a stage of B that is slowed by --b-set is found and named, with its time",
          "[golden][app]") {
  const Scratch s;
  const Ran ran = interleaved(s, kSlowerLoader);
  CHECK(ran.code == 3);
  const json report = json::parse(read_file(s.path("out.json")));
  const json& point = report["points"][0];
  CHECK(report["outcome"] == "regression");
  CHECK(metric_in(report, "pipeline_rate")["judgement"] == "SLOWER");
  CHECK(metric_in(report, "pipeline_rate")["change_share"]["value"].get<double>() ==
        Approx(1 / 1.1 - 1).epsilon(1e-6));
  CHECK(metric_in(report, "trainer_rate")["judgement"] == "SAME");
  CHECK(point["moved_stage"]["stage"] == "collate");
  CHECK(point["moved_stage"]["by"] == "loader");
  CHECK(point["moved_stage"]["ms"]["value"].get<double>() == Approx(0.2).epsilon(1e-6));
  CHECK(point["moved_stage"]["step_ms"]["value"].get<double>() == Approx(0.2).epsilon(1e-6));
  CHECK_THAT(ran.out, Contains("where: collate +200 us of the loader's work for a batch, for which "
                               "the trainer waits; the step"));
  CHECK_THAT(ran.out, Contains("setting loader.batch_time: 2ms -> 2.2ms"));
  CHECK_THAT(ran.out, EndsWith("A gate is broken.\n"));
  // Its folder says the same again.
  CHECK(compare(s, {"out"}).out == ran.out);
}

TEST_CASE("compare: a slowed step of the trainer is named as such", "[golden][app]") {
  const Scratch s;
  const Ran ran = interleaved(
      s, {"--set", "measure.modes=loader,pipeline", "--set", "trainer.step_time=5ms", "--b-set",
          "trainer.step_time=6ms", "--fail-on", "slower:20%", "--json", "out.json"});
  CHECK(ran.code == 0);  // it is 16.7 % slower
  CHECK(compare(s, {"out"}).code == 3);
  const json report = json::parse(read_file(s.path("out.json")));
  CHECK(report["points"][0]["moved_stage"]["stage"] == "forward");
  CHECK(report["points"][0]["moved_stage"]["ms"]["value"].get<double>() == Approx(1).epsilon(1e-6));
  CHECK(metric_in(report, "loader_rate")["judgement"] == "SAME");
}

TEST_CASE("compare: nothing changed is SAME with what would have been detected, and passes",
          "[golden][app]") {
  const Scratch s;
  const Ran ran = compare_with(s, program_path());
  CHECK(ran.code == 0);
  CHECK_THAT(ran.out, StartsWith("tiny: B against A: no change is shown: "));
  CHECK_THAT(ran.out, Contains("exact  SAME       3.0 %"));
  CHECK_THAT(ran.out, EndsWith("Passed.\n"));
}

TEST_CASE("compare: no line is wider than 100 columns, and the rows of the table line up",
          "[golden][app]") {
  const Scratch s;
  const std::vector<std::string> points{"--only", "loader.num_workers=1,2", "--set",
                                        "measure.modes=pipeline"};
  std::vector<std::string> slower = points;
  slower.insert(slower.end(), {"--set", "loader.batch_time=2.2ms"});
  store(s, "a", points);
  store(s, "b", slower);
  const Ran ran = compare(s, {"a", "b", "--across", "loader.batch_time"});
  std::size_t judged = 0;
  for (const std::string& line : split_lines(ran.out)) {
    CHECK(display_width(line) <= 100);
    const std::size_t at = std::min(line.find("  SAME"), line.find("  SLOWER"));
    if (!line.starts_with("num_workers=") || at == std::string::npos) continue;
    if (judged == 0) judged = at;
    CHECK(at == judged);
  }
  CHECK(judged > 0);
}

TEST_CASE("compare: gates are of what they name", "[golden][app]") {
  const Scratch s;
  interleaved(s, kSlowerLoader);
  const auto code = [&](const std::string& gates) {
    return compare(s, {"out", "--fail-on", gates}).code;
  };
  CHECK(code("slower:5%") == 3);
  CHECK(code("slower:20%") == 0);
  CHECK(code("slower:20%,wait:5%") == 3);
  CHECK(code("wait:9%") == 3);
  CHECK(code("wait:11%") == 0);  // it is a share of the step, not of the wait before
  CHECK(code("verdict") == 0);
  CHECK(code("slower:1%") == 2);
}

TEST_CASE("compare: --confirm runs again what is SLOWER, and says so", "[golden][app]") {
  const Scratch s;
  const Ran ran = interleaved(
      s, {"--b-set", "loader.batch_time=2.2ms", "--set", "measure.modes=pipeline", "--confirm"});
  CHECK(ran.code == 3);
  CHECK_THAT(
      ran.out,
      Contains(
          "Run again, both sides interleaved\n  base pipeline_rate: confirmed, SLOWER -9.1 %\n"));
  CHECK_THAT(ran.out,
             EndsWith("A gate is broken, and the second run does not take the alert back.\n"));
  CHECK(compare(s, {"out/confirm"}).code == 3);
}

TEST_CASE("compare: --confirm of stored runs runs both sides again where this program made both",
          "[golden][app]") {
  const Scratch s;
  store(s, "a");
  store(s, "b", {"--set", "loader.batch_time=2.2ms"});
  const Ran ran =
      compare(s, {"a", "b", "--across", "loader.batch_time", "--confirm", "--out", "again"});
  CHECK(ran.code == 3);
  CHECK_THAT(ran.out, Contains("confirmed, SLOWER -9.1 %"));
  CHECK(std::filesystem::exists(s.path("again/a/plan.json")));
}

TEST_CASE("compare: a run with itself is SAME in everything", "[golden][app]") {
  const Scratch s;
  store(s, "a");
  const Ran ran = compare(s, {"a", "a", "--json", "-"});
  CHECK(ran.code == 0);
  const json report = json::parse(ran.out);
  CHECK(report["relation"] == "itself");
  for (const json& metric : report["points"][0]["metrics"]) CHECK(metric["judgement"] == "SAME");
}

TEST_CASE("compare: runs of other settings have no point in common, unless the setting may differ",
          "[golden][app]") {
  const Scratch s;
  store(s, "a");
  store(s, "b", {"--set", "loader.batch_time=2.2ms"});
  const Ran ran = compare(s, {"a", "b"});
  CHECK(ran.code == 4);
  CHECK_THAT(ran.out, Contains("not comparable: no point of A has the settings of one of B"));
  CHECK_THAT(ran.out, Contains("setting loader.batch_time: 2ms -> 2.2ms"));
  CHECK(compare(s, {"a", "b", "--across", "loader.batch_time"}).code == 3);
}

TEST_CASE("compare: rounds of one process gate nothing", "[golden][app]") {
  const Scratch s;
  store(s, "a");
  store(s, "b", {"--isolation", "none"});
  const Ran ran = compare(s, {"a", "b"});
  CHECK(ran.code == 4);
  CHECK_THAT(ran.out, Contains("gates nothing: all rounds of a side ran in one process"));
  CHECK_THAT(ran.out, EndsWith("Inconclusive: this comparison neither passes nor fails.\n"));
}

TEST_CASE("compare: one round says nothing, and no usable trial is 8", "[golden][app]") {
  const Scratch s;
  store(s, "a");
  store(s, "one", {"--rounds", "1"});
  std::filesystem::copy(s.path("a"), s.path("none"), std::filesystem::copy_options::recursive);
  std::filesystem::resize_file(s.path("none/journal.jsonl"), 0);
  const Ran one = compare(s, {"a", "one"});
  CHECK(one.code == 4);
  CHECK_THAT(one.out,
             Contains("10 rounds against 1 cannot show a difference: 7 against 7 or more can"));
  const Ran none = compare(s, {"a", "none"});
  CHECK(none.code == 8);
  CHECK_THAT(none.out, Contains("not comparable: B has no VALID or NOISY trial"));
}

TEST_CASE("compare: a damaged store is 2, one that was cut is read as far as it goes",
          "[golden][app]") {
  const Scratch s;
  store(s, "a");
  std::filesystem::copy(s.path("a"), s.path("cut"), std::filesystem::copy_options::recursive);
  const std::string journal = s.path("cut/journal.jsonl");
  std::filesystem::resize_file(journal, std::filesystem::file_size(journal) - 40);
  const Ran cut = compare(s, {"a", "cut"});
  CHECK(cut.code == 0);
  CHECK_THAT(cut.out, Contains("note: B: "));
  std::filesystem::resize_file(s.path("cut/plan.json"), 100);
  const Ran damaged = compare(s, {"a", "cut"});
  CHECK(damaged.code == 2);
  CHECK_THAT(damaged.err, Contains("cut cannot be read: ") && Contains("is damaged"));
}

TEST_CASE("compare: two scenarios in turn", "[golden][app]") {
  const Scratch s;
  s.write("tiny.yaml", tiny_scenario());
  std::string slower = tiny_scenario();
  slower.replace(slower.find("2ms"), 3, "3ms");
  s.write("slower.yaml", slower);
  const Ran ran =
      compare(s, {"tiny.yaml", "slower.yaml", "--interleave", "--clock", "simulated", "--rounds",
                  "1", "--set", "measure.modes=pipeline", "--out", "out", "--json", "-"});
  CHECK(ran.code == 4);  // one round shows nothing
  const json report = json::parse(ran.out);
  CHECK(report["relation"] == "interleaved");
  CHECK(metric_in(report, "pipeline_rate")["change_share"]["value"].get<double>() ==
        Approx(2.0 / 3 - 1).epsilon(1e-6));
}

TEST_CASE("compare: another program that is none of ours is said to be that", "[golden][app]") {
  const Scratch s;
  const Ran ran = compare_with(s, "/bin/true");
  CHECK(ran.code == 1);
  CHECK_THAT(ran.err, Contains("every trial of B failed") &&
                          Contains("is /bin/true a benchbench program of this version?"));
  const Scratch other;
  const Ran same = compare_with(other, program_path());
  CHECK(same.code == 0);
  CHECK_THAT(same.out, Contains("which is the same program as A's"));
  const Scratch third;
  CHECK(compare_with(third, "nowhere/benchbench").code == 2);
}

TEST_CASE("compare: options that contradict each other are refused", "[golden][app]") {
  const Scratch s;
  store(s, "a");
  CHECK_THAT(compare(s, {"a", "a", "--b-set", "loader.batch_time=3ms"}).err,
             Contains("--b-set needs --interleave"));
  CHECK_THAT(compare(s, {"a"}).err,
             Contains("one folder is compared only where --interleave made it"));
  CHECK_THAT(compare(s, {"a", "b"}).err, Contains("there is no folder b"));
  CHECK_THAT(compare(s, {"a", "a", "--spread", "x"}).err, Contains("--spread x: expected a share"));
  CHECK_THAT(compare(s, {"tiny.yaml", "--interleave", "--spread", "4%"}).err,
             Contains("--spread is of stored runs"));
  CHECK_THAT(compare(s, {"a", "a", "--budget", "1min"}).err,
             Contains("--budget needs --interleave or --confirm"));
  CHECK_THAT(compare(s, {"tiny.yaml", "--interleave", "--budget", "soon"}).err,
             Contains("--budget soon: expected a time such as 10min"));
}

TEST_CASE("compare: what a budget has no room for is left out, and said", "[golden][app]") {
  const Scratch s;
  // A process does not start within 1 ms: no round is complete, and B has no trial at all.
  const Ran none = interleaved(s, {"--budget", "1ms", "--json", "out.json"});
  CHECK(none.code == 7);
  CHECK_THAT(none.out, StartsWith("tiny: B against A: the budget of 1ms ended after 0 of 10 "
                                  "rounds; not comparable: "));
  CHECK(none.err == "results: out\n");  // --quiet
  const Ran loud = compare(
      s, {"tiny.yaml", "--interleave", "--clock", "simulated", "--budget", "1ms", "--out", "told"});
  CHECK_THAT(loud.err, Contains(", at most 1ms (--budget)\n  results: told\n"));
  const json report = json::parse(read_file(s.path("out.json")));
  CHECK_THAT(report["summary"].get<std::string>(),
             StartsWith("the budget of 1ms ended after 0 of 10 rounds; "));
  const Scratch with_room;
  const Ran all = interleaved(with_room, {"--budget", "1h"});
  CHECK(all.code == 0);
  CHECK_THAT(all.out, StartsWith("tiny: B against A: no change is shown: "));
  CHECK(all.out.find("the budget of") == std::string::npos);
}

}  // namespace compare_test
}  // namespace benchbench::test
