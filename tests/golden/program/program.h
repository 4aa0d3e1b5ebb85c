// Runs the built program as a user does: arguments in, text and exit code out.
#pragma once
#include <string>
#include <vector>

namespace benchbench::test {

// A folder of its own that goes with the test.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  std::string path(const std::string& name = "") const;
  std::string write(const std::string& name, const std::string& text) const;  // returns its path

 private:
  std::string folder_;
};

struct Ran {
  int code = 0;  // exit code; 128 + signal where it was killed
  std::string out, err;
};

// Runs `benchbench arguments...` in `folder`, standard input empty, the cache inside `folder`.
Ran run_program(const Scratch& folder, const std::vector<std::string>& arguments);

// Runs the program for the first case that asks for this scenario and these arguments, and copies
// the folder that the run left into `folder`. The scenario is tiny.yaml there. Returns what the run
// said.
Ran copy_shared_run(const Scratch& folder, const std::string& scenario,
                    const std::vector<std::string>& arguments);

// Copies the run of tiny_scenario() in virtual time, whose results are in r.
Ran copy_tiny_run(const Scratch& folder);

// Runs it without waiting: for tests that kill.
class Running {
 public:
  Running(const Scratch& folder, const std::vector<std::string>& arguments);
  ~Running();
  int pid() const noexcept { return pid_; }
  void signal(int number) const;
  Ran finish();  // waits
  // Waits until `path` holds at least `lines` lines; false where the program ended first.
  bool wait_for_lines(const std::string& path, std::size_t lines) const;

 private:
  std::string out_, err_;
  int pid_ = -1;
  mutable bool ended_ = false;
  mutable int status_ = 0;
};

// Its words, one space between two: what a text says, however it is wrapped.
std::string on_one_line(const std::string& text);
std::string read_file(const std::string& path);
std::size_t count_lines(const std::string& path);
// A scenario of mocks: 2 ms loads, 1 ms steps. In virtual time a round takes hundredths of a
// second.
std::string tiny_scenario(const std::string& extra = "");
// The same mocks with the shortest windows that are valid, for the real clock. The report calls its
// trials stretches.
std::string quick_scenario(const std::string& extra = "");
// For the real clock: two short trials of the loader come first, then two of the pipeline with
// `trainer`.
std::string loader_then(const std::string& trainer);
// A trial of the first takes ten seconds at least, one of the second does not end.
inline const std::string kSlowTrainer = "{use: timed, step_time: 100ms}",
                         kHangingTrainer = "{use: faulty, fault: hang, after: 3}";
// Returns a python that has scipy, or nothing where none has. Debian's scipy is for Debian's
// python, which need not be the first one in the path.
std::string python_with_scipy();

}  // namespace benchbench::test
