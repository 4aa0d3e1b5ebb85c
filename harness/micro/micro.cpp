#include "harness/micro/micro.h"

#include <benchmark/benchmark.h>

#include "harness/micro/benchmarks.h"

namespace benchbench {

int run_micro(const Catalog& catalog, int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  micro::register_pieces();
  micro::register_hand_over(catalog);
  micro::register_observer(catalog);
  micro::register_virtual_time(catalog);
  micro::register_loader_vs_loop(catalog);
  micro::register_start_up();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

}  // namespace benchbench
