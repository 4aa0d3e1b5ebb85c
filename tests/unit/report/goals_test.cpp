// measure.au_at_least: pass or fail, point by point.
#include <catch2/catch.hpp>

#include "harness/report/words/goal_words.h"

namespace benchbench::test {
namespace goals {

PointFindings point(const std::string& name, double trainer, double pipeline,
                    Status status = Status::valid) {
  PointFindings p;
  p.name = name;
  p.trainer_rate = Estimate{trainer, trainer, trainer, 3};
  p.pipeline_rate = Estimate{pipeline, pipeline, pipeline, 3};
  p.mode_status = {Status::valid, Status::valid, status};
  return p;
}

std::vector<std::string> lines(std::vector<PointFindings> points, const char* asked) {
  Findings findings;
  findings.points = std::move(points);
  Plan plan;
  if (asked)
    plan.scenario.base.set("measure.au_at_least", *Value::parse(ParameterType::real, asked));
  std::vector<std::string> all;
  for (const Note& n : goal_lines(findings, plan)) all.push_back((n.bad ? "! " : "") + n.text);
  return all;
}
using Lines = std::vector<std::string>;

TEST_CASE("goals: au is judged against what is asked, the limit included", "[unit][report]") {
  CHECK(lines({point("base", 100, 93)}, "0.9") == Lines{"au 0.930, at least 0.9 required: pass"});
  CHECK(lines({point("base", 100, 90)}, "0.9") == Lines{"au 0.900, at least 0.9 required: pass"});
  CHECK(lines({point("base", 100, 89.99)}, "0.9") ==
        Lines{"! au 0.899, at least 0.9 required: fail"});
  CHECK(lines({point("base", 100, 104)}, "0.9") == Lines{"au 1.000, at least 0.9 required: pass"});
  CHECK(lines({point("base", 100, 93)}, nullptr).empty());
}

TEST_CASE("goals: au is of the time in which the trainer's thread had a core", "[unit][report]") {
  PointFindings p = point("base", 100, 70);
  p.step_ms = Estimate{10, 10, 10, 3};
  p.core_wait_ms = Estimate{2.5, 2.5, 2.5, 3};
  // 70 / 0.75 of 100.
  CHECK(lines({p}, "0.93") == Lines{"au 0.933, at least 0.93 required: pass"});
  // Whatever is left over of a step would pass any goal.
  for (const double most : {5.1, 10.0}) {
    p.core_wait_ms = Estimate{most, most, most, 3};
    CHECK(lines({p}, "0.93") == Lines{"! au not measured, at least 0.93 required"});
  }
  p.core_wait_ms.reset();
  CHECK(lines({p}, "0.93") == Lines{"! au 0.700, at least 0.93 required: fail"});
}

TEST_CASE(
    "goals: of several points each has its line, and what is INVALID or missing passes nothing",
    "[unit][report]") {
  PointFindings missing = point("c", 100, 95);
  missing.pipeline_rate.reset();
  PointFindings unasked = point("d", 100, 95);
  unasked.mode_status[1].reset();
  CHECK(lines({point("a", 100, 95, Status::noisy), point("b", 100, 95, Status::invalid), missing,
               unasked},
              "0.9") == Lines{"a: au 0.950, at least 0.9 required: pass",
                              "! b: au not measured, at least 0.9 required",
                              "! c: au not measured, at least 0.9 required",
                              "! d: au not measured, at least 0.9 required"});
}

}  // namespace goals
}  // namespace benchbench::test
