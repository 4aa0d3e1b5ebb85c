// What the command line of `benchbench wrap` asks for.
#pragma once
#include <string>
#include <vector>

#include "harness/app/command.h"
#include "harness/part/wrapped.h"

namespace benchbench {

struct WrapRequest {
  WrapOrder order;
  std::vector<std::string> words;        // of the command
  std::vector<std::string> environment;  // "NAME=value", beside what the measuring needs
  std::string script;   // "train.py", "my_pkg": what is measured, as far as the words say
  std::string folder;   // for the record; empty: the user's state folder
  bool traces = false;  // the first F keeps what a trace is drawn from
  // Data of ours goes to standard output: what the script prints there goes to standard error.
  bool gives_stdout_away = false;
  std::uint32_t max_workers = 0;      // of --tune; 0: the cores
  std::optional<double> target_rate;  // of --tune, samples/s
  Nanoseconds hang_after{0};          // without a fetch, a step and CPU time
  bool copies = false;                // the script runs in a copy of the working directory
};

std::vector<Option> wrap_options();
// UsageError for what cannot be.
WrapRequest wrap_request(const Arguments& arguments);

// The word of a command that names the user's code: a file that ends in .py, what comes after -m,
// else the program.
std::string script_in(const std::vector<std::string>& words);

}  // namespace benchbench
