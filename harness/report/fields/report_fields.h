// The members of a report's one JSON document. Their names carry units (_ms, _bytes,
// _samples_per_second, _share 0 to 1, _ratio); null is "not measured". Members may be added; none
// changes its meaning without another schema number. docs/report.schema.json is made from these.
#pragma once
#include <array>

#include "harness/report/conclusion/conclusion_words.h"
#include "harness/report/fields/choice_fields.h"
#include "harness/report/fields/conclusion_fields.h"
#include "harness/report/fields/cost_fields.h"
#include "harness/report/fields/drawn_series.h"
#include "harness/report/fields/point_fields.h"
#include "harness/report/fields/python_fields.h"
#include "harness/report/text/notes.h"
#include "harness/report/words/surroundings.h"
#include "harness/report/words/title.h"

namespace benchbench {

inline constexpr std::array<std::string_view, 1> kReportSchema{"benchbench.report/1"};

template <>
inline constexpr SchemaName kSchemaName<JudgedRecord>{"record"};

struct SeriesDrawn {
  std::uint32_t point = 0;
  std::uint64_t sequence = 0;
  DrawnSeries series;
};
inline std::vector<SeriesDrawn> all_drawn(const ReportInput& in) {
  std::vector<SeriesDrawn> all;
  for (const DrawnTrial& trial : drawn_trials(in))
    for (const auto* series : {&trial.steps, &trial.probes})
      for (const DrawnSeries& s : *series) all.push_back({trial.point, trial.record->sequence, s});
  return all;
}
void visit_fields(const SeriesDrawn& drawn, auto&& visit) {
  const DrawnSeries& s = drawn.series;
  const auto column = [&](double std::pair<double, double>::* which) {
    std::vector<double> values;
    for (const auto& value : s.values) values.push_back(value.*which);
    return values;
  };
  visit("point", name_point(drawn.point));
  visit("sequence", drawn.sequence);
  visit("series", s.name);
  visit("unit", s.unit);
  visit("kept", s.kept);
  visit("kept_every", s.kept_every);
  visit("at", column(&std::pair<double, double>::first), "At most 2,000, as `values`.");
  visit("values", column(&std::pair<double, double>::second));
}

inline std::vector<JudgedRecord> judge_records(const ReportInput& in) {
  std::vector<JudgedRecord> judged;
  for (const TrialRecord& record : in.records)
    judged.push_back({in.findings.judged->judgement_of(record), &record});
  return judged;
}
inline Members<double> stages_ms(const WindowFacts& window) {
  Members<double> stages;
  for (std::size_t s = 0; s < kStages; ++s)
    if (window.stages[s].count > 0)
      stages.all.emplace_back(name_of(static_cast<Stage>(s)),
                              static_cast<double>(window.stages[s].ns) * 1e-6);
  return stages;
}
void visit_window(const Facts& facts, auto&& visit) {
  const double seconds = window_seconds(facts);
  visit("window_s", seconds);
  visit("samples", facts.window.samples);
  visit("steps", facts.window.steps);
  visit("rate_samples_per_second", seconds > 0 ? std::optional(rate_of(facts)) : std::nullopt);
  visit(
      "stages_ms", [&] { return stages_ms(facts.window); },
      "Sums over the window, a loader's over all workers; what was not measured is absent.");
}
void visit_fields(const JudgedRecord& judged, auto&& visit) {
  static const TrialRecord none;
  const TrialRecord& r = judged.record ? *judged.record : none;
  visit("sequence", r.sequence);
  visit("trial", r.planned.trial);
  visit("mode", r.trial.mode);
  visit("points", [&](const ReportInput& in) {
    std::vector<std::string> names;
    for (const auto point : r.trial.points)
      if (point < in.plan.points.size()) names.push_back(in.plan.points[point].name());
    return names;
  });
  visit("round", r.planned.round);
  visit("repeat", r.planned.repeat);
  visit("ablation", r.trial.ablation.text());
  visit("status", judged.status);
  visit("reasons", judged.reasons);
  visit("started_at", r.started_at);
  visit_window(r.facts, visit);
}

// The schema's texts for fields of the environment.
constexpr std::string_view describe_environment(std::string_view field) noexcept {
  constexpr std::pair<std::string_view, std::string_view> kTexts[] = {
      {"allocator",
       "The C library of the process that ran the trials, and whether it keeps freed memory."},
      {"libtorch",
       "The torch that the torch parts ran with, and where it is from, such as \"2.11.0+cu130 with "
       "CUDA, of the active python\"; empty if the scenario has none of them."},
      {"cuda", "The driver: version of CUDA and its own; empty if there is none."},
      {"gpus", "Such as \"2 x NVIDIA H100 80GB HBM3\"; empty if there are none."},
      {"page_fault_ns",
       "Time of one small page that is touched for the first time; 0: not measured."}};
  const auto text =
      std::ranges::find(kTexts, field, &std::pair<std::string_view, std::string_view>::first);
  return text == std::end(kTexts) ? "" : text->second;
}
void visit_shown(const Environment& e, auto&& visit) {
  visit_environment(e, [&]<class T>(const EnvironmentField& field, const T& value, auto&&...) {
    if (field.reported.empty()) return;
    if constexpr (std::same_as<T, std::uint64_t>)
      visit(field.reported, above_0(value));  // 0: not known
    else if constexpr (!std::same_as<T, decltype(e.ceilings)>)
      visit(field.reported, value, describe_environment(field.reported));
  });
}

inline std::vector<std::string> problem_texts(const ReportInput& in) {
  std::vector<std::string> texts;
  for (const Note& problem : problem_lines(in.findings, in.plan)) {
    texts.push_back(problem.text);
    for (const std::string& line : problem.details) texts.back() += '\n' + line;
  }
  return texts;
}
inline std::vector<std::vector<std::string>> label_pairs(const Plan& plan) {
  std::vector<std::vector<std::string>> pairs;
  for (const auto& [key, value] : plan.labels) pairs.push_back({key, value});
  return pairs;
}

// The document up to its points.
void visit_head(const ReportInput& in, auto&& visit) {
  const Findings& f = in.findings;
  visit("schema", OneOf<kReportSchema>{kReportSchema.front()});
  visit("scenario", f.scenario);
  visit("question", f.question);
  visit("source", f.source);
  visit("run_folder", in.run_folder);
  visit("conclusion", conclusion_text(f, in.plan));
  visit("conclusion_values", Fields{[&](auto&& value) { visit_conclusion(in, value); }});
  visit("title", title_lines(f, in.plan));
  visit("labels", if_any(label_pairs(in.plan)),
        "Pairs of key and value, if the run was given some.");
  visit("indicative", f.indicative);
  visit("simulated", f.simulated);
  visit("rounds", f.rounds);
  visit("best_point", name_point(f.best));
}
void visit_comparisons(const Findings& f, auto&& visit) {
  visit("points", f.points);
  visit("recommended", f.recommended);
  visit("axes", f.axes);
  visit("over_base", Fields{[&](auto&& over) {
          over("mode", f.compared_mode);
          over("points", points_over_base(f));
        }},
        "Every point but the base against it, samples against samples.");
  visit("anchor_runs", f.anchor_runs);
}
void visit_machine(const Findings& f, auto&& visit) {
  visit("interference", f.interference);
  visit("trainer_rate_device", f.batch_on_device);
  visit("gpu", f.gpu, "Of the base's steps.");
  visit("probes", f.probes);
  visit("ceilings", f.ceilings);
  visit("alarms", f.alarms);
}
void visit_costs(const ReportInput& in, auto&& visit) {
  const Findings& f = in.findings;
  visit("steps", f.steps);
  visit("series", all_drawn(in));
  visit("step_identity", f.identity);
  visit("substitutions", f.substitutions);
  visit("timelines", f.timelines);
  visit("loader_work", f.loader_work);
  visit_machine(f, visit);
  visit("external", f.external.any ? &f.external : nullptr);
  visit("depth", f.depths);
  visit("ranks", compare_ranks(in.plan));
}
void visit_ground(const ReportInput& in, auto&& visit) {
  const Findings& f = in.findings;
  visit("aa_floor", f.aa_floor ? std::optional(NoiseFloor{*f.aa_floor}) : std::nullopt);
  visit("overhead_share", f.overhead_share);
  visit("trials", Fields{[&](auto&& count) {
          for (std::size_t s = 0; s < f.trials.size(); ++s) count(kStatusWords[s], f.trials[s]);
          count("missing", f.trials_missing);
        }});
  visit("records", judge_records(in));
  visit("warnings", warning_lines(f, in.plan));
  visit("problems", problem_texts(in));
  visit("faulty_samples", Fields{[&](auto&& samples) {
          samples("count", f.faulty_samples);
          samples("named", f.faults);
        }});
  visit("environment", f.environment);
}

void visit_fields(const ReportInput& in, auto&& visit) {
  visit_head(in, visit);
  visit_comparisons(in.findings, visit);
  visit_costs(in, visit);
  visit_ground(in, visit);
  for (const AddedMember& added : in.added) visit(added.name, IfAny<JsonValue>{*added.value});
}

}  // namespace benchbench
