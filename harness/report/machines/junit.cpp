// JUnit XML: one test suite, a test case a metric and point. FAILED and ABORTED are errors, INVALID
// a failure, SKIPPED and what was not measured or not run is skipped; NOISY passes and says so.
// Properties of a case are its number with interval and rounds, those of the suite where it was
// measured.
#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "harness/analysis/rates/started_at.h"
#include "harness/analysis/rules/rules.h"
#include "harness/report/conclusion/conclusion_words.h"
#include "harness/report/machines/clean_text.h"
#include "harness/report/machines/metric_cases.h"
#include "harness/report/text/notes.h"
#include "harness/report/words/alarm_words.h"

namespace benchbench {
namespace {

std::string xml(std::string_view text) {
  std::string out;
  for (const char c : clean_text(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

// A line break in an attribute is read as a space unless it is written so.
std::string attribute(std::string_view text) {
  std::string out;
  for (const char c : xml(text))
    out += c == '\n' ? std::string("&#10;") : c == '\t' ? std::string("&#9;") : std::string(1, c);
  return out;
}

std::string property(std::string_view name, std::string_view value) {
  return fmt::format("<property name=\"{}\" value=\"{}\"/>", attribute(name), attribute(value));
}

enum class Outcome { passed, failure, error, skipped };

Outcome outcome_of(const MetricCase& c) {
  if (is_usable(c.status)) return c.value ? Outcome::passed : Outcome::skipped;
  if (c.status == Status::invalid) return Outcome::failure;
  return c.status == Status::skipped || c.never_ran ? Outcome::skipped : Outcome::error;
}

std::string message_of(const MetricCase& c) {
  if (c.never_ran) return "not run: the run ended before";
  if (is_usable(c.status)) return "not measured";
  const std::string why = c.reasons.empty() ? "" : ": " + headline_of(c.reasons.front());
  return fmt::format("{}{}", name_of(c.status), why);
}

std::string outcome_element(const MetricCase& c) {
  constexpr std::string_view elements[] = {"", "failure", "error", "skipped"};
  const Outcome outcome = outcome_of(c);
  if (outcome == Outcome::passed) return "";
  const std::string_view element = elements[static_cast<std::size_t>(outcome)];
  if (outcome == Outcome::skipped)
    return fmt::format("      <skipped message=\"{}\"/>\n", attribute(message_of(c)));
  return fmt::format("      <{0} type=\"{1}\" message=\"{2}\">{3}</{0}>\n", element,
                     name_of(c.status), attribute(message_of(c)),
                     xml(fmt::format("{}", fmt::join(c.reasons, "\n"))));
}

std::string value_properties(const MetricCase& c) {
  std::string out = "        " + property("status", name_of(c.status)) + '\n';
  if (!c.value) return out;
  for (const auto& [name, value] :
       {std::pair("value", c.value->value), std::pair("low", c.value->low),
        std::pair("high", c.value->high)})
    out += "        " + property(name, fmt::format("{:.10g}", value)) + '\n';
  return out + "        " + property("rounds", std::to_string(c.value->n)) + '\n';
}

void write_case(std::ostream& out, const MetricCase& c, const std::string& scenario) {
  out << fmt::format("    <testcase classname=\"{}\" name=\"{} {}\" time=\"{:.3f}\">\n",
                     attribute(scenario), c.metric, attribute(c.point), c.seconds)
      << "      <properties>\n"
      << value_properties(c) << "      </properties>\n"
      << outcome_element(c);
  if (c.status == Status::noisy && c.value)
    out << fmt::format("      <system-out>NOISY: {}</system-out>\n",
                       xml(fmt::format("{}", fmt::join(c.reasons, "\n"))));
  out << "    </testcase>\n";
}

// The words of one that is not measured say so.
std::string alarm_property(const Alarm& a, const Plan& plan) {
  return (a.state == AlarmState::not_measured ? "" : std::string(name_of(a.state)) + ": ") +
         alarm_words(a, plan);
}

void write_suite_properties(std::ostream& out, const ReportInput& in) {
  out << "    <properties>\n";
  for (const auto& [name, value] : environment_labels(in.findings.environment))
    out << "      " << property(name, value) << '\n';
  if (in.findings.simulated) out << "      " << property("clock", "simulated") << '\n';
  for (const Alarm& a : in.findings.alarms)
    out << "      "
        << property(fmt::format("alarm.{}", name_of(a.kind)), alarm_property(a, in.plan)) << '\n';
  out << "      " << property("run_folder", in.run_folder) << "\n    </properties>\n";
}

void write_suite_text(std::ostream& out, const ReportInput& in) {
  out << "    <system-out>" << xml(conclusion_text(in.findings, in.plan)) << '\n';
  for (const Note& note : notes_of(in.findings, in.plan)) out << xml(note.text) << '\n';
  out << "</system-out>\n";
}

// ISO 8601 without a zone, as its schema wants it; UTC.
std::string timestamp_of(const ReportInput& in) {
  std::string time = first_start_text(in.records);
  if (time.empty()) return "";
  if (time.ends_with('Z')) time.pop_back();
  return fmt::format(" timestamp=\"{}\"", attribute(time));
}

void write_junit(std::ostream& out, const ReportInput& in) {
  const std::vector<MetricCase> cases = metric_cases(in);
  const auto count = [&](Outcome o) { return std::ranges::count(cases, o, outcome_of); };
  double seconds = 0;
  for (const MetricCase& c : cases) seconds += c.seconds;
  const std::string counts = fmt::format(
      "tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\"", cases.size(),
      count(Outcome::failure), count(Outcome::error), count(Outcome::skipped), seconds);
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"benchbench\" " << counts
      << ">\n"
      << fmt::format("  <testsuite name=\"{}\" {}{}>\n", attribute(in.findings.scenario), counts,
                     timestamp_of(in));
  write_suite_properties(out, in);
  for (const MetricCase& c : cases) write_case(out, c, in.findings.scenario);
  write_suite_text(out, in);
  out << "  </testsuite>\n</testsuites>\n";
}

}  // namespace

extern constinit const ReportFormat junit_format{
    "--junit", "write JUnit XML: a test case a metric and point", write_junit};

}  // namespace benchbench
