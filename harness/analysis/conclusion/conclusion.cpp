#include "harness/analysis/conclusion/conclusion.h"

#include <algorithm>

#include "harness/analysis/choice/another_job.h"
#include "harness/analysis/conclusion/next_step.h"
#include "harness/analysis/faults/external_findings.h"
#include "harness/analysis/rates/verdict.h"
#include "harness/analysis/rules/rules.h"
#include "harness/analysis/summary/gain.h"
#include "harness/analysis/summary/point_summary.h"
#include "harness/core/contains.h"
#include "harness/record/setting_keys.h"
#include "harness/record/store_presets.h"

namespace benchbench {
namespace {

bool judged(const PointFindings& p) { return p.side != Side::unknown || p.unclear; }

std::optional<std::uint32_t> find_subject(const Plan& plan, const Findings& f) {
  const auto to_use = other_point_to_use(f);
  for (const auto& wanted : {std::optional<std::uint32_t>(0), to_use})
    if (wanted && *wanted < f.points.size() && judged(f.points[*wanted])) return wanted;
  const auto any = std::ranges::find_if(f.points, [&](const PointFindings& p) {
    return judged(p) && !is_for_another_device(plan, p.point);
  });
  return any == f.points.end() ? std::nullopt : std::optional(any->point);
}

bool cores_full(const PointFindings& p) {
  if (!p.cpu_rate || !p.loader_rate || !p.trainer_rate || !p.pipeline_rate) return false;
  const double c = p.cpu_rate->value;
  return c <= std::min(p.loader_rate->value, p.trainer_rate->value) &&
         p.pipeline_rate->value >= kContention * c;
}

std::optional<std::uint32_t> fastest(const Plan& plan, const Findings& f, Mode mode) {
  std::optional<std::uint32_t> found;
  double most = 0;
  for (const PointFindings& p : f.points)
    if (const Measured rate = usable_rate(p, mode);
        rate && rate->value > most && !is_for_another_device(plan, p.point))
      found = p.point, most = rate->value;
  return found;
}

bool is_mock(const Plan& plan, const Catalog* catalog, PartKind kind, const Point& point) {
  const std::string section(name_of(kind));
  const Value* use = point.settings.find(section + ".use");
  if (!use) return false;
  if (contains(plan.scenario.mocks, section + "=" + use->text())) return true;
  // Older plans do not have it.
  const PartRow* row = catalog ? catalog->find(kind, use->text()) : nullptr;
  return row && row->description->mock;
}

// True if the side runs, alone or in the pipeline.
bool runs(const Point& point, Mode side) {
  return trial_of(point, side) || trial_of(point, Mode::pipeline);
}

// Modes by what they run: a trainer that is a mock makes no what-if of the loader alone. What is
// held against another device has its own words.
bool is_what_if(const Plan& plan, const Findings& f, const Catalog* catalog) {
  if (f.simulated) return true;
  return std::ranges::any_of(plan.points, [&](const Point& point) {
    if (is_for_another_device(plan, point.index)) return false;
    return (runs(point, Mode::loader) && (is_mock(plan, catalog, PartKind::loader, point) ||
                                          emulated_figures(point.settings))) ||
           (runs(point, Mode::trainer) && is_mock(plan, catalog, PartKind::trainer, point));
  });
}

// None with more workers, and else as the subject, is shown to be faster or might be.
bool more_workers_failed_or_unmeasured(const Plan& plan, const Findings& f, std::uint32_t subject) {
  const Point& point = plan.points[subject];
  for (const AxisEffect& axis : f.axes)
    for (const AxisValueEffect& v : axis.values) {
      if (v.point >= plan.points.size() || v.shown != Shown::faster) continue;
      const Point& other = plan.points[v.point];
      if (workers_of(other) > workers_of(point) &&
          settings_but_workers(other) == settings_but_workers(point))
        return false;
    }
  const auto to_use = other_point_to_use(f);
  return !to_use || workers_of(plan.points[*to_use]) <= workers_of(point);
}

std::uint32_t headroom_point(const Findings& f, std::uint32_t subject) {
  const auto to_use = other_point_to_use(f);
  return to_use && f.points[*to_use].headroom ? *to_use : subject;
}

// Headroom on a fast storage says nothing of a slow one.
std::optional<std::uint32_t> least_headroom(const Plan& plan, const Findings& f, std::uint32_t of) {
  const Measured& known = f.points[of].headroom;
  if (!known) return std::nullopt;
  double least = known->value;
  std::optional<std::uint32_t> found;
  for (const PointFindings& p : f.points) {
    const bool unclear = p.headroom && p.headroom->value < 1 && p.side == Side::trainer;
    if (!p.headroom || unclear || p.headroom->value >= least ||
        headroom_word(p.headroom) == headroom_word(known) ||
        !differ_in_conditions_alone(plan.points[of].settings, plan.points[p.point].settings))
      continue;
    least = p.headroom->value;
    found = p.point;
  }
  return found;
}

// What decides which samples a data set has; its format and storage do not.
bool of_content(std::string_view key) {
  return key == keys::dataset.path || key.starts_with("dataset.columns.") ||
         key.starts_with("dataset.synthesize.");
}

bool same_data(const Plan& plan, std::uint32_t point) {
  const SettingsMap &there = plan.points[point].settings, &base = plan.points[0].settings;
  const auto all_in = [](const SettingsMap& a, const SettingsMap& b) {
    return std::ranges::all_of(a.all(), [&](const auto& row) {
      const Value* other = of_content(row.first) ? b.find(row.first) : nullptr;
      return !of_content(row.first) || (other && other->text() == row.second.text());
    });
  };
  return all_in(there, base) && all_in(base, there);
}

void add_times(const Plan& plan, const Findings& f, Conclusion& out) {
  if (f.points.empty()) return;
  out.epoch_seconds = epoch_seconds(f, 0);
  if (const auto shorter = time_after(plan, f); out.epoch_seconds && shorter)
    out.epoch_seconds_after = *out.epoch_seconds * *shorter;
}

// Whose workers a setting that is kept, advised or to be tried is of.
std::string real_loader(const Plan& plan, const Catalog* catalog, const Point& point) {
  const Value* use = point.settings.find(keys::loader.use);
  return use && !is_mock(plan, catalog, PartKind::loader, point) ? use->text() : "";
}

bool speaks_of_workers(const Plan& plan, const Findings& f, const Next& next) {
  if (next.kind == NextKind::more_workers ||
      (next.advice && next.advice->key == keys::loader.num_workers))
    return true;
  if (!f.recommended) return false;
  const auto sweeps_workers = [](const Axis& axis) {
    return axis.key == keys::loader.num_workers || axis.key == keys::loader.prefetch_factor;
  };
  return std::ranges::any_of(plan.scenario.axes, sweeps_workers);
}

bool is_above_a_side(const PointFindings& p) {
  const Measured &efficiency = p.overlap_efficiency, &f = p.pipeline_rate, &l = p.loader_rate,
                 &t = p.trainer_rate;
  if (!efficiency || !f || !l || !t || f->value <= kAboveASide * std::min(l->value, t->value))
    return false;
  return efficiency->value > kAboveASide && efficiency->low > 1;
}

Doubt doubt_of(const PointFindings& p) {
  if (p.settled.value_or(true)) return Doubt::none;
  if (is_above_a_side(p)) return Doubt::above_a_side;
  return p.rounds < kCertainRounds ? Doubt::few_rounds : Doubt::sides_alike;
}

}  // namespace

Headroom headroom_word(const Measured& headroom) {
  if (!headroom) return Headroom::not_measured;
  if (headroom->value < 1) return Headroom::too_little;
  return headroom->value < kAmpleHeadroom ? Headroom::narrow : Headroom::ample;
}

bool workers_wait_for_lock(const PointFindings& p) {
  return p.lock_wait_ms && p.step_ms && *p.lock_wait_ms >= kLargePart * p.step_ms->value;
}

bool is_held_back_by_lock(const PointFindings& p) {
  if (!workers_wait_for_lock(p) || p.side == Side::trainer) return false;
  return p.exposed_wait_ms && p.exposed_wait_ms->value >= kLargePart * p.step_ms->value;
}

Measured usable_rate(const PointFindings& point, Mode mode) {
  if (!point.is_usable_in(mode)) return std::nullopt;
  const Measured& rate = mode == Mode::loader    ? point.loader_rate
                         : mode == Mode::trainer ? point.trainer_rate
                                                 : point.pipeline_rate;
  return rate && rate->value > 0 ? rate : std::nullopt;
}

Side side_by_wait(const PointFindings& p) {
  const bool both = usable_rate(p, Mode::loader) && usable_rate(p, Mode::trainer);
  if (!usable_rate(p, Mode::pipeline) || both || !p.exposed_wait_ms || !p.step_ms)
    return Side::unknown;
  const double waited = p.exposed_wait_ms->value / p.step_ms->value;
  return waited > 0.5 ? Side::loader : waited < kWorth ? Side::trainer : Side::unknown;
}

namespace {

const JobTime* job_at(const Findings& f, std::uint32_t point) {
  const ExternalPoint* seen = f.external.at(point);
  return seen && seen->job && seen->job->rate > 0 ? &*seen->job : nullptr;
}

// An epoch's time beyond its steps: all that a wrapped script does outside of them, where that was
// seen, else the gap until the next one.
double extra_seconds(const Findings& f, std::uint32_t point) {
  const JobTime* job = job_at(f, point);
  if (!job) return f.points[point].epoch_gap_ms.value_or(0) * 1e-3;
  return job->seconds_a_sample * static_cast<double>(*f.epoch_samples);
}

}  // namespace

std::optional<double> epoch_seconds(const Findings& f, std::uint32_t point) {
  const Measured rate = usable_rate(f.points[point], Mode::pipeline);
  if (!f.epoch_samples || *f.epoch_samples == 0 || !rate) return std::nullopt;
  const auto samples = static_cast<double>(*f.epoch_samples);
  if (const JobTime* job = job_at(f, point)) return samples / job->rate;
  return samples / rate->value + extra_seconds(f, point);
}

// A point whose windows saw no epoch end is taken to have the base's gap; what is outside of the
// steps stays.
std::optional<double> time_after(const Plan& plan, const Findings& f) {
  const auto faster = pipeline_gain(plan, f);
  if (!faster) return std::nullopt;
  const auto epoch = epoch_seconds(f, 0);
  if (!epoch) return 1 / *faster;
  const double gap = f.points[0].epoch_gap_ms.value_or(0),
               then = f.points[*other_point_to_use(f)].epoch_gap_ms.value_or(gap),
               extra = extra_seconds(f, 0);
  return ((*epoch - extra) / *faster + extra + (then - gap) * 1e-3) / *epoch;
}

bool is_of_one_round(const Recommended& r) noexcept {
  return r.choice == Choice::no_difference_shown && r.next && r.over_next.ratio &&
         r.over_next.ratio->n < 2;
}

std::optional<std::uint32_t> other_point_to_use(const Findings& f) {
  if (!f.recommended || f.recommended->point == 0 || f.recommended->point >= f.points.size())
    return std::nullopt;
  return f.recommended->point;
}

bool is_choice_certain(const Findings& f) {
  return other_point_to_use(f) && f.recommended->over_base.ratio &&
         f.recommended->over_base.ratio->n >= kCertainRounds;
}

bool has_fault(const Findings& f, ExternalFault fault) {
  return contains(f.external.findings, fault, &ExternalFinding::fault);
}

const ExternalPoint* external_subject(const Findings& f) {
  if (const ExternalPoint* used = f.external.at(other_point_to_use(f).value_or(0))) return used;
  return f.external.points.empty() ? nullptr : &f.external.points.front();
}

std::vector<const ExternalFinding*> advised_findings(const Findings& f) {
  std::vector<const ExternalFinding*> advised;
  if (const ExternalPoint* at = external_subject(f))
    for (const ExternalFinding& found : f.external.findings)
      if (found.point == at->point) advised.push_back(&found);
  return advised;
}

const ExternalFinding* first_advised(const Findings& f) {
  if (other_point_to_use(f)) return nullptr;
  const auto advised = advised_findings(f);
  return advised.empty() ? nullptr : advised.front();
}

std::optional<double> pipeline_gain(const Plan& plan, const Findings& f) {
  const auto to_use = other_point_to_use(f);
  if (!to_use || f.recommended->mode != Mode::pipeline || !same_data(plan, *to_use))
    return std::nullopt;
  const Measured now = usable_rate(f.points[0], Mode::pipeline),
                 then = usable_rate(f.points[*to_use], Mode::pipeline);
  if (!now || !then) return std::nullopt;
  const Measured& paired = f.recommended->over_base.ratio;
  return paired && paired->value > 0 ? paired->value : then->value / now->value;
}

namespace {

void add_headroom(const Plan& plan, const Findings& f, std::uint32_t subject, Conclusion& out) {
  out.headroom_of = headroom_point(f, subject);
  out.headroom = headroom_word(f.points[out.headroom_of].headroom);
  out.least_headroom_of = least_headroom(plan, f, out.headroom_of);
}

void add_subject(const Plan& plan, const Findings& f, const PointFindings& at, Conclusion& out) {
  out.doubt = doubt_of(at);
  // Other settings are compared by their own rounds, whatever settles the side.
  const bool compared = wraps_script(plan) && other_point_to_use(f) && !is_choice_certain(f);
  if (compared && out.doubt == Doubt::none) out.doubt = Doubt::few_rounds;
  const bool certain = out.doubt == Doubt::none;
  if (certain && at.side_cost_ms && at.step_ms &&
      (at.side == Side::loader || at.side == Side::contention))
    out.severity = severity_of(at.side_cost_ms->value / at.step_ms->value);
  out.cores_busy = cores_full(at);
  out.workers_will_not_help = certain && at.side == Side::trainer &&
                              workers_of(plan.points[at.point]) > 0 &&
                              more_workers_failed_or_unmeasured(plan, f, at.point);
  add_headroom(plan, f, at.point, out);
}

void add_fastest(const Plan& plan, const Findings& f, Conclusion& out) {
  out.fastest_loader = fastest(plan, f, Mode::loader);
  out.fastest_trainer = fastest(plan, f, Mode::trainer);
  out.fastest_pipeline = fastest(plan, f, Mode::pipeline);
}

}  // namespace

Conclusion conclude(const Plan& plan, const Findings& f, const Catalog* catalog) {
  Conclusion out;
  out.what_if = is_what_if(plan, f, catalog);
  out.subject = find_subject(plan, f);
  add_times(plan, f, out);
  if (out.subject)
    add_subject(plan, f, f.points[*out.subject], out);
  else
    add_fastest(plan, f, out);
  out.next = next_step(plan, f, out, catalog);
  // Said of the base, it would be contradicted where the point to use needs more of them.
  if (out.next.kind == NextKind::more_workers) out.workers_will_not_help = false;
  if (plan.points.empty() || !speaks_of_workers(plan, f, out.next)) return out;
  // The user's own loader is the one that was measured.
  const Point& used = plan.points[other_point_to_use(f).value_or(0)];
  if (!loads_over_there(used, f.external)) out.holds_for = real_loader(plan, catalog, used);
  return out;
}

}  // namespace benchbench
