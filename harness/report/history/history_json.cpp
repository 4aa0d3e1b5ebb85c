// {"schema": "benchbench.history/1",
//  "machines": [{"machine", "text",
//    "nights": [{"name", "started_at", "folders": [name], "machine_changed": bool, "canary_ratio",
//                "changed": [text], "remarks": [text]}],
//    "series": [{"series", "scenario", "point", "metric", "judged_nights", "judged_since_change",
//                "not_judged_nights", "wide_nights": [{"night", "reason"}],
//                "ended": {"night": the first without it, "goes_on": bool, "changed": [text],
//                          "out_of_set": bool} or null, "alerts": [{"kind": "step|drift", "worse":
//                          bool, "ratio",
//                            "first", "last_before", "told", "last": names of nights,
//                            "stage": {"name", "ms_per_step": estimate, after - before} or null,
//                            "open": bool, "accepted": note or null}]}],
//    "self_check": {"worse", "better", "p", "biased": bool},
//    "spread_share": what unchanged nights differ by or null}],
//  "learning": text or null, "not_judged": text or null, "open_regressions": n, "notes": [text]}
#include <nlohmann/json.hpp>

#include "harness/report/history/history_report.h"

namespace benchbench {
namespace {

using Json = nlohmann::ordered_json;

Json or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json night_json(const Night& n, const HistoryNotes& written) {
  Json remarks = Json::array();
  for (const NightRemark& r : written.remarks)
    if (r.night == n.name) remarks.push_back(r.text);
  return {{"name", n.name},
          {"started_at", n.started_at},
          {"folders", n.folders},
          {"machine_changed", n.canaries.moved},
          {"canary_ratio", n.canaries.ratio},
          {"changed", n.changed},
          {"remarks", std::move(remarks)}};
}

Json stage_json(const Alert& a) {
  if (!a.stage) return nullptr;
  const Estimate& ms = a.stage->ms;
  return {{"name", a.stage->name},
          {"ms_per_step", {{"value", ms.value}, {"low", ms.low}, {"high", ms.high}, {"n", ms.n}}}};
}

Json alert_json(const HistoryReport& report, const MachineHistory& m, const SeriesHistory& s,
                const Alert& a) {
  const auto name = [&](std::size_t i) { return m.nights[i].name; };
  const AcceptedChange* accepted = report.written.accepting(s.series.name(), name(a.first));
  return {{"kind", name_of(a.kind)},
          {"worse", a.worse()},
          {"ratio", a.ratio},
          {"first", name(a.first)},
          {"last_before", name(a.last_before)},
          {"told", name(a.told)},
          {"last", name(a.last)},
          {"stage", stage_json(a)},
          {"open", is_open(s, a, m, report.written)},
          {"accepted", accepted ? Json(accepted->note) : Json(nullptr)}};
}

Json reasons_json(const MachineHistory& m, const std::vector<NightReason>& reasons) {
  Json out = Json::array();
  for (const NightReason& r : reasons)
    out.push_back({{"night", m.nights[r.night].name}, {"reason", r.reason}});
  return out;
}

Json end_json(const MachineHistory& m, const std::optional<SeriesEnd>& end) {
  if (!end) return nullptr;
  return {{"night", m.nights[end->night].name},
          {"goes_on", end->goes_on},
          {"changed", end->changed},
          {"out_of_set", end->out_of_set}};
}

Json series_json(const HistoryReport& report, const MachineHistory& m, const SeriesHistory& s) {
  Json alerts = Json::array();
  for (const Alert& a : s.alerts) alerts.push_back(alert_json(report, m, s, a));
  return {{"series", s.series.name()},
          {"scenario", s.series.scenario},
          {"point", s.series.point},
          {"metric", s.series.metric},
          {"judged_nights", s.judged_nights.size()},
          {"judged_since_change", s.judged},
          {"not_judged_nights", reasons_json(m, s.not_judged)},
          {"wide_nights", reasons_json(m, s.wide)},
          {"ended", end_json(m, s.ended)},
          {"alerts", std::move(alerts)}};
}

Json machine_json(const HistoryReport& report, const MachineHistory& m) {
  Json nights = Json::array(), series = Json::array();
  for (const Night& n : m.nights) nights.push_back(night_json(n, report.written));
  for (const SeriesHistory& s : m.series) series.push_back(series_json(report, m, s));
  return {{"machine", m.machine},
          {"text", m.machine_text},
          {"nights", std::move(nights)},
          {"series", std::move(series)},
          {"self_check",
           {{"worse", m.check.worse},
            {"better", m.check.better},
            {"p", m.check.p},
            {"biased", m.check.biased}}},
          {"spread_share", m.spread ? Json(*m.spread) : Json(nullptr)}};
}

}  // namespace

std::string history_json(const HistoryReport& report) {
  Json machines = Json::array();
  for (const MachineHistory& m : report.history.machines)
    machines.push_back(machine_json(report, m));
  const Json json = {{"schema", "benchbench.history/1"},
                     {"machines", std::move(machines)},
                     {"learning", or_null(learning_text(report))},
                     {"not_judged", or_null(not_judged_text(report))},
                     {"open_regressions", open_regressions(report)},
                     {"notes", report.notes}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace benchbench
