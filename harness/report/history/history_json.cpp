#include <ranges>

#include "harness/report/fields/json_maker.h"
#include "harness/report/history/history_report.h"

namespace benchbench {

void visit_fields(const StageGrowth& s, auto&& visit) {
  visit("name", s.name);
  visit("ms_per_step", s.ms);
}
void visit_fields(const SelfCheck& check, auto&& visit) {
  visit("worse", check.worse);
  visit("better", check.better);
  visit("p", check.p);
  visit("biased", check.biased);
}

namespace {

using std::views::transform;

auto fields_of_night(const Night& n, const HistoryNotes& written) {
  return Fields{[&](auto&& visit) {
    std::vector<std::string> remarks;
    for (const NightRemark& r : written.remarks)
      if (r.night == n.name) remarks.push_back(r.text);
    visit("name", n.name);
    visit("started_at", n.started_at);
    visit("folders", n.folders);
    visit("machine_changed", n.canaries.moved);
    visit("canary_ratio", n.canaries.ratio);
    visit("changed", n.changed);
    visit("remarks", remarks);
  }};
}

auto fields_of_alert(const HistoryReport& report, const MachineHistory& m, const SeriesHistory& s,
                     const Alert& a) {
  return Fields{[&](auto&& visit) {
    const std::string& first = m.nights[a.first].name;
    const AcceptedChange* accepted = report.written.accepting(s.series.name(), first);
    visit("kind", a.kind);
    visit("worse", a.worse());
    visit("ratio", a.ratio);
    visit("first", first);
    visit("last_before", m.nights[a.last_before].name);
    visit("told", m.nights[a.told].name);
    visit("last", m.nights[a.last].name);
    visit("stage", a.stage);
    visit("open", is_open(s, a, m, report.written));
    visit("accepted", accepted ? std::optional(accepted->note) : std::nullopt);
  }};
}

auto fields_of_end(const MachineHistory& m, const SeriesEnd& end) {
  return Fields{[&](auto&& visit) {
    visit("night", m.nights[end.night].name);
    visit("goes_on", end.goes_on);
    visit("changed", end.changed);
    visit("out_of_set", end.out_of_set);
  }};
}

auto fields_of_series(const HistoryReport& report, const MachineHistory& m,
                      const SeriesHistory& s) {
  return Fields{[&](auto&& visit) {
    const auto reasons = transform([&](const NightReason& r) {
      return Fields{[&](auto&& reason) {
        reason("night", m.nights[r.night].name);
        reason("reason", r.reason);
      }};
    });
    visit("series", s.series.name());
    visit("scenario", s.series.scenario);
    visit("point", s.series.point);
    visit("metric", s.series.metric);
    visit("apart", s.apart);
    visit("judged_nights", s.judged_nights.size());
    visit("judged_since_change", s.judged);
    visit("not_judged_nights", s.not_judged | reasons);
    visit("wide_nights", s.wide | reasons);
    visit("ended", s.ended ? std::optional(fields_of_end(m, *s.ended)) : std::nullopt);
    visit("alerts",
          s.alerts | transform([&](const Alert& a) { return fields_of_alert(report, m, s, a); }));
  }};
}

auto fields_of_machine(const HistoryReport& report, const MachineHistory& m) {
  return Fields{[&](auto&& visit) {
    visit("machine", m.machine);
    visit("text", m.machine_text);
    visit("nights",
          m.nights | transform([&](const Night& n) { return fields_of_night(n, report.written); }));
    visit("series", m.series | transform([&](const SeriesHistory& s) {
                      return fields_of_series(report, m, s);
                    }));
    visit("self_check", m.check);
    visit("spread_share", m.spread, "The difference of nights without a change.");
  }};
}

}  // namespace

void visit_fields(const HistoryReport& report, auto&& visit) {
  visit("schema", "benchbench.history/1");
  visit("machines", report.history.machines | transform([&](const MachineHistory& m) {
                      return fields_of_machine(report, m);
                    }));
  visit("learning", text_or_null(learning_text(report)));
  visit("not_judged", text_or_null(not_judged_text(report)));
  visit("open_regressions", open_regressions(report));
  visit("notes", report.notes);
}

std::string history_json(const HistoryReport& report) {
  return json_text(make_json(report)) + "\n";
}

}  // namespace benchbench
