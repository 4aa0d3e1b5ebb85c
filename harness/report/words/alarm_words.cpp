#include "harness/report/words/alarm_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/report/text/cells.h"
#include "harness/report/text/display_text.h"

namespace benchbench {
namespace {

const AlarmRow& row_of(AlarmKind kind) {
  return *std::ranges::find(alarm_rows(), kind, &AlarmRow::kind);
}

// "94.1 %", beyond all of it "1.70x".
std::string percent_text(double share) {
  return share > 1 ? fmt::format("{:.2f}x", share) : fmt::format("{:.3g} %", 100 * share);
}
bool is_growth(AlarmKind kind) {
  return kind == AlarmKind::memory_growth || kind == AlarmKind::loader_growth;
}
// As it was compared: a value above its limit does not read as the limit.
std::string percent_above(double share, double limit) {
  const std::string text = percent_text(share);
  return share > limit && text == percent_text(limit) ? fmt::format("over {}", percent_text(limit))
                                                      : text;
}
// "34 %", of a growth "by 34 %", "to 2.70x".
std::string alarm_figure(AlarmKind kind, double share, double limit) {
  if (!is_growth(kind)) return percent_above(share, limit);
  return share > 1 ? fmt::format("to {:.2f}x", 1 + share) : "by " + percent_above(share, limit);
}

std::string unit_words(const AlarmRow& row) { return row.unit == "share/min" ? " a minute" : ""; }

std::string limit_words(const Alarm& alarm) {
  return fmt::format("(limit {}{})", percent_text(alarm.limit), unit_words(row_of(alarm.kind)));
}

std::string seen_words(AlarmKind kind, const AlarmSeen& s, const std::string& share) {
  const auto bytes = [](double b) { return human_bytes(b); };
  switch (kind) {
    case AlarmKind::memory:
      return fmt::format("{} of {} were in use{}, {}", bytes(s.amount), bytes(s.of),
                         s.whose == "host" ? " on this machine" : ", the cgroup's limit", share);
    case AlarmKind::cores:
      return fmt::format("the process tree used {:.2f} of {:g} cores, {}, while the trainer waited",
                         s.amount, s.of, share);
    case AlarmKind::throttled:
      return fmt::format("the CPU quota stopped the cgroup for {} of the time", share);
    case AlarmKind::memory_growth:
      return fmt::format("memory of the {} grew {} a minute from round to round", s.whose, share);
    case AlarmKind::loader_growth:
      return fmt::format("the loader's time per sample grew {} from the first round to the last",
                         share);
    case AlarmKind::exposed_wait:
      return fmt::format("the {} waited for batches {} of the time",
                         s.whose.empty() ? "trainer" : s.whose, share);
    case AlarmKind::other_writes:
      return fmt::format(
          "the trial's process (checkpoints, logs) wrote {}, "
          "{} of the {} that the data's disk read and wrote",
          bytes(s.amount), share, bytes(s.of));
    case AlarmKind::disk:
      return fmt::format(
          "the data's disk delivered {}/s, {} of the {}/s that one thread "
          "measured (disk_read_cold)",
          bytes(s.amount), share, bytes(s.of));
    case AlarmKind::network:
      return fmt::format("the network delivered {}/s, {} of its ceiling of {}/s", bytes(s.amount),
                         share, bytes(s.of));
    case AlarmKind::device_idle:
      return fmt::format("the device had no step's work {} of the time", share);
    case AlarmKind::device_memory:
      return fmt::format("{} of the GPU's {} of memory were in use, {}", bytes(s.amount),
                         bytes(s.of), share);
  }
  return "";
}

std::string where_words(const Alarm& alarm, const Plan& plan) {
  if (plan.points.size() < 2 || !alarm.worst || !alarm.worst->point) return "";
  std::string text = ", with " + plan.points[*alarm.worst->point].name();
  const std::size_t others = alarm.points.empty() ? 0 : alarm.points.size() - 1;
  return others == 0 ? text
                     : text + fmt::format(", and raised at {}", counted(others, "more point"));
}

std::string in_brackets(const Alarm& alarm) {
  if (alarm.state == AlarmState::not_measured) return alarm.why;
  if (!alarm.worst) return "";
  const bool unsure = alarm.state == AlarmState::not_raised && alarm.worst->value > alarm.limit;
  return alarm_figure(alarm.kind, alarm.worst->value, alarm.limit) +
         unit_words(row_of(alarm.kind)) + (unsure ? ", which is not certain" : "");
}

// True if the table of a wrapped script has the wait that the alarm is about: over other windows,
// its share may be another one.
bool is_in_table(const Alarm& alarm, const Findings& f, const Plan& plan) {
  if (!wraps_script(plan) || alarm.kind != AlarmKind::exposed_wait || !alarm.worst) return false;
  const std::uint32_t point = alarm.worst->point.value_or(0);
  return point < f.points.size() && f.points[point].exposed_wait_ms;
}

}  // namespace

std::string alarm_words(const Alarm& alarm, const Plan& plan) {
  if (alarm.state == AlarmState::not_measured)
    return fmt::format("{}: not measured: {}", name_of(alarm.kind), alarm.why);
  if (!alarm.worst)
    return fmt::format("{}: no case of it was seen {}", name_of(alarm.kind), limit_words(alarm));
  return fmt::format("{}: {} {}{}", name_of(alarm.kind),
                     seen_words(alarm.kind, *alarm.worst,
                                alarm_figure(alarm.kind, alarm.worst->value, alarm.limit)),
                     limit_words(alarm), where_words(alarm, plan));
}

std::vector<std::string> raised_alarms(const Findings& f, const Plan& plan) {
  std::vector<std::string> all;
  for (const Alarm& alarm : f.alarms)
    if (alarm.state == AlarmState::raised && !is_in_table(alarm, f, plan))
      all.push_back(alarm_words(alarm, plan));
  return all;
}

std::string alarms_line(const Findings& f, const Plan& plan) {
  std::string line;
  for (const AlarmState state :
       {AlarmState::raised, AlarmState::not_raised, AlarmState::not_measured}) {
    std::string names;
    for (const Alarm& alarm : f.alarms) {
      if (alarm.state != state || alarm.why == kStepsOnCpu) continue;
      const std::string more = is_in_table(alarm, f, plan) ? "" : in_brackets(alarm);
      names += fmt::format("{}{}{}", names.empty() ? "" : ", ", name_of(alarm.kind),
                           more.empty() ? "" : fmt::format(" ({})", more));
    }
    if (!names.empty())
      line += fmt::format("{}{}: {}", line.empty() ? "" : "; ", name_of(state), names);
  }
  return line;
}

std::string alarms_table(std::size_t width) {
  std::string text = "alarms\n";
  const auto add = [&](const std::string& line, std::size_t indent, std::size_t hanging) {
    text += std::string(indent, ' ') + wrapped(line, width, hanging, indent) + '\n';
  };
  add("Raised above these limits; `measure.alarms.NAME` in the scenario changes one (a share: 0.9 "
      "is 90 %). What was not measured is reported as such.",
      2, 2);
  for (const AlarmRow& row : alarm_rows())
    add(fmt::format("{:<14} over {}{}: {}", name_of(row.kind), percent_text(row.limit),
                    unit_words(row), row.watches),
        2, 17);
  return text;
}

}  // namespace benchbench
