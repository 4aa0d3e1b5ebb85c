#include <fmt/format.h>

#include "harness/analysis/conclusion/conclusion.h"
#include "harness/report/html/html_text.h"
#include "harness/report/html/run_tables.h"
#include "harness/report/html/settings_yaml.h"

namespace benchbench {
namespace {

std::string copied(std::string_view id, std::string_view name, const std::string& text) {
  return fmt::format(
      "<div class=\"copied\"><h3>{1}</h3>\n<pre id=\"{0}\" tabindex=\"0\">{2}</pre>\n<button "
      "type=\"button\" class=\"copy\" data-copy=\"{0}\" hidden>Copy</button> "
      "<output></output></div>\n",
      id, html(name), html(text));
}

}  // namespace

std::string settings_section(const ReportInput& in) {
  std::string out;
  if (!in.plan.command.empty()) out += copied("again", "Run it again", in.plan.command);
  if (!in.plan.points.empty())
    out += copied("settings-0", "Settings of " + in.plan.points.front().name(),
                  settings_yaml(in.plan.points.front().settings));
  if (const auto use = other_point_to_use(in.findings))
    out += copied(fmt::format("settings-{}", *use),
                  "Settings of " + in.plan.points[*use].name() + ", to use",
                  settings_yaml(in.plan.points[*use].settings));
  return html_section("settings", "Settings", out);
}

}  // namespace benchbench
