// `describe` knows every word that a report or a help prints: collected from their tables.
#include <catch2/catch.hpp>

#include <sstream>

#include "harness/analysis/compare/comparison_findings.h"
#include "harness/analysis/external/external.h"
#include "harness/analysis/metrics/metric_fields.h"
#include "harness/analysis/rules/rules.h"
#include "harness/core/error.h"
#include "harness/record/keys.h"
#include "harness/record/resolved_settings.h"
#include "harness/record/store_presets.h"
#include "harness/report/describe/describe.h"
#include "harness/report/external/external_fields.h"
#include "harness/report/tables/point_columns.h"
#include "harness/report/text/text_table.h"

namespace benchbench::test {
namespace describe_all {

using Words = std::vector<std::string>;

const Catalog& no_parts() {
  static const Catalog none{std::span<const PartRow>{}};
  return none;
}

template <class E>
void add_words(Words& all) {
  for (const std::string_view word : kWordsOf<E>)
    if (!word.empty()) all.emplace_back(word);
}

Words printed_words() {
  Words all{"unclear", "base",     "free:decode", "batch:4", "workers:1", "beside",    "indicative",
            "tie",     "findings", "external",    "axes",    "change",    "detectable"};
  for (const FilledColumn& c : filled_columns({}, {})) {
    all.emplace_back(c.column->title);
    if (!c.column->subtitle.empty()) all.emplace_back(c.column->subtitle);
  }
  add_words<Status>(all), add_words<Stage>(all), add_words<Component>(all),
      add_words<Severity>(all), add_words<Side>(all);
  add_words<Mode>(all), add_words<StallCause>(all), add_words<SteadinessKind>(all),
      add_words<CacheDegree>(all);
  add_words<ProbeState>(all), add_words<FaultKind>(all), add_words<SweepMode>(all),
      add_words<ExternalWay>(all), add_words<ExternalFault>(all), add_words<Judged>(all);
  for (const Rule& r : validity_rules()) all.emplace_back(r.id), all.emplace_back(r.name);
  for (const Metric& m : metrics()) {
    all.emplace_back(m.name);
    if (!m.symbol.empty()) all.emplace_back(m.symbol);
  }
  for (const auto& [section, keys] :
       {std::pair{"dataset.", dataset_keys()}, std::pair{"loader.", loader_keys()},
        std::pair{"trainer.", trainer_keys()}, std::pair{"measure.", measure_keys()}})
    for (const Parameter& p : keys) all.push_back(section + std::string(p.key));
  for (const EstimateField& f : estimate_fields()) all.emplace_back(f.name);
  for (const NumberField& f : number_fields()) all.emplace_back(f.name);
  for (const ExternalField& f : external_fields()) all.emplace_back(f.name);
  for (const StorePreset& s : store_presets()) all.emplace_back(s.name);
  return all;
}

// What is said beyond the word itself and its kind.
std::string said_of(const std::string& word, std::span<const Term> more = {}) {
  const std::string text = describe(word, no_parts(), 100, more);
  const std::size_t line = text.find('\n');
  return line == std::string::npos ? "" : text.substr(line + 1);
}

TEST_CASE(
    "describe: every column, status, stage, side, severity, rule, metric, key and field has a text",
    "[unit][report]") {
  const Words all = printed_words();
  CHECK(all.size() > 200);
  for (const std::string& word : all) {
    INFO(word);
    std::string said;
    CHECK_NOTHROW(said = said_of(word));
    CHECK(said.find_first_not_of(" \n") != std::string::npos);
    CHECK(said.size() > 12);
  }
}

TEST_CASE("describe: each word of a table has a text of its own", "[unit][report]") {
  for (const Term& a : terms())
    for (const Term& b : terms())
      if (&a != &b) CHECK((a.text != b.text && !(a.word == b.word && a.kind == b.kind)));
  CHECK(said_of("NOISY") != said_of("INVALID"));
  CHECK_THAT(describe("NOISY", no_parts()),
             Catch::StartsWith("NOISY (status of a trial)\n  A rule casts doubt"));
  CHECK_THAT(describe("held back by", no_parts()),
             Catch::StartsWith("held back by (column of the report)\n"));
  CHECK_THAT(describe("per step", no_parts()),
             Catch::Contains("wait (column") && Catch::Contains("held back by (column"));
  CHECK_THAT(describe("gain_ratio", no_parts()),
             Catch::StartsWith("gain_ratio (field of the JSON report)\n  gain: "));
}

TEST_CASE("describe: a line of the report hides no key of its name", "[unit][report]") {
  const std::string use = describe("use", no_parts());
  CHECK_THAT(use, Catch::StartsWith("use (line of the report)\n") &&
                      Catch::Contains("loader.use") && Catch::Contains("trainer.use"));
  CHECK(use.find("(line of the report)", 10) == std::string::npos);
  CHECK(describe("binds", no_parts()).find("\n\n") == std::string::npos);
}

TEST_CASE(
    "describe: a key that a part passes on is explained by whatever name, and by its own text",
    "[unit][report]") {
  static constexpr PartDescription part{.kind = PartKind::loader,
                                        .name = "mine",
                                        .summary = "Yours.",
                                        .external = true,
                                        .free_keys = "args."};
  static constexpr PartDescription step{
      .kind = PartKind::trainer, .name = "mine", .summary = "Yours.", .external = true};
  const PartRow rows[] = {{&part, {}, ""}, {&step, {}, ""}};
  const Catalog catalog(rows);
  for (const char* word : {"loader.args.size", "args.size", "mine.args.size"})
    CHECK_THAT(describe(word, catalog),
               Catch::StartsWith(
                   "loader.args.size (of loader mine)\n  Passed to `call` as the keyword size,"));
  for (const char* word : {"loader.args", "args", "loader.args."})
    CHECK_THAT(describe(word, catalog), Catch::Contains("the keyword NAME"));
  for (const char* word : {"argsize", "trainer.args.size", "loader.arg.size"})
    CHECK_THROWS_AS(describe(word, catalog), UsageError);
  const std::string text = describe("mine", catalog, 200);
  for (const char* key : {"loader.num_workers", "loader.batch_size", "loader.prefetch_factor",
                          "loader.in_order", "trainer.device", "trainer.intra_op_threads"}) {
    CHECK_THAT(text, Catch::Contains(key));
    CHECK_NOTHROW(describe(key, catalog));
  }
  CHECK_THAT(describe("noise", catalog),
             Catch::StartsWith("noise (word of a report)\n  How much identical trials"));
}

TEST_CASE("describe: topics list every term once, and what is given besides", "[unit][report]") {
  const Term more[] = {{"8", "exit code", "Nothing was valid."}};
  const std::string topics = describe_topics(80, more);
  for (const char* line : {"status of a trial\n  VALID, NOISY, INVALID, FAILED, SKIPPED, ABORTED\n",
                           "exit code\n  8\n", "severity\n  minor, moderate, high, critical\n",
                           "validity rule\n  R01, R02,"})
    CHECK_THAT(topics, Catch::Contains(line));
  std::istringstream lines(topics);
  for (std::string line; std::getline(lines, line);) CHECK(display_width(line) <= 80);
  CHECK(said_of("8", more) == "  Nothing was valid.\n");
  CHECK_THROWS_AS(describe("8", no_parts()), UsageError);
}

TEST_CASE(
    "describe: each heading of the topics is explained, "
    "by all words under it where it is none itself",
    "[unit][report]") {
  const Term more[] = {{"8", "exit code", "Nothing was valid."},
                       {"9", "exit code", "Nothing was asked."}};
  std::istringstream lines(describe_topics(80, more));
  int headings = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.front() == ' ') continue;
    INFO(line);
    ++headings;
    CHECK_NOTHROW(describe(line, no_parts(), 100, more));
  }
  CHECK(headings > 20);
  CHECK(describe("exit code", no_parts(), 100, more) ==
        "8 (exit code)\n  Nothing was valid.\n\n9 (exit code)\n  Nothing was asked.\n");
  CHECK_THAT(describe("severity", no_parts()),
             Catch::StartsWith("minor (severity)\n") && Catch::Contains("\ncritical (severity)\n"));
}

TEST_CASE("describe: a misspelt key gets the nearest key, not its section", "[unit][report]") {
  for (const auto& [word, meant] : {std::pair("loader.num_wrkers", "loader.num_workers"),
                                    {"loader.prefetch_factr", "loader.prefetch_factor"},
                                    {"trainer.devce", "trainer.device"},
                                    {"measure.windw", "measure.window"}}) {
    try {
      describe(word, no_parts());
      FAIL(word);
    } catch (const UsageError& e) {
      CHECK(e.hint() == "did you mean " + std::string(meant) + "?");
    }
  }
}

TEST_CASE("describe: a word in other capitals gets the right one", "[unit][report]") {
  try {
    describe("noisy", no_parts());
    FAIL("must throw");
  } catch (const UsageError& e) {
    CHECK(e.hint() == "did you mean NOISY?");
  }
}

}  // namespace describe_all
}  // namespace benchbench::test
