#include "harness/report/external/external_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "harness/analysis/conclusion/answer.h"
#include "harness/analysis/conclusion/conclusion.h"
#include "harness/analysis/faults/external_findings.h"
#include "harness/report/external/external_words.h"
#include "harness/report/external/job_words.h"
#include "harness/report/text/cells.h"

namespace benchbench {
namespace {

constexpr std::size_t kWorkersNamed = 16;

std::string seen_ms(const std::optional<double>& ms) { return ms ? ms_text(*ms) : "not measured"; }

// "workers start 31 ms, first batch 250 ms; not measured: call, iter()".
std::string each_time(
    std::initializer_list<std::pair<std::string_view, std::optional<double>>> times) {
  std::string text, unseen;
  for (const auto& [name, ms] : times)
    if (ms)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, ms_text(*ms));
    else
      unseen += fmt::format("{}{}", unseen.empty() ? "not measured: " : ", ", name);
  return text + (text.empty() || unseen.empty() ? "" : "; ") + unseen;
}

std::string start_line(const ExternalPoint& p) {
  const std::string method = p.facts.kind == "iterable" ? "an iterable, taken as it is"
                             : p.workers == 0           ? "no workers"
                             : p.facts.start_method.empty()
                                 ? "start method not measured"
                                 : "start method " + p.facts.start_method;
  return fmt::format(
      "{}; {}", method,
      each_time({{"process", p.spawn_ms},
                 {"imports", p.import_ms},
                 {"call", p.call_ms},
                 {p.workers > 0 ? "start of the workers" : "iter()", p.workers_start_ms},
                 {"time to first batch", p.first_batch_ms}}));
}

std::string epochs_line(const ExternalPoint& p) {
  const bool starts = p.workers > 0 && !p.facts.persistent_workers.value_or(false);
  const std::string start =
      starts ? "start of the workers in later epochs" : "iter() of later epochs";
  const std::string gap = fmt::format(
      "gap between epochs {}{}", seen_ms(p.epoch_gap_ms),
      p.epoch_gap_ms && p.epoch_start_ms ? fmt::format(", {} {}", start, ms_text(*p.epoch_start_ms))
                                         : "");
  return gap + (p.facts.persistent_workers
                    ? fmt::format(", persistent_workers={}",
                                  *p.facts.persistent_workers ? "True" : "False")
                    : "");
}

std::string batch_line(const ExternalPoint& p) {
  if (!p.getitem_ms && !p.collate_ms && !p.handover_ms && !p.pin_ms) return "";
  return std::string(p.workers == 0 ? "" : "time of all workers for one: ") +
         each_time({{"__getitem__", p.getitem_ms},
                    {"collate", p.collate_ms},
                    {"hand-over", p.handover_ms},
                    {"pin", p.pin_ms},
                    {"measuring these", p.hooks_ms}});
}

std::string samples_line(const ExternalPoint& p) {
  if (p.workers == 0) return "";
  if (p.facts.workers.empty()) return "samples of each: not measured";
  std::string text = "samples of each:";
  for (std::size_t i = 0; i < std::min(p.facts.workers.size(), kWorkersNamed); ++i)
    text += fmt::format(" {}", p.facts.workers[i].samples);
  if (p.facts.workers.size() > kWorkersNamed)
    text += fmt::format(", {} more", p.facts.workers.size() - kWorkersNamed);
  return text;
}

std::string memory_line(const ExternalPoint& p) {
  const bool anew = p.epoch_gap_ms && !p.facts.persistent_workers.value_or(true);
  if (!p.memory_bytes)
    return fmt::format("memory of the workers not measured{}",
                       anew ? ": those of an epoch ended before a second look at them" : "");
  std::string text = fmt::format("{} of the workers (PSS)", human_bytes(*p.memory_bytes));
  if (!p.growth_per_sample_bytes) return text;
  const double slope = *p.growth_per_sample_bytes * 1000;
  return text + (std::abs(slope) < 1
                     ? ", which does not grow"
                     : fmt::format(", {} {} in 1,000 samples", human_bytes(std::abs(slope)),
                                   slope > 0 ? "more" : "less"));
}

std::string cores_line(const ExternalPoint& p) {
  std::string text =
      p.runnable_mean ? fmt::format("threads that run or wait: {:.1f} on average", *p.runnable_mean)
                      : "threads that run or wait not measured";
  if (p.runnable_mean && p.runnable_max) text += fmt::format(", {:.0f} at most", *p.runnable_max);
  if (p.cores > 0) text += fmt::format(", {:g} available", p.cores);
  if (p.facts.cpu_count) text += fmt::format(", os.cpu_count() {}", *p.facts.cpu_count);
  if (p.facts.threads) text += fmt::format(", torch threads {}", *p.facts.threads);
  if (!p.core_wait_loader_ms && !p.core_wait_main_ms)
    return text + "; wait for a core a step not measured";
  text += "; wait for a core a step: ";
  if (p.workers == 0) return text + "main process " + seen_ms(p.core_wait_main_ms);
  return text + each_time({{"workers together", p.core_wait_loader_ms},
                           {"main process", p.core_wait_main_ms}});
}

std::string shm_line(const ExternalPoint& p) {
  if (!p.facts.shm_free_bytes) return "free space not measured";
  std::string text = human_bytes(static_cast<double>(*p.facts.shm_free_bytes)) + " free";
  return p.facts.shm_bytes
             ? text + fmt::format(" of {}", human_bytes(static_cast<double>(*p.facts.shm_bytes)))
             : text;
}

// " (base and 2 more points)"; of a wrapped script only where it is of a copy of its loader.
std::string of_points(const Plan& plan, std::uint32_t point, std::size_t points) {
  if (wraps_script(plan))
    return point == 0 ? "" : fmt::format(" (with {})", plan.points[point].name());
  return fmt::format(" ({}{})", plan.points[point].name(),
                     points > 1 ? fmt::format(" and {}", counted(points - 1, "more point")) : "");
}

// At the point where it costs most; how many others have it too.
void add_findings(const Findings& f, const Plan& plan,
                  std::vector<std::pair<std::string, std::string>>& lines) {
  for (std::size_t fault = 0; fault < kWordsOf<ExternalFault>.size(); ++fault) {
    const ExternalFinding* most = nullptr;
    std::size_t points = 0;
    for (const ExternalFinding& found : f.external.findings) {
      if (found.fault != static_cast<ExternalFault>(fault)) continue;
      ++points;
      if (!most || found.share > most->share) most = &found;
    }
    if (!most) continue;
    const std::string cost = finding_cost(*most);
    lines.emplace_back("finding", fmt::format("{}{}: {}{}", name_of(most->fault),
                                              of_points(plan, most->point, points),
                                              finding_words(*most, 0, is_change_certain(*most, f)),
                                              cost.empty() ? "" : " Cost: " + cost + "."));
  }
}

const ExternalFacts* any_facts(const Findings& f) {
  const ExternalPoint* seen = external_subject(f);
  return seen ? &seen->facts : f.external.any ? &*f.external.any : nullptr;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> external_lines(const Findings& f,
                                                                const Plan& plan) {
  std::vector<std::pair<std::string, std::string>> lines;
  const ExternalPoint* p = external_subject(f);
  if (!p) return lines;
  add_findings(f, plan, lines);
  const std::string of = f.points.size() > 1 ? of_points(plan, p->point, 1) : "";
  if (p->job) std::ranges::move(job_lines(*p->job), std::back_inserter(lines));
  lines.emplace_back("start", start_line(*p) + of);
  lines.emplace_back("epochs", epochs_line(*p));
  if (std::string batch = batch_line(*p); !batch.empty())
    lines.emplace_back("a batch", std::move(batch));
  if (std::string samples = samples_line(*p); !samples.empty())
    lines.emplace_back("samples", std::move(samples));
  if (p->workers > 0) lines.emplace_back("memory", memory_line(*p));
  lines.emplace_back("cores", cores_line(*p));
  lines.emplace_back("/dev/shm", shm_line(*p));
  return lines;
}

std::string ways_words(const Findings& f) {
  constexpr std::string_view symbols[] = {"L", "T", "F"};
  std::string text;
  for (std::size_t mode = 0; mode < f.external.ways.size(); ++mode) {
    std::vector<std::string_view> ways;
    for (const ExternalWay way : f.external.ways[mode]) ways.push_back(name_of(way));
    if (!ways.empty())
      text +=
          fmt::format("{}{} {}", text.empty() ? "" : ", ", symbols[mode], fmt::join(ways, " and "));
  }
  return text;
}

std::string versions_words(const Findings& f) {
  const ExternalFacts* facts = any_facts(f);
  if (!facts || facts->versions.empty()) return "";
  return facts->interpreter.empty() ? facts->versions
                                    : fmt::format("{} ({})", facts->versions, facts->interpreter);
}

}  // namespace benchbench
