// The processes below one, as /proc has them. Our children start children in groups and sessions of
// their own: nothing but their parents' numbers shows whose they are.
#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace benchbench {

// As one look at /proc/PID/stat has it.
struct ProcessSeen {
  int pid = 0, parent = 0;
  char state = '?';  // 'R' running, 'S' sleeping, 'T' stopped, 'Z' ended and not waited for
  // Ticks since boot: with the number it names a process, since numbers come again.
  std::uint64_t started = 0;
  std::uint64_t user_ticks = 0, system_ticks = 0;
  // Ticks of children that ended and were waited for, and of theirs.
  std::uint64_t waited_user_ticks = 0, waited_system_ticks = 0;
};
// nullopt where there is no such process.
std::optional<ProcessSeen> see_process(int pid);

// Of all that can be seen here, in no order: some 15 us a process.
std::vector<ProcessSeen> every_process();

// All processes below `pid`, without itself, parents before their children. Reads all of /proc:
// some 15 us a process.
std::vector<ProcessSeen> descendants_of(int pid);

// What is below this process now was started by others, such as the shell that it was called by and
// then replaced: end_descendants() leaves that alone, and what it starts. The first call counts,
// before the first child of ours. One thread.
void spare_present_descendants();

// end_descendants() leaves this child of ours alone from now on, and what it starts: it has another
// task to come. One thread.
void spare_descendant(int pid);

// Waits up to `grace` for everything below this process to end by itself; then SIGKILL, again and
// again while there is anything, for up to `patience`. Reaps what this process is the parent of, a
// child that is spared as well once it has ended: a subreaper is that of every orphan. False where
// something was left. Whoever calls it has no other child that is to go on.
bool end_descendants(std::chrono::milliseconds patience, std::chrono::milliseconds grace = {});

}  // namespace benchbench
