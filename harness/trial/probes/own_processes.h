// Tells the processes on a card that are this one, or that it started, from others, under whatever
// numbers NVML has them.
#pragma once
#include <set>
#include <string_view>

namespace benchbench {

// Returns the numbers of this process in all PID name spaces that can be seen from here, and those
// that were remembered. One thread, as remember_own().
std::set<unsigned> own_processes();
// Keeps numbers for later trials of this process. In a container NVML lists it under a number of
// the host, which only shows by coming as the process gets its context; and the context may outlive
// a trial. A number that is a stranger's here is not kept.
void remember_own(const std::set<unsigned>& pids);

// True if the process is `root`, or `root` started it, or what started it, as far as it is seen
// here.
bool is_below(unsigned pid, unsigned root);
bool is_below_this_process(unsigned pid);
bool is_seen_here(unsigned pid);

// Returns the numbers in the line "NSpid:" of a /proc/PID/status: of the outermost name space
// first.
std::set<unsigned> pids_in_status(std::string_view status);

}  // namespace benchbench
