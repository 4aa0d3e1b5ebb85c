// Runs the built program as a user with a GPU does: its CUDA driver and its NVML are
// tests/stub_cuda, which the loader finds first.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/golden/program/program.h"

namespace benchbench::test {

using StubSettings = std::vector<std::pair<std::string, std::string>>;

// Its driver is as BENCHBENCH_STUB_<name> says; all others are as they are by default. The setting
// WITHOUT_NVJPEG leaves that library out. Its leaks go
// to the file "leaks" of the folder.
Ran run_on_stub(const Scratch& folder, const std::vector<std::string>& arguments,
                const StubSettings& settings = {});

// Mocks of 2 ms batches and 1 ms steps on cuda:0, copied from pageable memory.
std::string stub_scenario(const std::string& extra = "");

// The folder of a run of this scenario in all modes, on a "Stub H100" that nothing is wrong with:
// made at the first call. Its results are in "r" and "r.json", its leaks in "leaks".
const Scratch& plain_run();

// Records of the three modes.
std::vector<nlohmann::json> journal_of(const Scratch& folder, const std::string& run);
// Records of the mode that are no anchor's repetition.
std::vector<nlohmann::json> records_of(const Scratch& folder, const std::string& run,
                                       const std::string& mode);
std::string first_reason(const nlohmann::json& record);
// What other programs did beside it makes a trial NOISY, never wrong.
bool usable(const nlohmann::json& record);

// A build without nvcc has no kernels of mock steps.
bool has_kernels();

}  // namespace benchbench::test
