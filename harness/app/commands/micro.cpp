// `benchbench micro`: the parts alone, with Google Benchmark.
#include <vector>

#include "harness/app/command.h"
#include "harness/app/options.h"
#include "harness/core/error.h"
#if BENCHBENCH_HAS_MICRO
#include "harness/micro/micro.h"
#include "harness/part/catalog.h"
#endif

namespace benchbench {
namespace {

constexpr std::string_view kTheirs = "--benchmark_*";
constexpr Option kMicroOptions[] = {
    {kTheirs,
     {},
     "any flag of Google Benchmark: --benchmark_repetitions=5, --benchmark_out=FILE ..."}};

#if BENCHBENCH_HAS_MICRO
int run_micro_command(const Arguments& arguments) {
  std::vector<std::string> words{"benchbench-micro"};
  if (!arguments.positional().empty())
    words.push_back("--benchmark_filter=" + arguments.positional().front());
  for (const std::string& flag : arguments.list(kTheirs)) words.push_back(flag);
  std::vector<char*> argv;
  for (std::string& w : words) argv.push_back(w.data());
  return run_micro(built_in_catalog(), static_cast<int>(argv.size()), argv.data());
}
#else
int run_micro_command(const Arguments&) {
  throw UsageError(
      "this build has no microbenchmarks: Google Benchmark was not found at configure time",
      "install libbenchmark-dev and rebuild");
}
#endif

}  // namespace

extern const Command micro_command{
    "micro",
    "measure",
    "microbenchmarks of every part, comparison figures, a predicted pipeline rate",
    "[FILTER]",
    joined({kMicroOptions}),
    "  benchbench micro\n"
    "  benchbench micro figures                               ratios with a goal\n"
    "  benchbench micro read/tar --benchmark_format=json\n",
    run_micro_command};

}  // namespace benchbench
