// The table of metrics: what each row says, and what stores and comparisons take from it.
#include <catch2/catch.hpp>
#include <set>

#include "harness/analysis/metrics/metric_fields.h"
#include "tests/metric_named.h"

namespace benchbench {
namespace metrics_test {

TEST_CASE(
    "metrics: each has a name of its own, a unit and a definition, and a column only of a value",
    "[unit][analysis]") {
  std::set<std::string_view> names;
  for (const Metric& metric : metrics()) {
    INFO(metric.name);
    CHECK(names.insert(metric.name).second);
    CHECK_FALSE(metric.unit.word.empty());
    CHECK(metric.definition.ends_with("."));
    CHECK_FALSE((metric.estimate && metric.number));
    CHECK((metric.column.title.empty() || metric.estimate || metric.number || metric.from_facts));
  }
  CHECK(rate_metric(Mode::trainer).symbol == "T");
}

TEST_CASE("metrics: a stored name ends with the unit, once", "[unit][analysis]") {
  CHECK(rate_metric(Mode::loader).field() == "loader_rate_samples_per_second");
  CHECK(find_metric("exposed_wait")->field() == "exposed_wait_ms");
  CHECK(find_metric("cache_share")->field() == "cache_share");
  CHECK(find_metric("read_bytes_per_sample")->field() == "read_bytes_per_sample");
  std::set<std::string> names;
  for (const EstimateField& f : estimate_fields()) CHECK(names.insert(f.name).second);
  for (const NumberField& f : number_fields()) CHECK(names.insert(f.name).second);
  CHECK(names.contains("exposed_wait_ms_p99"));
  CHECK(names.contains("peak_memory_bytes"));
  CHECK(names.size() == 32);
}

TEST_CASE("metrics: runs are compared by the job's rate first, by memory last",
          "[unit][analysis]") {
  std::vector<std::string_view> names;
  for (const Metric* metric : compared_metrics()) names.push_back(metric->name);
  CHECK(names == std::vector<std::string_view>{"pipeline_rate", "loader_rate", "trainer_rate",
                                               "exposed_wait", "startup", "first_batch",
                                               "peak_memory"});
  CHECK(find_metric("exposed_wait")->mode() == Mode::pipeline);
  CHECK(find_metric("headroom")->mode() == std::nullopt);
  CHECK(find_metric("startup")->mode() == std::nullopt);
}

TEST_CASE("metrics: percentiles are in ms, and a short window has none", "[unit][analysis]") {
  PointFindings point;
  const auto p99 = std::ranges::find(number_fields(), "exposed_wait_ms_p99", &NumberField::name);
  const auto p50 = std::ranges::find(number_fields(), "exposed_wait_ms_p50", &NumberField::name);
  CHECK(p50->value(point) == std::nullopt);
  point.exposed_wait = Distribution{};
  point.exposed_wait->p50 = 2'000'000;
  point.exposed_wait->p99 = std::nan("");
  CHECK(p50->value(point) == 2);
  CHECK(p99->value(point) == std::nullopt);
}

}  // namespace metrics_test
}  // namespace benchbench
