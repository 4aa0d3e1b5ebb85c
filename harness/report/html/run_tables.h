// The tables of a run's page.
#pragma once
#include <string>

#include "harness/report/text/formats.h"

namespace benchbench {

// All points, each column that any point has something for.
std::string points_section(const ReportInput& in);
// All records, in the order they ran.
std::string trials_section(const ReportInput& in);
// Of the base and the point to use as YAML, and the command that runs the scenario again.
std::string settings_section(const ReportInput& in);
// Warnings, rules that fired, alarms; the machine and the software; what the words mean.
std::string notes_section(const ReportInput& in);
std::string environment_section(const ReportInput& in);
std::string definitions_section();

}  // namespace benchbench
