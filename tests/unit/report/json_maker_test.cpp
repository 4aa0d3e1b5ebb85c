// Documents as JSON by the visitors of their types, and their schemas.
#include <catch2/catch.hpp>
#include <limits>

#include "harness/analysis/statistics/estimate.h"
#include "harness/report/machines/report_document.h"
#include "tests/unit/report/told_findings.h"
#include "tests/unit/report/values_of.h"

namespace benchbench::json_maker_test {

struct Part {
  Measured ms;
  std::optional<std::uint32_t> worker;
  std::string note;
};
struct Document {
  std::vector<Part> parts;
  Mode mode = Mode::loader;
  double scale = 1;
};

void visit_fields(const Part& p, auto&& visit) {
  visit("ms", p.ms);
  visit("worker", p.worker, "By number.");
  visit("note", if_any(p.note));
  visit("scaled", [&](const Document& d) { return p.ms.value().value * d.scale; });
}
void visit_fields(const Document& d, auto&& visit) {
  visit("parts", d.parts);
  visit("mode", d.mode);
  visit("named", Members<int>{{{"z", 1}, {"a", 2}}});
  visit("inner", Fields{[&](auto&& inner) { inner("scale", d.scale); }});
}

TEST_CASE("json maker: a document is what its visitors say", "[unit][report]") {
  const Document d{
      {{Estimate{2, 1, 3, 4}, 7, "late"}, {Estimate{1, 1, 1, 1}, {}, ""}}, Mode::trainer, 10};
  CHECK(json_text(make_json(d), -1) ==
        R"({"parts":[{"ms":{"value":2.0,"low":1.0,"high":3.0,"n":4},"worker":7,"note":"late",)"
        R"("scaled":20.0},{"ms":{"value":1.0,"low":1.0,"high":1.0,"n":1},"worker":null,)"
        R"("scaled":10.0}],"mode":"trainer","named":{"z":1,"a":2},"inner":{"scale":10.0}})");
}

TEST_CASE("json maker: a number that is none is null, in estimates too", "[unit][report]") {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const JsonValue e = make_json(Estimate{1, kNone, std::numeric_limits<double>::infinity(), 2});
  CHECK(e["low"].is_null());
  CHECK(e["high"].is_null());
  CHECK(e["value"] == 1.0);
}

TEST_CASE("json maker: the schema follows from the same visitors and calls nothing",
          "[unit][report]") {
  SchemaMaker<Document> maker;
  const JsonValue schema = maker.make(Document{});
  const JsonValue& part = schema["properties"]["parts"]["items"];
  CHECK(part["required"] == JsonValue{"ms", "worker", "scaled"});
  CHECK(part["properties"]["ms"]["anyOf"][0]["$ref"] == "#/$defs/estimate");
  CHECK(part["properties"]["worker"] ==
        JsonValue{{"type", {"integer", "null"}}, {"minimum", 0}, {"description", "By number."}});
  CHECK(part["properties"]["scaled"]["type"] == "number");
  CHECK(schema["properties"]["mode"]["enum"] == JsonValue{"loader", "trainer", "pipeline"});
  CHECK(maker.definitions()["estimate"]["required"] == JsonValue{"value", "low", "high", "n"});
}

TEST_CASE("json: a command's own member stands at the end of the report", "[unit][report]") {
  test::ToldFindings t;
  t.add({}, 100, 500, 100, 3);
  t.said();
  const JsonValue ending{{"reason", "answer"}};
  ReportInput in{t.f, t.plan, {}, "", {}};
  in.added = {{"ending", &ending}};
  const JsonValue all = report_document(in);
  CHECK(all["ending"] == ending);
  CHECK((--all.end()).key() == "ending");
}

}  // namespace benchbench::json_maker_test
