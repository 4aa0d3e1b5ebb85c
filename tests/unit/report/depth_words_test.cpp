// What the last paragraph says of other depths and orders, word for word.
#include <catch2/catch.hpp>

#include "harness/report/text/text_table.h"
#include "harness/report/words/depth_words.h"
#include "harness/report/words/surroundings.h"
#include "tests/unit/report/told_findings.h"

namespace benchbench {
namespace depth_words_test {

using test::exactly;
using test::ToldFindings;
using namespace test::told;

// 4 workers, in order, prefetch_factor 2: steps of 20 ms, foretold as 20.2; of other depths and of
// any order as told.
DepthForetold foretold(double deeper, double any_order) {
  DepthForetold d;
  d.measured = {4, 2, true, 20.2, 18, 21};
  d.measured_ms = 20;
  for (const std::uint32_t depth : {1u, 2u, 4u, 8u})
    for (const bool in_order : {true, false})
      d.steps.push_back(
          {4, depth, in_order, in_order ? (depth < 4 ? 20.2 : deeper) : any_order, 18, 21});
  return d;
}

std::string told(DepthForetold d, bool swept = false) {
  ToldFindings t;
  t.add({}, 1000, 100, 99);
  if (swept) t.axis("loader.prefetch_factor", AxisOutcome::not_shown, "4", 1.01, 0.05);
  t.f.depths = {std::move(d)};
  return part(t.said(), "depth");
}

TEST_CASE(
    "conclusion: a depth that would make the step 2 % shorter is named, the least of those alike",
    "[unit][report]") {
  CHECK(told(foretold(18.18, 15)) ==
        "With prefetch_factor: 4 a step would be 10 % shorter, 18 ms in place of 20 ms, by the "
        "times that batches took in the workers.");
  DepthForetold torch = foretold(18.18, 15);
  torch.torch = true;
  CHECK(told(torch).starts_with("With prefetch_factor=4 a step would be 10 % shorter, "));
}

TEST_CASE(
    "conclusion: where no depth helps, another order that would is named, if the loader has it",
    "[unit][report]") {
  CHECK(told(foretold(20, 16.16)) ==
        "With in_order: false and prefetch_factor: 1 a step would be 20 % shorter, 16 ms in place "
        "of 20 ms, by the times that batches took in the workers.");
  DepthForetold old_torch = foretold(20, 16.16);
  old_torch.torch = true, old_torch.can_be_any_order = false;
  CHECK(told(old_torch).starts_with("No other prefetch_factor would gain 2 %, by"));
  DepthForetold any = foretold(20, 16.16);
  any.measured.in_order = false;  // has that order; the other one is no advice
  for (ForetoldStep& s : any.steps) s.in_order = !s.in_order;
  CHECK(told(any).starts_with("No other prefetch_factor or in_order would gain 2 %, by"));
}

TEST_CASE(
    "conclusion: nothing to gain by depth or order is said; "
    "what was measured or cannot be foretold is not",
    "[unit][report]") {
  CHECK(told(foretold(20, 20)) ==
        "No other prefetch_factor or in_order would gain 2 %, by the times that batches took.");
  CHECK(told(foretold(18, 15), true) == "");
  DepthForetold off = foretold(18, 15);
  off.steps.clear();
  CHECK(told(off) == "");
  DepthForetold elsewhere = foretold(18, 15);
  elsewhere.point = 7;
  CHECK(told(elsewhere) == "");
}

TEST_CASE("conclusion: what is foretold to give enough is the next thing to try",
          "[unit][report]") {
  const auto next = [](DepthForetold d, double locked_ms = 0) {
    ToldFindings t;
    PointFindings& p = t.add({{"loader.num_workers", "4"}}, 100, 500, 100);
    p.exposed_wait_ms = exactly(80);
    if (locked_ms > 0) p.lock_wait_ms = locked_ms;
    t.f.depths = {std::move(d)};
    return part(t.said(), "next");
  };
  const std::string workers = "Try num_workers: 8, which was not measured.";
  CHECK(next(foretold(12.12, 12)) ==
        "Set loader.prefetch_factor to 4 (now 2), which lets the workers run ahead of slow "
        "batches.");
  CHECK(next(foretold(20.2, 12.12)) ==
        "Set loader.in_order to false (now true), so that a slow batch does not hold up the "
        "others.");
  CHECK(next(foretold(18.8, 18.8)) ==
        workers);  // 7 %: worth a line, and not the first thing to try
  CHECK(next(foretold(12.12, 12), 40).find("lock") != std::string::npos);
  DepthForetold other = foretold(12.12, 12);
  other.measured.prefetch = 0;  // loader.max_jobs, which has no name in prefetch_factor
  CHECK(next(other) == workers);
}

TEST_CASE("report: the line of depths has the settings that the loader knows", "[unit][report]") {
  DepthForetold d = foretold(18.18, 16.16);
  d.measured.prefetch = 0;
  CHECK(depth_line(d) ==
        "by the times of batches in the workers, which give the measured step within 1.0 %, a step "
        "takes 20.2 ms with prefetch_factor: 1 or 2, "
        "18.2 ms with prefetch_factor: 4 or 8; 16.2 ms with in_order: false and prefetch_factor: "
        "1; with the max_jobs that was measured, 18 ms if all "
        "batches took as long, 21 ms if their times were exponential");
}

TEST_CASE("report: of several points the line of depths names its own", "[unit][report]") {
  ToldFindings t;
  const auto line = [&t] {
    for (const auto& [name, text] : surroundings_of(t.f, t.plan, ""))
      if (name == "depth") return text.substr(0, text.find("by the times"));
    return std::string("none");
  };
  t.add(kTwo, 1000, 100, 99);
  t.f.depths = {foretold(18, 15)};
  CHECK(line().empty());
  t.add(kFour, 2000, 100, 99);
  CHECK(line() == "base: ");
  t.f.depths.push_back(foretold(18, 15));
  t.f.depths.back().point = 1;
  t.recommend(Choice::faster, 1, exactly(1.2));
  CHECK(line() == "num_workers=4: ");
}

}  // namespace depth_words_test
}  // namespace benchbench
