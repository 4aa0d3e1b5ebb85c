// Lists the processes that have a context, where the stub's driver and its NVML are to agree.
//   BENCHBENCH_STUB_CONTEXTS   a folder: each process with a context has a file there, named by its
//                              number, and NVML lists those processes
//   BENCHBENCH_STUB_EXCLUSIVE  1: as in exclusive compute mode one process alone may have a context
#pragma once
#include <vector>

namespace benchbench::stub_cuda {

// Returns those of other processes too; one that has ended has none.
std::vector<unsigned> processes_with_context();

// False where the compute mode has no room for a context of this process.
bool take_context();
void give_context_back();

}  // namespace benchbench::stub_cuda
