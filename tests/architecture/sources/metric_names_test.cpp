// A metric's name, and its name in stores, stand in the table of metrics alone: whatever prints or
// compares it takes it from there.
#include <catch2/catch.hpp>
#include <set>

#include "harness/analysis/metrics/metric_fields.h"
#include "tests/architecture/sources/source_file.h"

namespace benchbench::architecture {
namespace metric_names_test {

const char* const kTable = "harness/analysis/metrics/metrics.cpp";

// Words that are also a stage, a setting, a side, an outcome or a part of a conclusion.
const std::set<std::string> kOtherWords = {"step",       "step_ms", "batch_size", "core_wait",
                                           "contention", "gain",    "headroom"};

struct Exempt {
  const char* path;
  std::set<std::string> words;
  const char* reason;
};
const Exempt kExempt[] = {
    {"harness/analysis/alarms/alarm.h", {"exposed_wait"}, "the alarm, which is a share of time"},
    {"harness/analysis/compare/gates.h",
     {"first_batch", "startup"},
     "gates, which a command line names"},
    {"harness/record/fields.h",
     {"peak_memory_bytes", "shuffle_displacement", "shuffle_together"},
     "facts of one trial, in the journal"},
};

std::set<std::string> names_of_metrics() {
  std::set<std::string> names;
  for (const Metric& metric : metrics())
    if (metric.estimate || metric.number || metric.from_facts || metric.compared.value)
      names.insert({std::string(metric.name), metric.field()});
  for (const NumberField& field : number_fields()) names.insert(field.name);
  for (const std::string& word : kOtherWords) names.erase(word);
  return names;
}

bool is_exempt(const std::string& path, const std::string& word) {
  for (const Exempt& e : kExempt)
    if (path == e.path && e.words.contains(word)) return true;
  return path == kTable;
}

TEST_CASE("metrics: a metric is named in one product file", "[architecture]") {
  const std::set<std::string> names = names_of_metrics();
  CHECK(names.size() > 40);
  std::set<std::pair<std::string, std::string>> used;
  for (const SourceFile& file : sources_under({"harness", "scenarios", "mocks"}))
    for (const Literal& literal : literals_of(file)) {
      if (!names.contains(literal.text)) continue;
      used.emplace(file.path, literal.text);
      INFO(file.path << ":" << literal.line << ": \"" << literal.text
                     << "\" is a metric's: take it from " << kTable);
      CHECK(is_exempt(file.path, literal.text));
    }
  CHECK(used.contains({kTable, "exposed_wait"}));
  for (const Exempt& e : kExempt)
    for (const std::string& word : e.words) {
      INFO(e.path << ": " << word << " is exempt and not there");
      CHECK(used.contains({e.path, word}));
    }
}

TEST_CASE("metrics: the schema of the JSON report has every field of the table", "[architecture]") {
  const std::string schema = read_source("docs/report.schema.json");
  const auto has = [&](const std::string& name) {
    return schema.find("\"" + name + "\": {") != std::string::npos;
  };
  for (const EstimateField& field : estimate_fields()) CHECK(has(field.name));
  for (const NumberField& field : number_fields()) CHECK(has(field.name));
}

}  // namespace metric_names_test
}  // namespace benchbench::architecture
