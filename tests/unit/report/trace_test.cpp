#include "harness/report/trace.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "harness/core/error.h"
#include "harness/record/trace_events.h"

namespace benchbench::test {
namespace report_trace {

using nlohmann::json;

json parsed(const std::vector<TraceEvent>& events, std::string_view title = "resnet") {
  return json::parse(trace_json(trace_series(events), title));
}

json only(const json& trace, const std::string& phase) {
  json found = json::array();
  for (const json& event : trace.at("traceEvents"))
    if (event.at("ph") == phase) found.push_back(event);
  return found;
}

}  // namespace report_trace
using namespace report_trace;

TEST_CASE("trace: threads, spans and the counter as the format has them", "[unit][report]") {
  const json trace = parsed({{kTraceTrainer, 7, -250, 1'250},
                             {trace_track_of_worker(5), kTraceFill, -900, 900},
                             {kTraceTrainer, kTraceStep, 1'000, 5'000'001},
                             {kTraceTrainer, static_cast<int>(Stage::forward), 2'000, 4'000'000},
                             {kTraceQueue, kTraceDepth, 900, 3},
                             {trace_track_of_worker(1), kTraceFill, 0, 7'000}});
  const json spans = only(trace, "X");
  REQUIRE(spans.size() == 4);
  CHECK(spans[0]["name"] == "get_blocked");
  CHECK(spans[0]["ts"] == 0);  // cut at the window's begin
  CHECK(spans[0]["dur"] == 1.0);
  CHECK(spans[1]["dur"] == 5000.001);
  CHECK(spans[2]["name"] == "forward");
  CHECK(spans[2]["cat"] == "stage");
  CHECK(spans[3]["tid"] != spans[0]["tid"]);
  const json counters = only(trace, "C");
  REQUIRE(counters.size() == 1);
  CHECK(counters[0]["args"]["batches"] == 3);
  std::vector<std::string> names;
  for (const json& event : only(trace, "M"))
    if (event["name"] == "thread_name" || event["name"] == "process_name")
      names.push_back(event["args"]["name"]);
  CHECK(names == std::vector<std::string>{"resnet", "trainer", "worker 1"});
  for (const json& event : trace["traceEvents"])
    for (const char* key : {"ph", "name", "pid"}) CHECK(event.contains(key));
}

TEST_CASE("trace: no events and odd titles are still JSON", "[unit][report]") {
  CHECK(only(parsed({}), "X").empty());
  CHECK(only(parsed({}, "a \"b\"\n\\c"), "M")[0]["args"]["name"] == "a \"b\"\n\\c");
  CHECK_NOTHROW(parsed({}, "\xff not UTF-8"));
}

TEST_CASE("trace: what is no trace is told", "[unit][report]") {
  CHECK_THROWS_AS(trace_json(std::vector<std::int64_t>{1, 2, 3}, ""), StoreError);
}

}  // namespace benchbench::test
