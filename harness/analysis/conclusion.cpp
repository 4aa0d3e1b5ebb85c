#include "harness/analysis/conclusion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/analysis/gain.h"
#include "harness/analysis/point_summary.h"
#include "harness/analysis/severity.h"
#include "harness/analysis/verdict.h"

namespace benchbench {
namespace {

std::string ms(double value) { return human_duration(from_seconds(value * 1e-3)); }
std::string ms(const Measured& value) { return ms(value->value); }
std::string rate(const Measured& value) { return human_count(value->value) + " samples/s"; }

struct Reading {
  const Plan& plan;
  const JudgedTrials& trials;
  const Findings& findings;
  const PointFindings& at;  // the point spoken of
};

bool believed(const PointFindings& p, Mode mode) {
  const auto status = p.mode_status[static_cast<std::size_t>(mode)];
  return status && is_usable(*status);
}
bool judged(const PointFindings& p) { return p.side != Side::unknown || p.unclear; }

const PointFindings* find_subject(const Findings& f) {
  for (const auto& wanted : {std::optional<std::uint32_t>(0), f.best})
    if (wanted && *wanted < f.points.size() && judged(f.points[*wanted])) return &f.points[*wanted];
  const auto any = std::find_if(f.points.begin(), f.points.end(), judged);
  return any == f.points.end() ? nullptr : &*any;
}

// "Indicative (3 rounds, noisy): ", "". `rounds` are those of the numbers spoken of, not of the run.
std::string prefix(const Findings& f, const PointFindings& at, std::uint32_t rounds) {
  std::vector<std::string> qualities;
  const bool indicative = rounds < kFirmRounds;
  if (indicative) qualities.push_back(fmt::format("{} round{}", rounds, rounds == 1 ? "" : "s"));
  if (f.simulated) qualities.emplace_back("virtual time");
  if (at.status == Status::noisy) qualities.emplace_back("noisy");
  if (qualities.empty()) return "";
  return fmt::format("{} ({}): ", indicative ? "Indicative" : "Measured", fmt::join(qualities, ", "));
}

// All cores are busy: C is what the pipeline reaches.
bool cores_full(const PointFindings& p) {
  if (!p.cpu_rate || !p.loader_rate || !p.trainer_rate) return false;
  const double c = p.cpu_rate->value;
  return c <= std::min(p.loader_rate->value, p.trainer_rate->value) &&
         p.pipeline_rate->value >= kContention * c;
}

std::string cores_text(const Reading& r) {
  const double cores = r.findings.environment.cores_available;
  if (!(cores > 0)) return "all cores are busy";
  return cores == 1 ? "the one core is busy" : fmt::format("all {:g} cores are busy", cores);
}

std::string share_of_step(const Measured& cost, const Measured& step) {
  return fmt::format("{} of each {} step ({:.0f} %)", ms(cost), ms(step), 100 * cost->value / step->value);
}

// With how bad it is. Of the trainer's cost that is not said: a step that is all training is as it should be.
std::string severe_share(const Measured& cost, const Measured& step) {
  std::string text = share_of_step(cost, step);
  const auto severity = severity_of(cost->value / step->value);
  if (!severity.empty()) text.insert(text.size() - 1, fmt::format(", {}", severity));
  return text;
}

std::string verdict_text(const Reading& r) {
  const PointFindings& p = r.at;
  const std::string where = p.point == 0 ? "" : fmt::format(" at {}", p.name);
  switch (p.side) {
    case Side::loader:
      return fmt::format("the loader holds training back{}: it costs {}", where,
                         severe_share(p.side_cost_ms, p.step_ms));
    case Side::trainer:
      return fmt::format("the trainer is the limit{}: it costs {}", where,
                         share_of_step(p.side_cost_ms, p.step_ms));
    case Side::contention:
      return fmt::format("loader and trainer hinder each other{}: that costs {}", where,
                         severe_share(p.side_cost_ms, p.step_ms));
    case Side::balanced:
      return fmt::format("loader and trainer are balanced{}: neither alone costs {:.0f} % of the {} step",
                         where, 100 * min_share(p.rounds), ms(p.step_ms));
    case Side::unknown:
      break;
  }
  return fmt::format("no side can be named{}: the rounds differ too much to say what costs the {} step",
                     where, ms(p.step_ms));
}

const Point& point_of(const Reading& r) { return r.plan.points[r.at.point]; }
std::int64_t workers_of(const Point& p) {
  return integer_setting(p.settings, "loader.num_workers").value_or(0);
}

Measured speed_up(const Reading& r, const Point& other) {
  const auto from = trial_of(point_of(r), Mode::pipeline), to = trial_of(other, Mode::pipeline);
  if (!from || !to) return std::nullopt;
  return ratio_within_rounds(r.trials.log_rates(*to), r.trials.log_rates(*from));
}

bool is_gain(const Estimate& e) { return e.value >= 1 + min_share(e.n) && (e.n < 2 || e.low > 1); }

struct MoreWorkers {
  const Point* point = nullptr;
  Estimate speed_up;
};

// The fastest of the measured points that differ in having more workers only.
MoreWorkers more_workers(const Reading& r) {
  MoreWorkers best;
  const std::string shared = settings_but_workers(point_of(r));
  for (const Point& other : r.plan.points) {
    if (workers_of(other) <= workers_of(point_of(r)) || settings_but_workers(other) != shared) continue;
    const Measured e = speed_up(r, other);
    if (e && (!best.point || e->value > best.speed_up.value)) best = {&other, *e};
  }
  return best;
}

// Without workers loading and training take turns, so whichever is slower is the side, and one worker could
// run them at once: at most min(L, T, C), which is what the overlap's efficiency is a share of.
std::string one_worker_text(const Reading& r) {
  const double factor = 1 / r.at.overlap_efficiency->value;
  return fmt::format("one worker could {}: up to {} samples/s ({:.2f}x; num_workers=1 was not measured)",
                     factor >= 1 + min_share(r.at.rounds) ? "overlap them" : "hardly speed it up",
                     human_count(r.at.pipeline_rate->value * factor), factor);
}

// No more workers than `workers`, one at least, were measured, and cores are left.
std::string unmeasured_text(Side side, std::int64_t workers) {
  if (side == Side::trainer) return "more workers will not help";
  return side == Side::loader
             ? fmt::format("more workers may help (num_workers={} was not measured)", 2 * workers)
             : fmt::format("whether more workers help was not measured (num_workers={} would tell)",
                           2 * workers);
}

std::string workers_text(const Reading& r, const MoreWorkers& more) {
  const double factor = more.speed_up.value;
  if (more.point && is_gain(more.speed_up))
    return fmt::format("more workers help ({} is {:.2f}x as fast)", more.point->name(), factor);
  if (r.at.side == Side::unknown) return "more rounds must be measured before anything is changed";
  const std::string full = cores_full(r.at) ? cores_text(r) + ", so " : "";
  if (more.point) {
    const bool in_noise = factor >= 1 + min_share(more.speed_up.n);
    if (!in_noise && full.empty() && more.speed_up.n > 1 && more.speed_up.high >= 1 + min_share(more.speed_up.n))
      return fmt::format("whether more workers help is unclear ({} is {:.2f}x as fast, but the rounds differ too much)",
                         more.point->name(), factor);
    return fmt::format("{}more workers did not {}help ({} is {:.2f}x as fast{})", full,
                       in_noise ? "clearly " : "", more.point->name(), factor,
                       in_noise ? ", within the noise" : "");
  }
  if (!full.empty()) return full + "more workers will not help";
  if (workers_of(point_of(r)) == 0) return one_worker_text(r);
  return unmeasured_text(r.at.side, workers_of(point_of(r)));
}

std::string best_text(const Reading& r, const MoreWorkers& more) {
  if (!r.findings.best || r.plan.points.size() < 2) return "";
  const PointFindings& best = r.findings.points[*r.findings.best];
  if (best.point == r.at.point) return "; no other setting measured was faster by 2 %";
  const Measured e = speed_up(r, r.plan.points[best.point]);
  if (e && !is_gain(*e)) {
    const bool told = more.point && more.point->index == best.point;
    return told ? "; no other setting measured was faster"
                : fmt::format("; no setting measured was clearly faster (the best, {}: {:.2f}x)", best.name,
                              e->value);
  }
  if (more.point && more.point->index == best.point)
    return fmt::format("; that is the best setting measured, {}", rate(best.pipeline_rate));
  return fmt::format("; the best setting measured is {} with {}{}", best.name, rate(best.pipeline_rate),
                     e ? fmt::format(" ({:.2f}x)", e->value) : "");
}

// Where no side can be named at all.
std::string without_side(const Findings& f) {
  const auto best = [&](Measured PointFindings::*which, Mode mode) {
    const PointFindings* found = nullptr;
    for (const PointFindings& p : f.points)
      if (believed(p, mode) && p.*which && (!found || (p.*which)->value > (found->*which)->value)) found = &p;
    return found;
  };
  if (const auto* p = best(&PointFindings::pipeline_rate, Mode::pipeline)) {
    const std::string wait =
        p->exposed_wait_ms && p->step_ms
            ? fmt::format(" and waited {} for data", share_of_step(p->exposed_wait_ms, p->step_ms))
            : "";
    return fmt::format(
        "{}training ran at {} at best ({}){}; no side can be named, since loader and trainer were not "
        "measured "
        "alone",
        prefix(f, *p, p->pipeline_rate->n), rate(p->pipeline_rate), p->name, wait);
  }
  const auto* loader = best(&PointFindings::loader_rate, Mode::loader);
  const auto* trainer = best(&PointFindings::trainer_rate, Mode::trainer);
  if (!loader && !trainer) return "";
  const auto rounds = [](const PointFindings* p, Measured PointFindings::*rate) {
    return p ? (p->*rate)->n : ~0u;
  };
  std::string text = prefix(
      f, loader ? *loader : *trainer,
      std::min(rounds(loader, &PointFindings::loader_rate), rounds(trainer, &PointFindings::trainer_rate)));
  if (loader)
    text += fmt::format("the loader delivers {} at best ({})", rate(loader->loader_rate), loader->name);
  if (trainer)
    text += fmt::format("{}the trainer takes {} at best ({})", loader ? " and " : "",
                        rate(trainer->trainer_rate), trainer->name);
  const std::string_view missing = loader && trainer ? "they were not measured together"
                                   : loader          ? "the trainer was not measured"
                                                     : "the loader was not measured";
  return fmt::format("{}; {}, so no side can be named", text, missing);
}

std::string nothing_usable(const Findings& f) {
  const auto ran = f.count(Status::invalid) + f.count(Status::failed) + f.count(Status::skipped) + f.count(Status::aborted);
  if (ran == 0) return "Nothing was measured yet.";
  std::string counts;
  const auto add = [&](std::uint32_t n, std::string_view word) {
    if (n > 0) counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", n, word);
  };
  add(f.count(Status::failed), "failed");
  add(f.count(Status::invalid), "invalid");
  add(f.count(Status::aborted), "aborted");
  add(f.count(Status::skipped), "skipped");
  return fmt::format(
      "No trial gave a number to believe ({}), so nothing can be concluded; the reasons are listed above.",
      counts);
}

std::string sentence(std::string text) {
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z')
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
  return text + ".";
}

}  // namespace

std::string conclude(const Plan& plan, const JudgedTrials& trials, const Findings& findings) {
  const PointFindings* subject = find_subject(findings);
  if (subject) {
    const Reading r{plan, trials, findings, *subject};
    const MoreWorkers more = more_workers(r);
    return sentence(prefix(findings, *subject, subject->rounds) + verdict_text(r) + "; " +
                    workers_text(r, more) + best_text(r, more));
  }
  const std::string some = without_side(findings);
  return some.empty() ? nothing_usable(findings) : sentence(some);
}

}  // namespace benchbench
