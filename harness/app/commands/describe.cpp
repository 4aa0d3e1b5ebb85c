// `benchbench describe WORD...`: a part, a metric or a scenario key in plain words.
#include <iostream>

#include "harness/app/command.h"
#include "harness/report/describe.h"

namespace benchbench {
namespace {

int run_describe(const Arguments& arguments) {
  bool first = true;
  for (const std::string& word : arguments.positional()) {
    if (!first) std::cout << '\n';
    first = false;
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
                                         "  benchbench describe loader.prefetch_factor\n",
                                         run_describe};

}  // namespace benchbench
