#include "tests/golden/program/program.h"
#include "tests/places.h"
#include "tests/scratch_folder.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

namespace benchbench::test {

namespace fs = std::filesystem;

Scratch::Scratch() : folder_(make_scratch_folder("test")) {}
Scratch::~Scratch() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}
std::string Scratch::path(const std::string& name) const {
  return name.empty() ? folder_ : folder_ + "/" + name;
}
std::string Scratch::write(const std::string& name, const std::string& text) const {
  std::ofstream(path(name)) << text;
  return path(name);
}

std::string on_one_line(const std::string& text) {
  std::istringstream words(text);
  std::string line;
  for (std::string word; words >> word;) line += (line.empty() ? "" : " ") + word;
  return line;
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::size_t count_lines(const std::string& path) {
  const std::string text = read_file(path);
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

Running::Running(const Scratch& folder, const std::vector<std::string>& arguments)
    : out_(folder.path("stdout.txt")), err_(folder.path("stderr.txt")) {
  std::vector<std::string> words{program_path()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& w : words) argv.push_back(w.data());
  argv.push_back(nullptr);
  const std::string cache = folder.path("cache");
  pid_ = ::fork();
  if (pid_ == 0) {
    if (::chdir(folder.path().c_str()) != 0) ::_exit(126);
    ::setenv("BENCHBENCH_CACHE", cache.c_str(), 1);
    ::setenv("NO_COLOR", "1", 1);
    // It is called by its name, not by the build's path.
    if (!::getenv("BENCHBENCH_CALLED_AS")) ::setenv("BENCHBENCH_CALLED_AS", "benchbench", 1);
    ::dup2(::open("/dev/null", O_RDONLY), 0);
    ::dup2(::open(out_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), 1);
    ::dup2(::open(err_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), 2);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
}

Running::~Running() {
  if (!ended_) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
}

void Running::signal(int number) const { ::kill(pid_, number); }

Ran Running::finish() {
  if (!ended_) ::waitpid(pid_, &status_, 0);
  ended_ = true;
  const int code = WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_);
  return {code, read_file(out_), read_file(err_)};
}

bool Running::wait_for_lines(const std::string& path, std::size_t lines) const {
  while (count_lines(path) < lines) {
    if (::waitpid(pid_, &status_, WNOHANG) == pid_) {
      ended_ = true;
      return count_lines(path) >= lines;
    }
    ::poll(nullptr, 0, 2);
  }
  return true;
}

Ran run_program(const Scratch& folder, const std::vector<std::string>& arguments) {
  return Running(folder, arguments).finish();
}

Ran copy_shared_run(const Scratch& folder, const std::string& scenario,
                    const std::vector<std::string>& arguments) {
  struct Made {
    Scratch folder;
    Ran ran;
  };
  static std::map<std::pair<std::string, std::vector<std::string>>, Made> all;
  const auto [at, is_new] = all.try_emplace({scenario, arguments});
  Made& made = at->second;
  if (is_new) {
    made.folder.write("tiny.yaml", scenario);
    made.ran = run_program(made.folder, arguments);
  }
  fs::copy(made.folder.path(), folder.path(),
           fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  return made.ran;
}

Ran copy_tiny_run(const Scratch& folder) {
  return copy_shared_run(folder, tiny_scenario(),
                         {"run", "tiny.yaml", "--clock", "simulated", "--out", "r"});
}

namespace {

std::string mock_scenario(const std::string& measure, const std::string& extra) {
  return "name: tiny\n"
         "question: Does a tiny run work?\n"
         "loader:\n"
         "  use: synthetic\n"
         "  num_workers: 1\n"
         "  batch_size: 4\n"
         "  batch_time: 2ms\n"
         "trainer:\n"
         "  use: timed\n"
         "  step_time: 1ms\n"
         "measure: " +
         measure + "\n" + extra;
}

}  // namespace

std::string tiny_scenario(const std::string& extra) {
  return mock_scenario("{class: selftest, window: 200ms, window_batches: 100, rounds: 2}", extra);
}

std::string quick_scenario(const std::string& extra) {
  return mock_scenario(
      "{class: stretch, window: 100ms, window_batches: 4, warmup: 10ms, rounds: 2}", extra);
}

std::string loader_then(const std::string& trainer) {
  return "name: loader_then\n"
         "loader: {use: synthetic, num_workers: 1, batch_size: 4, batch_time: 2ms}\n"
         "trainer: " +
         trainer +
         "\n"
         "measure: {class: selftest, rounds: 1, modes: [loader, pipeline], warmup: 10ms}\n";
}

std::string python_with_scipy() {
  static const std::string found = [] {
    for (const std::string one : {"python3", "/usr/bin/python3"})
      if (std::system((one + " -c 'import scipy' 2>/dev/null").c_str()) == 0) return one;
    return std::string();
  }();
  return found;
}

}  // namespace benchbench::test
