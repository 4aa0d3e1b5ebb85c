// Reports of wrapped scripts: findings made by hand, and a script with records.
#pragma once
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "harness/report/text/formats.h"
#include "tests/unit/analysis/python_run.h"
#include "tests/unit/report/told_findings.h"

namespace benchbench::told_script {

using test::PythonRun;
using test::ToldFindings;

struct Told : ToldFindings {
  Told() { plan.scenario.base.set("measure.class", test::words("stretch")); }
  PointFindings& add(Labels labels, double loader, double trainer, double pipeline,
                     bool settled = true, std::uint32_t rounds = 5) {
    PointFindings& p = ToldFindings::add(std::move(labels), loader, trainer, pipeline, rounds);
    if (p.rounds > 0) p.settled = settled;
    return p;
  }
  std::string part(std::string_view label) {
    said();
    for (const ConclusionPart& p : conclusion_parts(f, plan))
      if (p.label == label) return p.text;
    return "";
  }
};

inline bool has(const std::string& text, std::string_view words) {
  return text.find(words) != std::string::npos;
}
// L, T and F of a script whose epochs begin with workers that start.
struct Script : PythonRun {
  explicit Script(std::uint32_t of_rounds, double trainer_ms = 5) {
    rounds = of_rounds;
    plan.scenario.base = python_settings(2);
    plan.scenario.base.set("measure.class", test::words("stretch"));
    plan.scenario.base.set("loader.call", test::words("train_loader"));
    SettingsMap s = plan.scenario.base;
    const std::uint32_t at = point({}, s);
    fill(trial(at, Mode::loader), [&] { return self_timed(20, 2); }, {});
    fill(trial(at, Mode::trainer), [&] { return facts(ExternalWay::replayed, trainer_ms, 0, 0); },
         {});
    fill(
        trial(at, Mode::pipeline), [&] { return facts(ExternalWay::all_there, 20, 15, 2); },
        [](Facts& f) { f.epochs.gap_ns = 400'000'000, f.external->epoch_start_ns = 300'000'000; });
  }
  std::string printed(const char* format, bool detail = false) const {
    const Findings findings = this->findings();
    std::ostringstream out;
    TerminalStyle style;
    style.width = 200, style.detail = detail;
    find_report_format(format)->write(out, {findings, plan, records, "results/x", style});
    return out.str();
  }
};

}  // namespace benchbench::told_script
