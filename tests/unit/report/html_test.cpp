// The page to look at: its text, its tables, its data. tests/golden/browser opens it.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/analysis/conclusion/analyse.h"
#include "harness/core/error.h"
#include "harness/report/fields/drawn_series.h"
#include "harness/report/html/html_text.h"
#include "harness/report/html/settings_yaml.h"
#include "harness/report/html/sort_number.h"
#include "harness/report/text/formats.h"
#include "tests/unit/analysis/made_run.h"

namespace benchbench {
namespace html_test {

using Catch::Contains;
using Json = nlohmann::json;

std::string page_of(const test::MadeRun& run, SeriesReader read = {}) {
  const Findings findings = analyse(run.plan, run.records);
  std::ostringstream out;
  find_report_format("html")->write(
      out, {findings, run.plan, run.records, "results/runs/made", {}, std::move(read), {}});
  return out.str();
}

std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t from = text.find(begin);
  REQUIRE(from != std::string::npos);
  const std::size_t to = text.find(end, from + begin.size());
  REQUIRE(to != std::string::npos);
  return text.substr(from + begin.size(), to - from - begin.size());
}

Json data_of(const std::string& page, const std::string& id) {
  return Json::parse(
      between(page, "<script type=\"application/json\" id=\"" + id + "\">", "</script>"));
}

std::size_t count(const std::string& text, std::string_view what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

// A base that its loader binds, and a faster point with four workers.
test::MadeRun swept_run() {
  test::MadeRun run;
  run.plan.scenario.axes.push_back({"loader.num_workers", {}});
  for (const std::int64_t workers : {2, 4}) {
    const auto p =
        run.point({{"loader.num_workers", std::to_string(workers)}}, run.settings(workers));
    const double f = workers == 2 ? 1 : 2;
    run.rates(run.trial(p, Mode::loader), {100 * f, 101 * f, 102 * f, 100 * f, 99 * f});
    run.rates(run.trial(p, Mode::trainer), {400, 404, 396, 400, 400});
    run.rates(run.trial(p, Mode::pipeline), {100 * f, 100 * f, 101 * f, 99 * f, 100 * f});
  }
  return run;
}

TEST_CASE("html: text is text, wherever it comes from", "[unit][report]") {
  CHECK(html("<b a=\"1\" c='2'>&amp;") == "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;amp;");
  CHECK(html(std::string("a\x01"
                         "b\xff")) ==
        "a\xef\xbf\xbd"
        "b\xef\xbf\xbd");
  CHECK(base64("") == "");
  CHECK(base64("f") == "Zg==");
  CHECK(base64("fo") == "Zm8=");
  CHECK(base64("foo") == "Zm9v");
  CHECK(base64("\xff\xfe\xfd\xfc") == "//79/A==");
  const std::string json = R"({"a":"</script><!--"})";
  CHECK(json_in_html(json).find('<') == std::string::npos);
  CHECK(Json::parse(json_in_html(json)) == Json::parse(json));
}

TEST_CASE("html: a cell is sorted by the number it begins with, in its base unit",
          "[unit][report]") {
  CHECK(sort_number("1,234 ±4%") == 1234.0);
  CHECK(sort_number("(12)") == 12.0);
  CHECK(*sort_number("41.8 us") == Approx(41.8e-6));
  CHECK(*sort_number("3 ms") == Approx(3e-3));
  CHECK(*sort_number("2 min") == Approx(120));
  CHECK(*sort_number("1.5 GiB") == Approx(1.5 * (1 << 30)));
  CHECK(*sort_number("1.25x ±4%") == 1.25);
  CHECK(*sort_number("-3 %") == -3);
  CHECK(*sort_number("+2.5 MB") == Approx(2.5e6));
  CHECK_FALSE(sort_number("-"));
  CHECK_FALSE(sort_number("loader 3 ms"));
  CHECK_FALSE(sort_number(""));
}

TEST_CASE("html: settings as a scenario has them", "[unit][report]") {
  SettingsMap s;
  s.set("dataset.format", test::words("tar"));
  s.set("dataset.synthesize.samples", test::whole(8));
  s.set("loader.num_workers", test::whole(4));
  s.set("loader.transform.normalize", test::words("a: \"b\"\n#c"));
  s.set("loader.users_own", test::words("batch_size"));
  s.set("trainer.own_batch", test::words("{}"));
  s.set("trainer.checkpoint.bytes", test::words("model"));
  s.set("trainer.checkpoint.every", Value{});
  s.set("trainer.precision", Value{});
  s.set("trainer.use", test::words(""));
  CHECK(settings_yaml(s) ==
        "dataset:\n  format: tar\n  synthesize:\n    samples: 8\n"
        "loader:\n  num_workers: 4\n  transform:\n"
        "    normalize: \"a: \\\"b\\\"\\x0a#c\"\ntrainer:\n  use: \"\"\n");
}

TEST_CASE("html: nothing of a run is read as markup, and nothing is loaded from elsewhere",
          "[unit][report]") {
  test::MadeRun run = swept_run();
  run.plan.scenario.name = "<img src=x onerror=alert(1)>";
  run.plan.scenario.question = "\"</script><script>alert(2)</script>";
  run.plan.points[1].labels = {{"loader.num_workers", "</table><b>4"}};
  run.records[2].status = Status::failed;
  run.records[2].reasons = {{"", true, "<i>killed</i>", "line <u>"}};
  const std::string page = page_of(run);
  for (const char* raw :
       {"<img", "<script>alert", "<b>4", "<i>killed", "<u>", "http-equiv=\"refresh"}) {
    INFO(raw);
    CHECK(count(page, raw) == 0);
  }
  CHECK_THAT(page, Contains("&lt;img src=x onerror=alert(1)&gt; - benchbench</title>"));
  CHECK(count(page, "<script") == 4);
  CHECK(count(page, " style=") == 0);
  CHECK_THAT(page, Contains("default-src 'none'; script-src 'sha256-"));
  CHECK_THAT(page, Contains("base-uri 'none'; form-action 'none'"));
  CHECK(data_of(page, "report").at("scenario") == "<img src=x onerror=alert(1)>");
}

TEST_CASE("html: the first chart needs no script and says which side binds", "[unit][report]") {
  const std::string page = page_of(swept_run());
  const std::string times = between(page, "<table class=\"times\">", "</table>");
  CHECK(count(times, "<tbody") == 2);
  CHECK(count(times, "<rect class=\"bar\"") == 6);
  CHECK(count(times, " binds\">") == 2);
  CHECK_THAT(times, Contains("<tr class=\"loader valid binds\">"));
  CHECK_THAT(times, Contains("the loader binds: "));
  // 1/100 s is the longest: both of its bars, and the trainer's a quarter of it.
  CHECK_THAT(times, Contains("<td class=\"number\">2.5 ms ±"));
  CHECK_THAT(times, Contains("<td class=\"number\">10 ms ±"));
  const std::string trainer = between(times, "<tr class=\"trainer valid\">", "</tr>");
  const double width = std::stod(between(trainer, "height=\"12\" width=\"", "%"));
  CHECK(width == Approx(25).epsilon(0.06));
  CHECK_THAT(page, Contains("<span class=\"mark\">to use</span>"));
}

TEST_CASE("html: what is not VALID is shown as what it is", "[unit][report]") {
  test::MadeRun run = swept_run();
  for (TrialRecord& r : run.records) {
    if (r.planned.trial == 0) r.facts.accounting.missing = 3;  // the base's loader: INVALID
    if (r.planned.trial == 1)
      r.status = Status::failed, r.facts = {}, r.reasons = {{"", true, "killed"}};
  }
  const std::string times = between(page_of(run), "<table class=\"times\">", "</table>");
  const std::string loader = between(times, "<tr class=\"loader invalid\">", "</tr>");
  CHECK_THAT(loader, Contains("<span class=\"status invalid\">INVALID</span>"));
  CHECK_THAT(loader, Contains("(9.9"));
  CHECK(count(loader, "<rect") == 0);
  CHECK_THAT(between(times, "<tr class=\"trainer failed\">", "</tr>"), Contains("FAILED"));
  CHECK_THAT(times, Contains("no side can be named"));
}

TEST_CASE("html: each chart has data and a figure with the same rows, or a word why there is none",
          "[unit][report]") {
  const std::string page = page_of(swept_run());
  const Json data = data_of(page, "pictures");
  REQUIRE(data.at("ratio").size() == 1);
  const Json& row = data["ratio"][0]["rows"].at(0);
  CHECK(row.at("point") == 1);
  CHECK(row.at("value").get<double>() == Approx(2.0).epsilon(0.01));
  CHECK(row.at("rounds").size() == 5);
  CHECK(data["ratio"][0]["floor"].is_null());
  CHECK(data.at("anchor").is_null());
  CHECK_THAT(page, Contains("No trial was repeated"));
  REQUIRE(data.at("axes").size() == 1);
  CHECK(data["axes"][0].at("numeric") == true);
  CHECK(data["axes"][0].at("log") == false);
  CHECK(data["axes"][0].at("lines").size() == 3);
  CHECK(data["axes"][0]["lines"][0]["values"].size() == 2);
  CHECK(data.at("costs").at("rows").size() == 4);
  CHECK(data.at("substitution").is_null());
  CHECK_THAT(page, Contains("run with --substitute"));
  CHECK(data.at("step").is_null());
  CHECK(data.at("series").empty());
  CHECK(data.at("distribution").empty());
  CHECK(data.at("points").at(1).at("use") == true);
  for (const char* kind : {"ratio", "costs", "axis"})
    CHECK(count(page, "data-chart=\"" + std::string(kind) + "\"") == 1);
  for (const char* kind : {"anchor", "substitution", "step", "series", "distribution", "probes"})
    CHECK(count(page, "data-chart=\"" + std::string(kind) + "\"") == 0);
}

TEST_CASE("html: tables of all points and all trials, with what they are sorted by",
          "[unit][report]") {
  const std::string page = page_of(swept_run());
  const std::string points = between(page, "id=\"points-table\"", "</table>"),
                    trials = between(page, "id=\"trials-table\"", "</table>");
  CHECK(count(points, "<tr id=\"row-") == 2);
  CHECK(count(trials, "<tr>") == 1 + 30);
  CHECK_THAT(points, Contains("data-sort=\"200\""));
  CHECK_THAT(trials, Contains("data-sort=\"404\""));
  CHECK_THAT(trials, Contains("data-sort=\"\">-</td>"));
}

TEST_CASE(
    "html: of many points forty are drawn, "
    "the base and the one to use among them, and all are in the table",
    "[unit][report]") {
  test::MadeRun run;
  for (std::int64_t i = 0; i < 60; ++i) {
    const auto p =
        run.point(i == 0 ? decltype(Point::labels){}
                         : decltype(Point::labels){{"loader.num_workers", std::to_string(i)}},
                  run.settings(i));
    const double f = i == 55 ? 3 : 1;
    run.rates(run.trial(p, Mode::pipeline), {100 * f, 101 * f, 100 * f, 101 * f, 100 * f});
  }
  const std::string page = page_of(run);
  CHECK(count(page, "<tbody id=\"point-") == 40);
  CHECK(count(page, "id=\"point-55\"") == 1);
  CHECK_THAT(page, Contains("40 of 60 points are drawn; all are in the table of points."));
  CHECK(count(page, "<tr id=\"row-") == 60);
  CHECK(data_of(page, "pictures")["ratio"][0]["rows"].size() == 39);
}

TEST_CASE("html: values of an axis are in the order of what they are, and at most forty of them",
          "[unit][report]") {
  const auto labels_of = [](const std::vector<std::string>& values) {
    test::MadeRun run;
    run.plan.scenario.axes.push_back({"loader.batch_time", {}});
    for (const std::string& value : values) {
      SettingsMap s = run.settings(2);
      s.set("loader.batch_time", test::words(value));
      run.rates(run.trial(run.point({{"loader.batch_time", value}}, s), Mode::pipeline),
                {100, 101, 100});
    }
    const Json axis = data_of(page_of(run), "pictures").at("axes").at(0);
    std::vector<std::string> labels;
    for (const Json& value : axis["lines"][0]["values"]) labels.push_back(value["label"]);
    return labels;
  };
  CHECK(labels_of({"2ms", "500us", "1s", "1ms"}) ==
        std::vector<std::string>{"500us", "1ms", "2ms", "1s"});
  CHECK(labels_of({"tar", "hdf5", "raw"}) == std::vector<std::string>{"tar", "hdf5", "raw"});
  std::vector<std::string> many;
  for (int i = 0; i < 300; ++i) many.push_back(std::to_string(i == 0 ? 150 : i <= 150 ? i - 1 : i));
  const std::vector<std::string> kept = labels_of(many);
  CHECK(kept.size() <= 40);
  CHECK(kept.size() >= 38);
  CHECK(kept.front() < "9");
  CHECK(kept.back() == "299");
  CHECK(std::ranges::find(kept, "150") != kept.end());
}

TEST_CASE("html: a run without a point, or without a usable trial, is a page that says so",
          "[unit][report]") {
  test::MadeRun none;
  CHECK_THAT(page_of(none), Contains("There is no point."));
  CHECK_THAT(page_of(none), Contains("No trial ran."));
  test::MadeRun lost = swept_run();
  for (TrialRecord& r : lost.records) r.facts.accounting.missing = 3;
  const std::string page = page_of(lost);
  CHECK_THAT(page, Contains("No trial is VALID or NOISY, so there is nothing to draw."));
  CHECK(count(page, "<figure class=\"chart\"") == 0);
}

// The base's pipeline with series of `n` steps and one probe of each kind.
test::MadeRun run_with_series(std::size_t n) {
  test::MadeRun run = swept_run();
  for (TrialRecord& r : run.records) {
    if (r.planned.trial == 2 && r.planned.round == 0)
      r.status = Status::noisy, r.reasons = {{"", false, "unsteady"}};
    if (r.planned.trial != 2 || r.planned.round != 1) continue;
    r.series = {{"step", "series/a", n, 1, 0},
                {"get_blocked", "series/b", n, 2, 0},
                {"probe_time", "series/t", 3, 1, 0},
                {"probe_cpu_loader", "series/c", 3, 1, 0},
                {"probe_memory", "series/m", 3, 1, 0}};
    ProbeFacts cpu, memory;
    cpu.name = "cpu_loader", cpu.unit = "cores", memory.name = "memory", memory.unit = "bytes";
    ProbeFacts other = memory;  // not drawn, and so not read
    other.name = "faults_minor";
    r.series.push_back({"probe_faults_minor", "series/f", 3, 1, 0});
    r.facts.probes = {cpu, other, memory};
  }
  return run;
}

std::vector<std::int64_t> made_series(const SeriesFile& file) {
  if (file.name == "probe_faults_minor") throw StoreError("no reader asked for this");
  if (file.name == "probe_time") return {1'000'000'000, 3'000'000'000, 4'000'000'000};
  if (file.name == "probe_cpu_loader") return {500'000'000, 3'000'000'000, 1'000'000'000};
  if (file.name == "probe_memory") return {100 << 20, 200 << 20, 150 << 20};
  std::vector<std::int64_t> values(file.length, 2'000'000);
  values[file.length / 3] = 90'000'000;
  return values;
}

TEST_CASE("html: the first VALID trial's series, thinned, and probes in their units",
          "[unit][report]") {
  const Json data = data_of(page_of(run_with_series(9001), made_series), "pictures");
  REQUIRE(data.at("series").size() == 2);
  CHECK(data["series"][0]["lines"][0].at("trial") == 12);  // the second run: the first is NOISY
  const Json& step = data["series"][0]["lines"][0];
  CHECK(data["series"][0].at("what") == "step");
  CHECK(step.at("values").size() <= kDrawnValues);
  CHECK(step["values"].size() > kDrawnValues / 2);
  bool peak = false;
  for (const Json& v : step["values"]) peak = peak || (v[0] == 3000 && v[1] == 90);
  CHECK(peak);
  CHECK(data["series"][1]["lines"][0]["values"].back()[0] == 18000);  // every second one was kept
  const Json& charts = data.at("probes").at(0).at("charts");
  REQUIRE(charts.size() == 2);
  CHECK(charts[0].at("title") == "CPU");
  CHECK(charts[0]["lines"][0]["values"] == Json::parse("[[1,0.5],[3,1.5],[4,1]]"));
  CHECK(charts[1]["lines"][0]["values"] == Json::parse("[[1,100],[3,200],[4,150]]"));
}

TEST_CASE("html: series that are gone are said to be", "[unit][report]") {
  const std::string page =
      page_of(run_with_series(100), [](const SeriesFile& f) -> std::vector<std::int64_t> {
        throw StoreError(f.file + " is damaged");
      });
  CHECK_THAT(page, Contains("The store&#39;s series could not be read: series/a is damaged."));
  CHECK(data_of(page, "pictures").at("series").empty());
}

TEST_CASE("html: the same run gives the same bytes", "[unit][report]") {
  CHECK(page_of(run_with_series(300), made_series) == page_of(run_with_series(300), made_series));
}

}  // namespace html_test
}  // namespace benchbench
