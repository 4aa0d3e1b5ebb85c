#include "harness/micro/micro.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <vector>

#include "harness/core/called_as.h"
#include "harness/micro/benchmarks.h"

namespace benchbench {
namespace {

constexpr std::string_view kMinTime = "--benchmark_min_time=";
constexpr std::string_view kFormat = "--benchmark_format=";
constexpr std::string_view kListTests = "--benchmark_list_tests";
constexpr const char kShortMinTime[] = "--benchmark_min_time=0.05";  // all of it in three minutes

void register_all(micro::Workbench& bench) {
  micro::register_pieces();
  micro::register_copies();
  micro::register_hand_over(bench);
  micro::register_formats_alone(bench);
  micro::register_decode_alone(bench);
  micro::register_parts_alone(bench);
  micro::register_observer(bench);
  micro::register_virtual_time(bench);
  micro::register_loader_vs_loop(bench);
  micro::register_start_up();
  micro::register_figures_at_work(bench);
  micro::register_mock_step(bench);
  micro::register_figures_against_torch(bench);
  micro::register_figures_of_storage(bench);
  micro::register_predictions(bench);
}

// The last one given; empty where none is.
std::string_view value_of(std::string_view flag, int argc, char** argv) {
  std::string_view value;
  for (int i = 1; i < argc; ++i)
    if (std::string_view word = argv[i]; word.starts_with(flag)) value = word.substr(flag.size());
  return value;
}

// Google Benchmark itself ends the program with 0 where it does not know a format.
bool format_is_known(int argc, char** argv) {
  const std::string_view format = value_of(kFormat, argc, argv);
  if (format.empty() || format == "console" || format == "json" || format == "csv") return true;
  std::fprintf(stderr, "error: %s%.*s: console, json or csv\n", kFormat.data(),
               static_cast<int>(format.size()), format.data());
  return false;
}

// Hands the arguments to Google Benchmark.
bool are_known(int argc, char** argv) {
  std::vector<char*> words(argv, argv + argc);
  static std::string short_time = kShortMinTime;
  if (value_of(kMinTime, argc, argv).empty()) words.insert(words.begin() + 1, short_time.data());
  words.push_back(nullptr);
  int count = static_cast<int>(words.size()) - 1;
  benchmark::Initialize(&count, words.data());
  return !benchmark::ReportUnrecognizedArguments(count, words.data());
}
}  // namespace

int run_micro(const Catalog& catalog, int argc, char** argv) {
  if (!format_is_known(argc, argv) || !are_known(argc, argv)) return 2;
  micro::Workbench bench(catalog);
  register_all(bench);
  const std::size_t run = benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  if (run > 0) return 0;
  std::fprintf(stderr, "error: no micro benchmark matches\n  `%s %s=true` lists them all\n",
               as_called("benchbench micro").c_str(), kListTests.data());
  return 2;
}

}  // namespace benchbench
