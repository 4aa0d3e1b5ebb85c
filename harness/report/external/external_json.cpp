#include "harness/report/external/external_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/analysis/conclusion/answer.h"
#include "harness/analysis/conclusion/step_parts.h"
#include "harness/report/external/external_fields.h"
#include "harness/report/external/external_words.h"
#include "harness/report/external/job_words.h"

namespace benchbench {
namespace {

using Members = nlohmann::ordered_json;

Members text_or_null(const std::string& text) {
  return text.empty() ? Members(nullptr) : Members(text);
}

template <class T>
Members known(const std::optional<T>& value) {
  return value ? Members(*value) : Members(nullptr);
}

// What is 0 where it does not apply.
template <class T>
Members above_0(T value) {
  return value > 0 ? Members(value) : Members(nullptr);
}

Members interval_of(const Measured& e) {
  if (!e) return nullptr;
  return {{"value", e->value}, {"low", e->low}, {"high", e->high}, {"n", e->n}};
}

Members draws_of(const std::vector<ExternalSameDraws>& draws) {
  Members all = Members::array();
  for (const ExternalSameDraws& d : draws)
    all.push_back({{"what", d.what},
                   {"where", text_or_null(d.where)},
                   {"workers", d.workers},
                   {"every_epoch", d.every_epoch}});
  return all;
}

Members members_of(const ExternalFinding& f, const Findings& findings) {
  Members out{{"kind", name_of(f.fault)},
              {"point", findings.points[f.point].name},
              {"mode", name_of(f.mode)}};
  out["cost_ms_per_step"] = interval_of(f.ms);
  out["step_ms"] = interval_of(f.step_ms);
  out["cost_bytes"] = interval_of(f.bytes);
  out["cost_bytes_per_epoch"] = interval_of(f.bytes_an_epoch);
  out["cost_share"] = f.share;
  out["where"] = text_or_null(f.where);
  out["num_workers"] = f.workers;
  out["workers_without_data"] =
      f.fault == ExternalFault::idle_workers ? Members(f.idle) : Members(nullptr);
  out["batches_per_epoch"] = above_0(f.batches_an_epoch);
  out["cores_available"] = above_0(f.cores);
  out["cpu_count"] = above_0(f.cpu_count);
  out["torch_threads"] = above_0(f.threads);
  out["runnable_threads_mean"] = above_0(f.runnable);
  out["runnable_worker_threads_mean"] = above_0(f.runnable_workers);
  out["throttled_ms_per_step"] = above_0(f.throttled_ms);
  out["direct_ms"] = above_0(f.direct_ms);
  out["same_draws"] = draws_of(f.draws);
  out["what"] = text_or_null(f.what);
  out["count"] = above_0(f.count);
  out["arguments"] = Members::object();
  for (const auto& [name, value] : f.numbers) out["arguments"][name] = value;
  out["text"] = finding_words(f, 0, is_change_certain(f, findings));
  return out;
}

Members row_of(const ExternalSpent& s) {
  return {{"state", s.state},
          {"loader", text_or_null(s.loader)},
          {"made", text_or_null(s.made)},
          {"saver", text_or_null(s.saver)},
          {"where", text_or_null(s.where)},
          {"trains", s.trains},
          {"workers", s.workers},
          {"ns", s.ns},
          {"count", s.count},
          {"before_ns", s.before_ns},
          {"before", s.before}};
}

Members job_of(const std::optional<JobTime>& job) {
  if (!job) return nullptr;
  Members out{{"samples_per_second", job->rate},
              {"samples_per_second_with_start", job->rate_with_start},
              {"seconds", job->seconds},
              {"once_seconds", job->once_seconds},
              {"step_share", job->step_share},
              {"wait_share", job->wait_share},
              {"outside_share", job->outside_share}};
  out["rows"] = Members::array();
  for (const ExternalSpent& spent : job->all) out["rows"].push_back(row_of(spent));
  return out;
}

Members samples_of_workers(const ExternalFacts& e) {
  Members all = Members::array();
  for (const ExternalWorker& w : e.workers)
    all.push_back({{"samples", w.samples}, {"batches", w.batches}});
  return all;
}

Members members_of(const ExternalPoint& p, const Findings& findings) {
  const ExternalFacts& e = p.facts;
  Members out{{"point", findings.points[p.point].name},
              {"mode", name_of(p.mode)},
              {"way", name_of(e.way)},
              {"rounds", p.rounds}};
  for (const auto& [name, text] :
       {std::pair("interpreter", &e.interpreter), std::pair("versions", &e.versions),
        std::pair("loader_call", &e.loader_call), std::pair("trainer_call", &e.trainer_call),
        std::pair("kind", &e.kind), std::pair("where", &e.where),
        std::pair("getitem_where", &e.getitem_where), std::pair("start_method", &e.start_method),
        std::pair("device", &e.device)})
    out[name] = text_or_null(*text);
  out["num_workers"] = p.workers;
  out["persistent_workers"] = known(e.persistent_workers);
  out["epoch_samples"] = known(e.epoch_samples);
  for (const ExternalField& field : external_fields())
    out[std::string(field.name)] = known(p.*field.value);
  out["cores_available"] = above_0(p.cores);
  out["cpu_count"] = known(e.cpu_count);
  out["torch_threads"] = known(e.threads);
  out["shm_free_bytes"] = known(e.shm_free_bytes);
  out["shm_bytes"] = known(e.shm_bytes);
  out["each_worker"] = samples_of_workers(e);
  out["unexplained_ms_per_step"] = known(unexplained_ms(findings.points[p.point]));
  out["job_time"] = job_of(p.job);
  return out;
}

Members ways_of(const ExternalWays& ways) {
  Members out = Members::object();
  for (const Mode mode : {Mode::loader, Mode::trainer, Mode::pipeline}) {
    Members names = Members::array();
    for (const ExternalWay way : ways[static_cast<std::size_t>(mode)])
      names.push_back(name_of(way));
    out[std::string(name_of(mode))] = names;
  }
  return out;
}

}  // namespace

nlohmann::ordered_json external_values(const Findings& f) {
  if (!f.external.any) return nullptr;
  Members out{{"ways", ways_of(f.external.ways)},
              {"interpreter", text_or_null(f.external.any->interpreter)},
              {"versions", text_or_null(f.external.any->versions)}};
  out["points"] = Members::array();
  for (const ExternalPoint& p : f.external.points) out["points"].push_back(members_of(p, f));
  out["findings"] = Members::array();
  for (const ExternalFinding& found : f.external.findings)
    out["findings"].push_back(members_of(found, f));
  return out;
}

}  // namespace benchbench
