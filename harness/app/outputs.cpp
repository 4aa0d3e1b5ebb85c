#include "harness/app/outputs.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <optional>
#include <sstream>

#include "harness/app/exit_code.h"
#include "harness/core/error.h"
#include "harness/report/report.h"

namespace benchbench {
namespace {

constexpr Option kOutputOptions[] = {
    {"--json", "FILE", "write everything as one JSON document; \"-\" is standard output", false},
    {"--csv", "FILE", "write a row per point", false},
    {"--markdown", "FILE", "write the table for a page or an issue", false},
};

TerminalStyle style_of_stdout() {
  TerminalStyle style;
  style.colour = ::isatty(STDOUT_FILENO) && !std::getenv("NO_COLOR");
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 60) style.width = size.ws_col;
  return style;
}

void write_to(const std::string& path, const std::function<void(std::ostream&)>& write) {
  if (path == "-") {
    write(std::cout);
    std::cout.flush();
    if (!std::cout) throw StoreError("standard output could not be written");
    return;
  }
  std::ofstream out(path);
  if (out) write(out);
  out.close();
  if (!out) throw StoreError(fmt::format("{} could not be written", path), "is the folder there, writable, and not full?");
}

}  // namespace

std::span<const Option> output_options() noexcept { return kOutputOptions; }

void check_outputs(const Arguments& arguments) {
  int to_stdout = 0;
  for (const Option& o : kOutputOptions) to_stdout += arguments.text(o.name) == "-";
  if (to_stdout > 1) throw UsageError("only one of --json, --csv, --markdown can go to standard output");
}

void write_outputs(const Arguments& arguments, const Findings& findings, const Plan& plan,
                   std::span<const TrialRecord> records, const std::string& run_folder) {
  bool stdout_taken = false;
  std::optional<StoreError> trouble;
  const auto output = [&](std::string_view option, const std::function<void(std::ostream&)>& write) {
    if (!arguments.flag(option)) return;
    const std::string path = arguments.text(option);
    stdout_taken = stdout_taken || path == "-";
    try {
      write_to(path, write);
    } catch (const StoreError& e) {
      if (!trouble) trouble = e;
    }
  };
  output("--json", [&](std::ostream& out) { write_json(out, findings, plan, records, run_folder); });
  output("--csv", [&](std::ostream& out) { write_csv(out, findings); });
  output("--markdown", [&](std::ostream& out) { write_markdown(out, findings, plan); });
  if (!stdout_taken) write_to("-", [&](std::ostream& out) { write_terminal(out, findings, plan, run_folder, style_of_stdout()); });
  if (trouble) throw *trouble;
}

int exit_code_of(const Findings& f, bool strict) {
  std::vector<int> codes;
  if (f.trials_valid + f.trials_noisy == 0) codes.push_back(kNothingValid);
  if (f.trials_failed > 0 || (strict && f.trials_noisy + f.trials_invalid > 0)) codes.push_back(kTrialFailed);
  return strongest(codes);
}

}  // namespace benchbench
