// How the order is shuffled and how much is padding, said where it says something.
#include <catch2/catch.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/analysis/conclusion/analyse.h"
#include "harness/report/text/formats.h"
#include "tests/unit/analysis/made_run.h"

namespace benchbench::orders_report_test {

using nlohmann::json;

// Two points of one round, of which the second's facts are changed.
struct TwoOrders : test::MadeRun {
  explicit TwoOrders(const std::function<void(Facts&)>& base,
                     const std::function<void(Facts&)>& other) {
    const auto p = point({}, settings(2)),
               q = point({{"loader.access", "sequential"}}, settings(2));
    const auto first = trial(p, Mode::pipeline), second = trial(q, Mode::pipeline);
    rates(first, {1000, 1000});
    rates(second, {1000, 1000});
    for (TrialRecord& r : records) (r.planned.trial == first ? base : other)(r.facts);
  }
  std::string text(std::string_view format, bool detail = true) const {
    std::ostringstream out;
    find_report_format(format)->write(
        out, {analyse(plan, records), plan, records, "results/runs/made", {.detail = detail}});
    return out.str();
  }
};

void shuffled(Facts& f, double displacement, double together) {
  f.shuffle.displacement = displacement;
  f.shuffle.together = together;
}
void padded(Facts& f, std::uint64_t real, std::uint64_t padding) {
  f.elements.count = real;
  f.elements.padding = padding;
}
bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("report: shuffle quality is a column where points differ in it, and always in the JSON",
          "[unit][report]") {
  const TwoOrders differ([](Facts& f) { shuffled(f, 0.99, 0.001); },
                         [](Facts& f) { shuffled(f, 0, 1); });
  const std::string table = differ.text("terminal");
  CHECK(holds(table, "1 = random"));
  CHECK(holds(table, "0.99"));
  CHECK(holds(table, "100 %"));
  CHECK(holds(differ.text("markdown"), "neighbours"));
  CHECK(holds(
      differ.text("terminal", false),
      "shuffle   base 0.99 (0.1 % of neighbours together), access=sequential 0.00 (100 %)\n"));
  const json points = json::parse(differ.text("json")).at("points");
  CHECK(points[0].at("shuffle_displacement_ratio") == 0.99);
  CHECK(points[1].at("shuffle_together_share") == 1);

  const TwoOrders alike([](Facts& f) { shuffled(f, 0.99, 0.001); },
                        [](Facts& f) { shuffled(f, 1.0, 0.002); });
  CHECK_FALSE(holds(alike.text("terminal"), "1 = random"));
  CHECK_FALSE(holds(alike.text("terminal", false), "\nshuffle "));
  CHECK(json::parse(alike.text("json")).at("points")[0].at("shuffle_displacement_ratio") == 0.99);
}

TEST_CASE("report: padding and real tokens a second are told of tokens, and of nothing else",
          "[unit][report]") {
  const TwoOrders tokens([](Facts& f) { padded(f, 6'000'000, 4'000'000); },
                         [](Facts& f) { padded(f, 6'000'000, 0); });
  const json points = json::parse(tokens.text("json")).at("points");
  CHECK(points[0].at("padding_share").get<double>() == Approx(0.4));
  CHECK(points[1].at("padding_share") == 0);
  const double seconds = static_cast<double>(tokens.records.front().facts.window.ns) * 1e-9;
  CHECK(points[0].at("tokens_per_second").get<double>() == Approx(6e6 / seconds));
  const std::string table = tokens.text("terminal");
  CHECK(holds(table, "40 %"));
  CHECK(holds(table, "of tokens"));

  const TwoOrders images([](Facts&) {}, [](Facts&) {});
  CHECK_FALSE(holds(images.text("terminal"), "of tokens"));
  CHECK_FALSE(holds(images.text("terminal"), "tokens"));  // not even as "not measured"
  CHECK(json::parse(images.text("json")).at("points")[0].at("padding_share").is_null());
}

}  // namespace benchbench::orders_report_test
