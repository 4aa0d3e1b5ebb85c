// What a user waits for: the whole program from its start to the end of `--help` and `version`, and from the start of a
// run of mocks until the first batch of its first recorded trial is handed over.
#include <benchmark/benchmark.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "harness/micro/benchmarks.h"

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
  explicit Started(std::vector<std::string> words) {
    int ends[2];
    if (::pipe(ends) != 0) return;
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", 1, 0);
    ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    ::posix_spawn_file_actions_addclose(&actions, ends[0]);
    words.insert(words.begin(), "benchbench");
    std::vector<char*> argv;
    for (std::string& w : words) argv.push_back(w.data());
    argv.push_back(nullptr);
    if (::posix_spawn(&pid_, "/proc/self/exe", &actions, nullptr, argv.data(), environ) != 0) pid_ = -1;
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    errors_ = ::fdopen(ends[0], "r");
  }
  ~Started() {
    if (errors_) std::fclose(errors_);
    if (pid_ > 0) {
      ::kill(pid_, SIGTERM);
      ::waitpid(pid_, nullptr, 0);
    }
  }
  Started(const Started&) = delete;
  // False where the program ended without saying it.
  bool wait_for(std::string_view line) {
    char text[4096];
    while (errors_ && std::fgets(text, sizeof text, errors_))
      if (std::string_view(text).starts_with(line)) return true;
    return false;
  }
  bool wait_for_end() {
    int status = -1;
    const bool reaped = pid_ > 0 && ::waitpid(pid_, &status, 0) == pid_;
    pid_ = -1;
    return reaped && status == 0;
  }

 private:
  pid_t pid_ = -1;
  std::FILE* errors_ = nullptr;
};

void whole_program(benchmark::State& state, const std::string& argument) {
  for (auto _ : state) {
    const auto start = Clock::now();
    if (!Started({argument}).wait_for_end()) state.SkipWithError("the program did not end well");
    state.SetIterationTime(std::chrono::duration<double>(Clock::now() - start).count());
  }
}

void first_batch(benchmark::State& state) {
  const fs::path folder = fs::temp_directory_path() / ("benchbench-start-up-" + std::to_string(::getpid()));
  fs::create_directories(folder);
  std::ofstream(folder / "start_up.yaml") << kScenario;
  for (auto _ : state) {
    fs::remove_all(folder / "run");
    const auto start = Clock::now();
    Started run({"run", folder / "start_up.yaml", "--out", folder / "run"});
    if (!run.wait_for("first batch")) state.SkipWithError("the run ended before its first batch");
    state.SetIterationTime(std::chrono::duration<double>(Clock::now() - start).count());
  }
  fs::remove_all(folder);
}

}  // namespace

void register_start_up() {
  for (const char* argument : {"--help", "version"})
    benchmark::RegisterBenchmark((std::string("start_up/") + argument).c_str(),
                                 [argument](benchmark::State& state) { whole_program(state, argument); })
        ->Unit(benchmark::kMillisecond)->UseManualTime()->Iterations(20);
  benchmark::RegisterBenchmark("start_up/first_batch", first_batch)->Unit(benchmark::kMillisecond)->UseManualTime()->Iterations(10);
}

}  // namespace benchbench::micro
