// Every process that a child of ours left running, wherever it is now.
#pragma once
#include <chrono>
#include <string>
#include <vector>

namespace benchbench {

// The environment variable that a child is started with, and hands on to all that it starts. Its
// value is new at each call: "BENCHBENCH_PROCESS_MARK=4711.3". Any thread.
std::string new_process_mark();

// Processes that can still run with that variable in their environment, and those below them, which
// may have lost it: in another session or process group, or with a parent that has ended, all the
// same. Not ours, nor those we may not read.
std::vector<int> marked_processes(const std::string& mark);

// SIGKILL to all of them, again until none is left or `patience` has passed. How many were left
// then.
std::size_t kill_marked(const std::string& mark, std::chrono::milliseconds patience) noexcept;

}  // namespace benchbench
