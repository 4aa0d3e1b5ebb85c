// Times what a user waits for: the whole program from its start to the end of `--help` and
// `--version`, and from the start of a run of mocks until the first batch of its first recorded
// trial is handed over.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "harness/core/child_process.h"
#include "harness/core/error.h"
#include "harness/core/files/folder_paths.h"
#include "harness/micro/benchmarks.h"
#include "harness/micro/row.h"

namespace benchbench::micro {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// As configs/quickstart.yaml, one round.
constexpr const char* kScenario =
    "name: start_up\n"
    "loader: {use: synthetic, num_workers: 2, batch_size: 32, batch_time: 5ms}\n"
    "trainer: {use: timed, step_time: 2ms}\n"
    "measure: {class: selftest, window: 200ms, rounds: 1}\n";

// This program with other arguments; its standard error comes through a pipe.
class Started {
 public:
  explicit Started(std::vector<std::string> words) : Started(std::move(words), make_pipe()) {}
  ~Started() {
    std::fclose(errors_);
    child_.send_signal(SIGTERM);
    child_.await_end();
  }
  // False where the program ended without saying it.
  bool wait_for(std::string_view line) {
    char text[4096];
    while (std::fgets(text, sizeof text, errors_))
      if (std::string_view(text).starts_with(line)) return true;
    return false;
  }
  bool wait_for_end() { return child_.await_end().good(); }

 private:
  Started(std::vector<std::string> words, Pipe errors)
      : child_({.program = kOwnProgram,
                .arguments = std::move(words),
                .environment = {},
                .descriptors = {{STDOUT_FILENO, ChildStart::kNull},
                                {STDERR_FILENO, errors.write.get()}}}),
        errors_(::fdopen(errors.read.release(), "r")) {}
  ChildProcess child_;
  std::FILE* errors_;
};

void whole_program(benchmark::State& state, const std::string& argument) {
  for (auto _ : state) {
    const auto start = Clock::now();
    if (!Started({argument}).wait_for_end()) state.SkipWithError("the program failed");
    state.SetIterationTime(std::chrono::duration<double>(Clock::now() - start).count());
  }
}

void first_batch(benchmark::State& state) {
  const fs::path folder =
      fs::path(temporary_folder()) / ("benchbench-start-up-" + std::to_string(::getpid()));
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed)
    throw StoreError(folder.string() + ": cannot create the folder: " + failed.message(),
                     "set TMPDIR to a folder that can be written");
  std::ofstream(folder / "start_up.yaml") << kScenario;
  for (auto _ : state) {
    fs::remove_all(folder / "run", failed);
    const auto start = Clock::now();
    Started run({"run", folder / "start_up.yaml", "--out", folder / "run"});
    if (!run.wait_for("first batch")) state.SkipWithError("the run ended before its first batch");
    state.SetIterationTime(std::chrono::duration<double>(Clock::now() - start).count());
  }
  fs::remove_all(folder, failed);
}

}  // namespace

void register_start_up() {
  for (const char* argument : {"--help", "--version"})
    add_row(std::string("start_up/") + argument,
            [argument](benchmark::State& state) { whole_program(state, argument); })
        ->Unit(benchmark::kMillisecond)
        ->UseManualTime()
        ->Iterations(20);
  add_row("start_up/first_batch", first_batch)
      ->Unit(benchmark::kMillisecond)
      ->UseManualTime()
      ->Iterations(10);
}

}  // namespace benchbench::micro
