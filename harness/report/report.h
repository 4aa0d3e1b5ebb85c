// Findings -> text. One file per format; each writes data only.
#pragma once
#include <iosfwd>
#include <string>

#include "harness/analysis/findings.h"

namespace benchbench {

struct TerminalStyle {
  bool colour = false;
  unsigned width = 120;
};
void write_terminal(std::ostream& out, const Findings& findings, const Plan& plan, const std::string& run_folder,
                    TerminalStyle style);
void write_json(std::ostream& out, const Findings& findings, const Plan& plan, std::span<const TrialRecord> records,
                const std::string& run_folder);
void write_csv(std::ostream& out, const Findings& findings);
void write_markdown(std::ostream& out, const Findings& findings, const Plan& plan);

}  // namespace benchbench
