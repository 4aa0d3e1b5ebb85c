// How this process's memory allocator treats freed memory.
#pragma once
#include <string>

namespace benchbench {

// Makes the allocator keep freed blocks of up to 1 GiB instead of giving them back to the kernel,
// so that a step does not pay page faults for memory that the step before it freed. glibc raises
// its thresholds by itself once larger blocks were freed: without this, a trial's rate depends on
// the trials before it in the same process.
void keep_freed_memory() noexcept;

// Gives back what keep_freed_memory() kept, in some ms: a trial begins with what a new process has.
void release_freed_memory() noexcept;

// Returns "glibc 2.36, blocks up to 1 GiB kept when freed", or "glibc 2.36" where it is not kept.
std::string allocator_text();

}  // namespace benchbench
