// Prometheus' text format, for the textfile collector of node_exporter: gauges without time stamps,
// named as the columns of --csv with benchbench_ in front. An estimate X has X, X_low, X_high (95
// %) and X_rounds. What was not measured has no sample, and neither has a rate whose mode is not
// VALID or NOISY.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ostream>

#include "harness/analysis/metrics/metric_fields.h"
#include "harness/analysis/rates/started_at.h"
#include "harness/analysis/rules/rules.h"
#include "harness/report/machines/clean_text.h"
#include "harness/report/machines/metric_cases.h"

namespace benchbench {
namespace {

using Labels = std::vector<std::pair<std::string, std::string>>;

std::string label_value(std::string_view text) {
  std::string out;
  for (const char c : clean_text(text)) {
    if (c == '\\' || c == '"') out += '\\';
    out += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return out;
}

std::string labels_text(const Labels& labels) {
  std::string out;
  for (const auto& [name, value] : labels)
    out += fmt::format("{}{}=\"{}\"", out.empty() ? "" : ",", name, label_value(value));
  return '{' + out + '}';
}

// One metric with its samples; nothing where it has none.
class Family {
 public:
  Family(std::ostream& out, std::string name, std::string_view help)
      : out_(out), name_("benchbench_" + std::move(name)), help_(help) {}
  void add(const Labels& labels, double value) {
    if (!begun_) out_ << fmt::format("# HELP {0} {1}\n# TYPE {0} gauge\n", name_, help_);
    begun_ = true;
    out_ << fmt::format("{}{} {:.10g}\n", name_, labels_text(labels), value);
  }

 private:
  std::ostream& out_;
  std::string name_;
  std::string_view help_;
  bool begun_ = false;
};

class Page {
 public:
  Page(std::ostream& out, const ReportInput& in)
      : out_(out), in_(in), names_(unique_point_names(in.findings)) {}

  void write() const {
    write_info();
    for (const NumberField& field : number_columns(true, "_rounds")) write_number(field);
    write_statuses();
    write_alarms();
    write_trials();
  }

 private:
  Labels of_run() const { return {{"scenario", in_.findings.scenario}}; }
  Labels of_point(std::size_t i) const {
    return {{"scenario", in_.findings.scenario}, {"point", names_[i]}};
  }

  void write_number(const NumberField& field) const {
    Family family(out_, field.name, field.what);
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (const auto number = field.value(in_.findings.points[i])) family.add(of_point(i), *number);
  }

  void write_info() const {
    Labels labels = of_run();
    for (auto& label : environment_labels(in_.findings.environment))
      labels.push_back(std::move(label));
    Family(out_, "run_info", "where a run was made; always 1").add(labels, 1);
    if (const auto seconds = first_start(in_.records))
      Family(out_, "run_start_time_seconds", "when its first trial began, since 1970, UTC")
          .add(of_run(), *seconds);
  }

  void write_statuses() const {
    Family family(out_, "mode_status", "status of a mode's trials; always 1");
    for (std::size_t i = 0; i < names_.size(); ++i)
      for (std::size_t m = 0; m < 3; ++m) {
        const auto status = in_.findings.points[i].mode_status[m];
        if (!status) continue;
        Labels labels = of_point(i);
        labels.emplace_back("mode", name_of(static_cast<Mode>(m)));
        labels.emplace_back("status",
                            in_.findings.points[i].never_ran[m] ? "not run" : name_of(*status));
        family.add(labels, 1);
      }
  }

  // 1 raised, 0 not raised; no sample where it is not measured.
  void write_alarms() const {
    Family raised(out_, "alarm", "1 where an alarm is raised, 0 where it is not");
    for (const Alarm& a : in_.findings.alarms)
      if (a.state != AlarmState::not_measured)
        raised.add(of_alarm(a), a.state == AlarmState::raised ? 1 : 0);
    Family value(out_, "alarm_value", "the worst that an alarm saw, a share or a share a minute");
    for (const Alarm& a : in_.findings.alarms)
      if (a.worst) value.add(of_alarm(a), a.worst->value);
  }
  Labels of_alarm(const Alarm& a) const {
    return {{"scenario", in_.findings.scenario}, {"alarm", std::string(name_of(a.kind))}};
  }

  void write_trials() const {
    Family family(out_, "trials", "trials of a run by status");
    for (std::size_t s = 0; s < in_.findings.trials.size(); ++s) {
      Labels labels = of_run();
      labels.emplace_back("status", name_of(static_cast<Status>(s)));
      family.add(labels, in_.findings.trials[s]);
    }
    Family(out_, "trials_without_record", "planned trials that have no record")
        .add(of_run(), in_.findings.trials_missing);
  }

  std::ostream& out_;
  const ReportInput& in_;
  std::vector<std::string> names_;
};

}  // namespace

extern constinit const ReportFormat prometheus_format{
    "--prometheus", "write gauges for node_exporter's textfile collector",
    [](std::ostream& out, const ReportInput& in) { Page(out, in).write(); }, true};

}  // namespace benchbench
