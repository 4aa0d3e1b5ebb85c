// What the kernel says of a process of the script: what it waits in, and which of our signals it
// can be asked by.
#pragma once
#include <optional>
#include <string>

#include "harness/part/wrapped.h"

namespace benchbench {

// False also where there is no such process.
bool catches(int pid, int signal);
// "waits for a lock", "waits for data", "sleeps"; "" where it runs, or where it is not known.
std::string waits_in(int pid);
// The system call of that number, likewise.
std::string wait_words(long call);

// What C code wrote of its stacks at kLastSignal; nullopt: nothing.
std::optional<WrapStacks> last_stacks(int pid);
// As Python's faulthandler writes them.
WrapStacks stacks_in(const std::string& text);

// It has libtorch mapped.
bool has_torch(int pid);
// Why no Python of ours is in it, as a sentence without its stop; "" where it is not known. `site`:
// the folder of ours that PYTHONPATH begins with.
std::string why_unattached(int pid, const std::string& site);

}  // namespace benchbench
