// `benchbench describe WORD...`: a part, a metric or a scenario key in plain words.
#include <fmt/format.h>

#include <iostream>

#include "harness/app/command.h"
#include "harness/app/exit_code.h"
#include "harness/report/describe.h"

namespace benchbench {
namespace {

constexpr std::string_view kExitCodes = "exit_codes";

void print_exit_codes() {
  std::cout << "exit codes, the strongest first where several hold\n";
  for (const ExitMeaning& m : exit_meanings()) std::cout << fmt::format("  {:>3}  {}\n", int{m.code}, m.text);
}

int run_describe(const Arguments& arguments) {
  bool first = true;
  for (const std::string& word : arguments.positional()) {
    if (!first) std::cout << '\n';
    first = false;
    if (word == kExitCodes) {
      print_exit_codes();
      continue;
    }
    std::cout << describe(word, built_in_catalog());   // throws UsageError with the nearest spelling
  }
  return 0;
}

}  // namespace

constinit const Command describe_command{"describe",
                                         "check",
                                         "explain a part, a metric or a scenario key",
                                         "WORD...",
                                         1,
                                         64,
                                         {},
                                         "  benchbench describe native\n"
                                         "  benchbench describe headroom\n"
                                         "  benchbench describe loader.prefetch_factor\n"
                                         "  benchbench describe exit_codes\n",
                                         run_describe};

}  // namespace benchbench
