// Findings made by hand, for what is said of them.
#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/analysis/conclusion/analyse.h"
#include "harness/analysis/conclusion/conclusion.h"
#include "harness/analysis/conclusion/job.h"
#include "harness/report/conclusion/conclusion_words.h"
#include "tests/unit/analysis/made_run.h"

namespace benchbench::test {

inline Estimate exactly(double value, std::uint32_t n = 5) { return {value, value, value, n}; }

struct ToldFindings {
  using Labels = std::vector<std::pair<std::string, std::string>>;
  Plan plan;
  Findings f;

  // A point whose three modes are VALID, in batches of 10: what its side takes and costs follows
  // from the rates. 0: not measured.
  PointFindings& add(Labels labels, double loader, double trainer, double pipeline,
                     std::uint32_t rounds = 5) {
    Point p;
    p.index = static_cast<std::uint32_t>(plan.points.size());
    p.labels = std::move(labels);
    p.settings.set("loader.num_workers", whole(2));
    for (const auto& [key, label] : p.labels)
      p.settings.set(key, key == "loader.num_workers" ? whole(std::stoll(label)) : words(label));
    for (const auto& [mode, rate] :
         {std::pair(Mode::loader, loader), std::pair(Mode::trainer, trainer),
          std::pair(Mode::pipeline, pipeline)})
      if (rate > 0) p.trials.emplace_back(mode, 0);
    plan.points.push_back(p);
    PointFindings out;
    out.point = p.index;
    out.name = p.name();
    const auto rate = [&](Measured& into, Mode mode, double value) {
      if (value <= 0) return;
      into = exactly(value, rounds);
      out.mode_status[static_cast<std::size_t>(mode)] = Status::valid;
    };
    rate(out.loader_rate, Mode::loader, loader);
    rate(out.trainer_rate, Mode::trainer, trainer);
    rate(out.pipeline_rate, Mode::pipeline, pipeline);
    out.batch_size = 10;
    if (pipeline > 0) out.step_ms = exactly(1e4 / pipeline, rounds);
    if (loader > 0 && trainer > 0 && pipeline > 0)
      name_side(out, loader, trainer, pipeline, rounds);
    f.points.push_back(std::move(out));
    return f.points.back();
  }

  static void name_side(PointFindings& p, double loader, double trainer, double pipeline,
                        std::uint32_t rounds) {
    p.rounds = rounds;
    p.headroom = exactly(loader / trainer, rounds);
    p.overlap_efficiency = exactly(pipeline / std::min(loader, trainer), rounds);
    p.side = loader < trainer ? Side::loader : Side::trainer;
    p.side_takes_ms = exactly(std::min(1e4 / std::min(loader, trainer), 1e4 / pipeline), rounds);
    p.side_cost_ms = exactly(1e4 / pipeline - 1e4 / std::max(loader, trainer), rounds);
  }

  void axis(std::string key, AxisOutcome outcome, std::string label = "", double ratio = 1,
            std::optional<double> detectable = {}, std::string why = "") {
    AxisEffect effect;
    effect.key = key;
    effect.outcome = outcome;
    for (const auto& [k, base] : plan.points.front().labels)
      if (k == key) effect.base_label = base;
    effect.detectable = detectable;
    effect.why = std::move(why);
    if (!label.empty()) {
      AxisValueEffect value;
      value.label = std::move(label);
      value.ratio = exactly(ratio);
      value.shown = outcome == AxisOutcome::gain   ? Shown::faster
                    : outcome == AxisOutcome::loss ? Shown::slower
                                                   : Shown::not_shown;
      for (const Point& p : plan.points)
        if (p.index > 0 &&
            std::ranges::find(p.labels, std::pair(key, value.label)) != p.labels.end())
          value.point = p.index;
      effect.values.push_back(value);
      effect.best = 0;
    }
    f.axes.push_back(std::move(effect));
  }

  Recommended& recommend(Choice choice, std::uint32_t point = 0, Estimate ratio = exactly(1)) {
    Recommended r;
    r.choice = choice;
    r.point = r.fastest = point;
    r.over_base.ratio = ratio;
    r.over_base.shown = choice == Choice::faster ? Shown::faster : Shown::same;
    r.compared = static_cast<std::uint32_t>(f.points.size()) - 1;
    f.recommended = r;
    return *f.recommended;
  }

  // As analyse() does at its end.
  void conclude(const Catalog* catalog = nullptr) {
    f.conclusion = benchbench::conclude(plan, f, catalog);
  }
  // Label and text of each part.
  std::vector<std::string> said() {
    conclude();
    if (job) f.conclusion.job = job_of(plan, f, *job);
    std::vector<std::string> all;
    for (const ConclusionPart& part : conclusion_parts(f, plan))
      all.push_back(std::string(part.label) + ": " + part.text);
    return all;
  }
  std::optional<JobAsked> job;
};

namespace told {

using Lines = std::vector<std::string>;

inline const ToldFindings::Labels kTwo{{"loader.num_workers", "2"}},
    kFour{{"loader.num_workers", "4"}}, kNone{{"loader.num_workers", "0"}};

// The text of one part of what was said; "" where it was not.
inline std::string part(const Lines& said, std::string_view label) {
  for (const std::string& line : said)
    if (line.starts_with(std::string(label) + ": ")) return line.substr(label.size() + 2);
  return "";
}

}  // namespace told
}  // namespace benchbench::test
