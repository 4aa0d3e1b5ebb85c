#include "harness/report/text/formats.h"
#include "harness/analysis/conclusion/analyse.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/analysis/metrics/metric_fields.h"
#include "harness/report/machines/clean_text.h"
#include "harness/report/machines/markdown_text.h"
#include "harness/report/text/text_table.h"
#include "tests/unit/report/resnet_run.h"

namespace benchbench {
namespace formats_test {

using nlohmann::json;

std::string in_format(const test::MadeRun& run, std::string_view format, TerminalStyle style = {}) {
  const Findings findings = analyse(run.plan, run.records);
  std::ostringstream out;
  find_report_format(format)->write(out,
                                    {findings, run.plan, run.records, "results/runs/made", style});
  return out.str();
}

json json_of(const test::MadeRun& run) { return json::parse(in_format(run, "json")); }

test::MadeRun one_point() {
  test::MadeRun run;
  const auto p = run.point({}, run.settings(2));
  run.rates(run.trial(p, Mode::loader), {1000, 1000});
  run.rates(run.trial(p, Mode::trainer), {500, 500});
  run.rates(run.trial(p, Mode::pipeline), {500, 500});
  return run;
}

TEST_CASE("report json: estimates carry interval and n, what was not measured is null",
          "[unit][report]") {
  const json all = json_of(one_point());
  CHECK(all["schema"] == "benchbench.report/1");
  CHECK(all["run_folder"] == "results/runs/made");
  CHECK(all["best_point"] == "base");
  REQUIRE(all["points"].size() == 1);
  const json& p = all["points"][0];
  CHECK(p["loader_rate_samples_per_second"]["value"].get<double>() == Approx(1000));
  CHECK(p["loader_rate_samples_per_second"]["n"] == 2);
  CHECK(p["side"] == "trainer");
  CHECK(p["side_cost_ms"]["value"].get<double>() == Approx(10));
  CHECK(p["gain_ratio"].is_null());
  CHECK(p["cache_share"].is_null());
  CHECK(p["settings"]["loader.num_workers"] == "2");
  CHECK(p["setting_values"]["loader.num_workers"] ==
        json::parse(R"({"type": "integer", "value": 2})"));
  CHECK(p["mode_status"]["pipeline"] == "VALID");
  CHECK(all["records"].size() == 6);
  CHECK(all["records"][0]["rate_samples_per_second"].get<double>() == Approx(1000));
  CHECK(all["trials"]["valid"] == 6);
}

TEST_CASE("report json: every field of the tables is there", "[unit][report]") {
  const json p = json_of(test::ResnetRun())["points"][0];
  for (const auto& field : estimate_fields()) CHECK(p.contains(std::string(field.name)));
  for (const auto& field : number_fields()) CHECK(p.contains(std::string(field.name)));
}

TEST_CASE("report json: is a document whatever names and numbers hold", "[unit][report]") {
  test::MadeRun run = one_point();
  run.plan.scenario.name = "a \"b\" \\ \x01 \xff\xfe";
  Facts facts = test::good_facts(100);
  facts.parts.loss_first = std::nan("");
  facts.content.faults = {{1, FaultKind::decode_error, "ph\xe9to.jpg", "bad\nline"}};
  run.record(0, 5, facts);
  const json all = json_of(run);
  CHECK(all["faulty_samples"]["count"] == 1);
  CHECK(json_of(test::MadeRun{})["points"].empty());
  CHECK(json_of(test::MadeRun{})["best_point"].is_null());
}

// Fields of one line of RFC 4180, quotes undone.
std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> out{""};
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
      out.back() += line[++i];
    else if (line[i] == '"')
      quoted = !quoted;
    else if (line[i] == ',' && !quoted)
      out.emplace_back();
    else
      out.back() += line[i];
  }
  return out;
}

TEST_CASE("report csv: as many fields in a row as in the header, quoted where needed",
          "[unit][report]") {
  test::MadeRun run = one_point();
  run.plan.scenario.name = "a, \"b\"";
  run.point({{"loader", "rate_limited(rate=500/s, burst=2)"}}, run.settings(2));
  std::istringstream lines(in_format(run, "csv"));
  std::string header, base, part;
  std::getline(lines, header);
  std::getline(lines, base);
  std::getline(lines, part);
  CHECK(base.starts_with("\"a, \"\"b\"\"\",base,VALID,1000"));
  const auto names = fields(header);
  CHECK(fields(base).size() == names.size());
  CHECK(fields(part).size() == names.size());
  CHECK(fields(base)[0] == "a, \"b\"");
  CHECK(fields(part)[1] == "loader=rate_limited(rate=500/s, burst=2)");
  CHECK(fields(part)[3].empty());
}

TEST_CASE("report markdown: cells cannot end a cell", "[unit][report]") {
  test::MadeRun run = one_point();
  run.plan.scenario.name = "a|b *c*";
  CHECK(in_format(run, "markdown").find("## a\\|b \\*c\\*") == 0);
}

TEST_CASE("report markdown: no text of a run is markup, nor a control character",
          "[unit][report]") {
  test::MadeRun run = one_point();
  run.plan.scenario.name = "<img src=x onerror=a>\x1b[31m &lt; _a_ num_workers $x$ ~~b~~";
  run.plan.scenario.question = "# is this\r\na heading?";
  const std::string text = in_format(run, "markdown");
  CHECK(text.find("## \\<img src=x onerror=a\\>\\\\x1b\\[31m \\&lt; \\_a\\_ num_workers \\$x\\$ "
                  "\\~\\~b\\~\\~\n\n\\# is this\\\\x0d a heading?\n") == 0);
}

TEST_CASE("report: no control character of a name or a question is printed, in any width",
          "[unit][report]") {
  test::MadeRun run = one_point();
  run.plan.scenario.name = "a\x1b[2Jb";
  run.plan.scenario.question =
      "why\x1b]0;title\a \xc2\x9b"
      "1m \xff";
  run.point({{"loader.path", std::string("x\x1b[31m")}}, run.settings(2));
  for (const char* format : {"terminal", "markdown", "csv"}) {
    const std::string text = in_format(run, format);
    INFO(format << ": " << text);
    CHECK(text.find_first_of("\x1b\a\xff") == std::string::npos);
    CHECK(text.find("\xc2\x9b") == std::string::npos);
    CHECK(text.find("x1b") != std::string::npos);
  }
  CHECK(in_format(run, "terminal").find("a\\x1b[2Jb: why\\x1b]0;title\\x07 \\x9b1m \\xff\n") == 0);
}

TEST_CASE("report markdown: at most 1 MiB, with words for what is left out", "[unit][report]") {
  test::MadeRun run = one_point();
  for (int i = 0; i < 8; ++i)
    run.point({{"loader.path", std::string(200'000, 'x')}}, run.settings(2));
  const std::string text = in_format(run, "markdown");
  CHECK(text.size() <= std::size_t{1} << 20);
  CHECK(text.size() > 800'000);
  CHECK(text.find(" more lines left out: this page holds 1 MiB at most; "
                  "--csv and --json have all of it.\n") != std::string::npos);
}

TEST_CASE("markdown page: ends behind a whole line, closes a code block, cuts no character",
          "[unit][report]") {
  const std::string lines(400, 'a');
  const std::string page =
      "- a\n  ````text\n" + lines + "\n" + lines + "\n" + lines + "\n  ````\nlast\n";
  CHECK(bounded_markdown(page, page.size()) == page);
  CHECK(bounded_markdown(page, 1200) == "- a\n  ````text\n" + lines + "\n" + lines +
                                            "\n  ````\n\n3 more lines left out: this page holds "
                                            "1.17 KiB at most; --csv and --json have all of it.\n");
  std::string wide;
  while (wide.size() < 2000) wide += "写";
  CHECK(clean_text(bounded_markdown(wide, 1000)) == bounded_markdown(wide, 1000));
  CHECK(bounded_markdown(wide, 1000).size() <= 1000);
}

TEST_CASE("report formats: found by name", "[unit][report]") {
  REQUIRE(find_report_format("csv"));
  CHECK(find_report_format("csv")->option == "--csv");
  CHECK_FALSE(find_report_format("xml"));
}

TEST_CASE("text table: width counts columns of a terminal", "[unit][report]") {
  CHECK(display_width("±4%") == 3);
  CHECK(display_width("e\xcc\x81t") == 2);  // a combining accent takes none
  CHECK(display_width("写真") == 4);        // wide characters take two
  CHECK(display_width("█▍") == 2);
  CHECK(display_width("\xff") == 1);
  CHECK(cut_to_width("abcdef", 4) == "abc…");
  CHECK(cut_to_width("写真写真", 4) == "写…");
  CHECK(cut_to_width("abc", 3) == "abc");
}

TEST_CASE("text table: columns line up and break into blocks where they do not fit",
          "[unit][report]") {
  TextTable table;
  table.add({"name", "", Align::left, {"写真", "b"}});
  table.add({"rate", "1/s", Align::right, {"1 ±4%", "12"}});
  table.add({"more", "", Align::right, {"x", "yy"}});
  const auto keep = [](std::size_t, std::string line) { return line; };
  std::ostringstream wide, narrow;
  table.write(wide, 80, keep);
  CHECK(wide.str() == "name   rate  more\n        1/s\n写真  1 ±4%     x\nb        12    yy\n");
  table.write(narrow, 12, keep);
  CHECK(
      narrow.str() ==
      "name   rate\n        1/s\n写真  1 ±4%\nb        12\n\nname  more\n写真     x\nb       yy\n");
}

TEST_CASE("text table: words wrap with an indent", "[unit][report]") {
  CHECK(wrapped("one two three", 7, 2) == "one two\n  three");
  CHECK(wrapped("one", 2) == "on\ne");
  CHECK(wrapped("over 10 %: two", 7) == "over\n10 %:\ntwo");  // a number keeps its "%"
  CHECK(wrapped("one two", 7, 0, 4) == "one\ntwo");
}

TEST_CASE("terminal: an epoch gap is a column where a loader has one, else a footnote",
          "[unit][report]") {
  const auto text_of = [](std::optional<std::int64_t> gap) {
    test::MadeRun run;
    const auto p = run.point({}, run.settings(1));
    run.rates(run.trial(p, Mode::loader), {100, 100});
    for (auto& record : run.records) record.facts.epochs.gap_ns = gap;
    return in_format(run, "terminal", {.width = 200, .detail = true});
  };
  const std::string footnote = "no epoch gap: measured only for loaders that restart at each epoch";
  CHECK(text_of(std::nullopt).find(footnote) != std::string::npos);
  CHECK(text_of(2'000'000).find(footnote) == std::string::npos);
  CHECK(text_of(2'000'000).find("epoch gap") != std::string::npos);
}

}  // namespace formats_test
}  // namespace benchbench
