#include "harness/report/conclusion_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "harness/analysis/verdict.h"
#include "harness/report/surroundings.h"

namespace benchbench {
namespace {

std::string each_ms(const Measured& value) { return human_duration(from_seconds(value->value * 1e-3)); }
std::string per_second(const Measured& value) { return human_count(value->value) + " samples/s"; }

// "Indicative (3 rounds, noisy): ", "". `rounds` are those of the numbers spoken of, not of the run.
std::string qualities_text(const Findings& f, const PointFindings& at, std::uint32_t rounds) {
  std::vector<std::string> qualities;
  const bool indicative = rounds < kFirmRounds;
  if (indicative) qualities.push_back(fmt::format("{} round{}", rounds, rounds == 1 ? "" : "s"));
  if (f.simulated) qualities.emplace_back("virtual time");
  if (at.status == Status::noisy) qualities.emplace_back("noisy");
  if (qualities.empty()) return "";
  return fmt::format("{} ({}): ", indicative ? "Indicative" : "Measured", fmt::join(qualities, ", "));
}

std::string share_of_step(const Measured& cost, const Measured& step, Severity severity = Severity::none) {
  return fmt::format("{} of each {} step ({:.0f} %{}{})", each_ms(cost), each_ms(step), 100 * cost->value / step->value,
                     severity == Severity::none ? "" : ", ", name_of(severity));
}

std::string side_text(const Findings& f, const PointFindings& p) {
  const std::string where = p.point == 0 ? "" : fmt::format(" at {}", p.name);
  const auto cost = [&] { return share_of_step(p.side_cost_ms, p.step_ms, f.conclusion.severity); };
  if (p.by_waits)
    return fmt::format("{}{}: it takes {}", p.side == Side::loader ? "the loader holds training back" : "the trainer is the limit",
                       where, share_of_step(p.side_takes_ms, p.step_ms));
  switch (p.side) {
    case Side::loader:
      return fmt::format("the loader holds training back{}: it costs {}", where, cost());
    case Side::trainer:
      return fmt::format("the trainer is the limit{}: it costs {}", where, cost());
    case Side::contention:
      return fmt::format("loader and trainer hinder each other{}: that costs {}", where, cost());
    case Side::balanced:
      return fmt::format("loader and trainer are balanced{}: neither alone costs {:.0f} % of the {} step",
                         where, 100 * min_share(p.rounds), each_ms(p.step_ms));
    case Side::unknown:
      break;
  }
  return fmt::format("no side can be named{}: the rounds differ too much to say what costs the {} step",
                     where, each_ms(p.step_ms));
}

// "all 2 cores are busy, so ", "".
std::string busy_text(const Findings& f) {
  if (!f.conclusion.cores_busy) return "";
  const double cores = f.environment.cores_available;
  if (!(cores > 0)) return "all cores are busy, so ";
  return cores == 1 ? "the one core is busy, so " : fmt::format("all {:g} cores are busy, so ", cores);
}

std::string one_worker_text(const PointFindings& p, std::string_view could) {
  const double factor = 1 / p.overlap_efficiency->value;
  return fmt::format("one worker could {}: up to {} samples/s ({:.2f}x; num_workers=1 was not measured)", could,
                     human_count(p.pipeline_rate->value * factor), factor);
}

std::string more_workers_text(const Findings& f, const PointFindings& p) {
  const Conclusion& c = f.conclusion;
  const std::string as_fast = c.more ? fmt::format("{} is {:.2f}x as fast", f.points[*c.more].name, c.more_speed_up.value) : "";
  switch (c.workers) {
    case MoreWorkers::help:
      return fmt::format("more workers help ({})", as_fast);
    case MoreWorkers::rounds_first:
      return "more rounds must be measured before anything is changed";
    case MoreWorkers::unclear:
      return fmt::format("whether more workers help is unclear ({}, but the rounds differ too much)", as_fast);
    case MoreWorkers::gain_in_noise:
      return fmt::format("{}more workers did not clearly help ({}, within the noise)", busy_text(f), as_fast);
    case MoreWorkers::did_not_help:
      return fmt::format("{}more workers did not help ({})", busy_text(f), as_fast);
    case MoreWorkers::will_not_help:
      return busy_text(f) + "more workers will not help";
    case MoreWorkers::one_overlaps:
      return one_worker_text(p, "overlap them");
    case MoreWorkers::one_hardly:
      return one_worker_text(p, "hardly speed it up");
    case MoreWorkers::may_help:
      return fmt::format("more workers may help (num_workers={} was not measured)", c.try_workers);
    case MoreWorkers::not_measured:
      break;
  }
  return fmt::format("whether more workers help was not measured (num_workers={} would tell)", c.try_workers);
}

std::string best_setting_text(const Findings& f) {
  const Conclusion& c = f.conclusion;
  const auto best = [&]() -> const PointFindings& { return f.points[*f.best]; };
  switch (c.best) {
    case BestSetting::unsaid:
      break;
    case BestSetting::is_this:
      return "; no other setting measured was faster by 2 %";
    case BestSetting::none_faster:
      return "; no other setting measured was faster";
    case BestSetting::none_clearly_faster:
      return fmt::format("; no setting measured was clearly faster (the best, {}: {:.2f}x)", best().name,
                         c.best_speed_up->value);
    case BestSetting::has_more_workers:
      return fmt::format("; that is the best setting measured, {}", per_second(best().pipeline_rate));
    case BestSetting::is_another:
      return fmt::format("; the best setting measured is {} with {}{}", best().name, per_second(best().pipeline_rate),
                         c.best_speed_up ? fmt::format(" ({:.2f}x)", c.best_speed_up->value) : "");
  }
  return "";
}

std::string pipeline_alone_text(const Findings& f, const PointFindings& p) {
  const std::string wait =
      p.exposed_wait_ms && p.step_ms
          ? fmt::format(" and waited {} for data", share_of_step(p.exposed_wait_ms, p.step_ms))
          : "";
  return fmt::format(
      "{}training ran at {} at best ({}){}; no side can be named, since loader and trainer were not measured alone",
      qualities_text(f, p, p.pipeline_rate->n), per_second(p.pipeline_rate), p.name, wait);
}

// Where no side can be named at all; empty where nothing is believed.
std::string without_side(const Findings& f) {
  const auto at = [&](const std::optional<std::uint32_t>& point) { return point ? &f.points[*point] : nullptr; };
  if (const auto* p = at(f.conclusion.fastest_pipeline)) return pipeline_alone_text(f, *p);
  const auto* loader = at(f.conclusion.fastest_loader);
  const auto* trainer = at(f.conclusion.fastest_trainer);
  if (!loader && !trainer) return "";
  const std::uint32_t rounds = std::min(loader ? loader->loader_rate->n : ~0u, trainer ? trainer->trainer_rate->n : ~0u);
  std::string text = qualities_text(f, loader ? *loader : *trainer, rounds);
  if (loader)
    text += fmt::format("the loader delivers {} at best ({})", per_second(loader->loader_rate), loader->name);
  if (trainer)
    text += fmt::format("{}the trainer takes {} at best ({})", loader ? " and " : "",
                        per_second(trainer->trainer_rate), trainer->name);
  const std::string_view missing = loader && trainer ? "they were not measured together"
                                   : loader          ? "the trainer was not measured"
                                                     : "the loader was not measured";
  return fmt::format("{}; {}, so no side can be named", text, missing);
}

std::string nothing_usable(const Findings& f) {
  const std::string counts = counts_text(f, {Status::failed, Status::invalid, Status::aborted, Status::skipped});
  if (counts.empty()) return "Nothing was measured yet.";
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

std::string conclusion_text(const Findings& f) {
  if (f.conclusion.subject) {
    const PointFindings& p = f.points[*f.conclusion.subject];
    return sentence(qualities_text(f, p, p.rounds) + side_text(f, p) + "; " + more_workers_text(f, p) + best_setting_text(f));
  }
  const std::string some = without_side(f);
  return some.empty() ? nothing_usable(f) : sentence(some);
}

}  // namespace benchbench
