// `benchbench micro`: the parts alone, with Google Benchmark.
#include <vector>

#include "harness/app/command.h"
#include "harness/core/error.h"
#if BENCHBENCH_HAS_MICRO
#include "harness/micro/micro.h"
#include "harness/part/catalog.h"
#endif

namespace benchbench {
namespace {

#if BENCHBENCH_HAS_MICRO
int run_micro_command(const Arguments& arguments) {
  std::vector<std::string> words{"benchbench-micro"};
  if (!arguments.positional().empty()) words.push_back("--benchmark_filter=" + arguments.positional().front());
  for (const std::string& flag : arguments.list("--flag")) words.push_back("--benchmark_" + flag);
  std::vector<char*> argv;
  for (std::string& w : words) argv.push_back(w.data());
  return run_micro(built_in_catalog(), static_cast<int>(argv.size()), argv.data());
}
#else
int run_micro_command(const Arguments&) {
  throw UsageError("this build has no micro benchmarks: Google Benchmark was not found when it was configured",
                   "install libbenchmark-dev and build again");
}
#endif

constexpr Option kOptions[] = {
    {"--flag", "NAME=VALUE", "a flag of Google Benchmark without its --benchmark_, e.g. repetitions=5", true}};

}  // namespace

constinit const Command micro_command{"micro", "measure", "the parts alone: hand-over, loader against a bare loop, clocks", "[FILTER]", 0, 1, kOptions,
                            "  benchbench micro\n"
                            "  benchbench micro hand_over\n"
                            "  benchbench micro loop --flag format=json\n",
                            run_micro_command};

}  // namespace benchbench
