#include "harness/app/whole_error.h"

#include <cstdio>

#include "harness/app/exit_code.h"
#include "harness/app/interrupt.h"
#include "harness/config/scenario_file.h"
#include "harness/core/called_as.h"
#include "harness/core/visible_text.h"

namespace benchbench {
namespace {

int exit_code_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
    case ErrorKind::scenario:
      return kUsage;
    case ErrorKind::store:
      return kNotWritten;
    case ErrorKind::interrupted:
      return interrupt_exit_code() ? interrupt_exit_code() : kInterrupted;
    case ErrorKind::budget:
      return kBudgetEnded;
    case ErrorKind::device:
      return kNothingValid;
    case ErrorKind::part:
      return kTrialFailed;
  }
  return kTrialFailed;
}

void print(const Error& e) {
  std::fprintf(stderr, "error: %s\n", as_called(visible(e.what())).c_str());
  if (!e.context().empty()) std::fprintf(stderr, "  while: %s\n", visible(e.context()).c_str());
  if (!e.details().empty()) std::fprintf(stderr, "%s\n", visible_lines(e.details()).c_str());
  if (!e.hint().empty()) std::fprintf(stderr, "hint: %s\n", as_called(visible(e.hint())).c_str());
}

}  // namespace

int tell_whole_error(const Error& error) {
  if (const auto* scenario = dynamic_cast<const ScenarioDiagnostics*>(&error))
    std::fputs(scenario->text().c_str(), stderr);
  else
    print(error);
  return exit_code_of(error.kind());
}

}  // namespace benchbench
