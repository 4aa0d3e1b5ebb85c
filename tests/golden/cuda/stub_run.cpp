#include "tests/golden/cuda/stub_run.h"
#include "tests/places.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>
#include <sstream>

extern char** environ;

namespace benchbench::test {
namespace {

void forget_settings() {
  std::vector<std::string> old;
  for (char** row = environ; *row; ++row)
    if (std::strncmp(*row, "BENCHBENCH_STUB_", 16) == 0)
      old.emplace_back(*row, std::strchr(*row, '='));
  for (const std::string& name : old) ::unsetenv(name.c_str());
}

}  // namespace

Ran run_on_stub(const Scratch& folder, const std::vector<std::string>& arguments,
                const StubSettings& settings) {
  forget_settings();
  // A GPU of our own, at full speed, unless the test wants it otherwise.
  for (const auto& [name, value] :
       StubSettings{{"STRANGERS", "0"}, {"OWN", "1"}, {"THROTTLE", "0"}})
    ::setenv(("BENCHBENCH_STUB_" + name).c_str(), value.c_str(), 1);
  for (const auto& [name, value] : settings)
    ::setenv(("BENCHBENCH_STUB_" + name).c_str(), value.c_str(), 1);
  ::setenv("BENCHBENCH_STUB_LEAKS", folder.path("leaks").c_str(), 1);
  std::string libraries = built_path("stub_cuda");
  // Without ours, no other one is to be found where torch is.
  const bool no_jpeg = std::getenv("BENCHBENCH_STUB_WITHOUT_NVJPEG") != nullptr;
  if (!no_jpeg) libraries += ":" + built_path("stub_nvjpeg");
  if (no_jpeg) ::setenv("BENCHBENCH_TORCH_DIR", "/nowhere/torch", 1);
  ::setenv("LD_LIBRARY_PATH", libraries.c_str(), 1);
  const Ran ran = run_program(folder, arguments);
  ::unsetenv("LD_LIBRARY_PATH");
  if (no_jpeg) ::unsetenv("BENCHBENCH_TORCH_DIR");
  forget_settings();
  return ran;
}

std::string stub_scenario(const std::string& extra) {
  return "name: stub\nquestion: Does the CUDA side work?\n"
         "loader: {use: synthetic, num_workers: 1, batch_size: 16, batch_time: 2ms, height: 32, "
         "width: 32, sample_bytes: 6KiB, wait: sleep}\n"
         "trainer: {use: timed, device: \"cuda:0\", step_time: 1ms}\n"
         "measure: {rounds: 1, class: selftest, "
         "window: 200ms, window_batches: 100, warmup: 20ms}\n" +
         extra;
}

const Scratch& plain_run() {
  static const Scratch folder;
  static const bool ran = [] {
    folder.write("stub.yaml", stub_scenario());
    const Ran run = run_on_stub(folder, {"run", "stub.yaml", "--out", "r", "--json", "r.json"},
                                {{"NAME", "Stub H100"}});
    INFO(run.err);
    REQUIRE(run.code == 0);
    return true;
  }();
  static_cast<void>(ran);
  return folder;
}

std::vector<nlohmann::json> journal_of(const Scratch& folder, const std::string& run) {
  std::vector<nlohmann::json> records;
  std::istringstream lines(read_file(folder.path(run + "/journal.jsonl")));
  for (std::string line; std::getline(lines, line);)
    if (nlohmann::json record = nlohmann::json::parse(line);
        record.at("trial").value("ablation", "").empty())
      records.push_back(std::move(record));
  return records;
}

std::vector<nlohmann::json> records_of(const Scratch& folder, const std::string& run,
                                       const std::string& mode) {
  std::vector<nlohmann::json> found;
  for (nlohmann::json& record : journal_of(folder, run))
    if (record.at("trial").at("mode") == mode && record.at("planned").at("repeat") == 0)
      found.push_back(std::move(record));
  return found;
}

std::string first_reason(const nlohmann::json& record) {
  return record.at("reasons").empty() ? ""
                                      : record.at("reasons").at(0).at("text").get<std::string>();
}

bool usable(const nlohmann::json& record) {
  return record.at("status") == "VALID" || record.at("status") == "NOISY";
}

bool has_kernels() { return BENCHBENCH_HAS_KERNELS; }

}  // namespace benchbench::test
