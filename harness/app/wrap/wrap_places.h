// Reads from the kernel in which call a process of the script waits, and by which of our signals it
// can be asked.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "harness/part/wrapped.h"

namespace benchbench {

inline constexpr const char* kWaitsForLock = "waits for a lock";

// True if it has a handler; false also for a process that is not there.
bool catches(int pid, int signal);
// Returns "waits for a lock", "waits for data", "sleeps"; "" for one that runs, and for a call that
// is not known.
std::string read_wait(int pid);
// True if each of its threads waits for a lock without a limit of time or, with `has_children`, for
// a process to end: no more data and no time ends that.
bool waits_for_good(int pid, bool has_children);
// Returns the same as read_wait() for a system call by its number.
std::string wait_words(long call);

// Returns the stacks that C code wrote at kLastSignal; nullopt: it wrote none. `ours`: the folder
// of our own modules, which are not the user's.
std::optional<WrapStacks> read_last_stacks(int pid, const std::string& ours);
// Reads stacks from the text that Python's faulthandler writes.
WrapStacks parse_stacks(const std::string& text, const std::string& ours);

// Returns the file of its program; "" where it cannot be read.
std::string read_program(int pid);
// True if it has libtorch mapped.
bool has_torch(int pid);
// True if multiprocessing has started it by spawn or forkserver, as its command line says.
bool is_of_multiprocessing(int pid);
// True if it is a Python that benchbench is in, whether or not it has imported torch.
// `site`: the folder of ours that PYTHONPATH begins with.
bool is_attached(int pid, const std::string& site);
// Returns why no Python of ours is in a command, and what to do, as a sentence without its stop; ""
// if it is not known. `words`: one at least.
std::string explain_unattached(const std::vector<std::string>& words);
// Returns the same of a process.
// `site`: the folder of ours that PYTHONPATH begins with.
std::string explain_unattached(int pid, const std::string& site);

}  // namespace benchbench
