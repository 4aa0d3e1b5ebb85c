#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "harness/hdf5/file.h"
#include "tests/unit/store/folder.h"

namespace benchbench::store_tests {

TEST_CASE("results.h5: a row per record, with units, settings, series and the plan",
          "[unit][store]") {
  const TemporaryFolder temporary;
  RunFolder folder = RunFolder::create(temporary / "run", plan_of(), environment());
  TrialRecord one = record_of(0, 1000), two = record_of(1, 2000);
  one.facts.bytes.read = 4096;
  one.facts.window.stages[static_cast<int>(Stage::decode)] = {77, 3};
  two.status = Status::noisy;
  two.reasons = {{"R06", false, "not steady"}};
  two.raw_series["step"] = {5, 6, 7};
  two.raw_series["trace"] = {0, 101, 5, 6};
  for (const auto& [name, unit] :
       {std::pair{"memory", "bytes"}, {"cpu_loader", "cores"}, {"faults_minor", "1/s"}}) {
    ProbeFacts& probe = two.facts.probes.emplace_back();
    probe.name = name;
    probe.unit = unit;
    two.raw_series[std::string("probe_") + name] = {8, 9};
  }
  two.trial.settings.set("loader.extra", *Value::parse(ParameterType::duration, "12ms"));
  folder.append(one);
  folder.append(two);
  folder.export_hdf5();
  const auto file = hdf5::File::open_readonly(temporary / "run/results.h5", ErrorKind::store);
  CHECK(file.text_attribute("format") == "benchbench results");
  const auto window = file.dataset("/trials/window_ns");
  CHECK(window.read_all<std::int64_t>() == std::vector<std::int64_t>{1000, 2000});
  CHECK(window.text_attribute("unit") == "ns");
  CHECK(file.dataset("/trials/samples").text_attribute("unit") == "samples");
  const auto read = file.dataset("/trials/bytes_read").read_all<double>();
  CHECK(read[0] == 4096.0);
  CHECK(std::isnan(read[1]));
  CHECK(file.dataset("/trials/stages_decode_ns").read_all<std::int64_t>() ==
        std::vector<std::int64_t>{77, 0});
  CHECK(file.dataset("/trials/get_blocked_p99").text_attribute("unit") == "ns");
  CHECK(file.dataset("/trials/status").read_text() == std::vector<std::string>{"VALID", "NOISY"});
  CHECK(file.dataset("/trials/reasons").read_text()[1] == "R06: not steady");
  CHECK(file.dataset("/settings/loader.extra").read_text() == std::vector<std::string>{"", "12ms"});
  const auto series = file.dataset("/series/1/step");
  CHECK(series.read_all<std::int64_t>() == std::vector<std::int64_t>{5, 6, 7});
  CHECK(series.text_attribute("unit") == "ns");
  CHECK(file.dataset("/series/1/probe_memory").read_all<std::int64_t>() ==
        std::vector<std::int64_t>{8, 9});
  CHECK(file.dataset("/series/1/probe_memory").text_attribute("unit") == "bytes");
  CHECK(file.dataset("/series/1/trace").text_attribute("unit") == "1");
  CHECK(file.dataset("/series/1/probe_cpu_loader").text_attribute("unit") == "ns");
  CHECK(file.dataset("/series/1/probe_faults_minor").text_attribute("unit") == "count");
  CHECK(to_json(plan_from_json(file.dataset("/plan").read_text().at(0))) == to_json(plan_of()));
  CHECK_FALSE(std::filesystem::exists(temporary / "run/results.h5.tmp"));
}

TEST_CASE("results.h5: a run without a record makes one too, and it is made anew each time",
          "[unit][store]") {
  const TemporaryFolder temporary;
  const std::string path = temporary / "run";
  RunFolder folder = RunFolder::create(path, plan_of(), environment());
  RunFolder::export_hdf5(path);
  CHECK_FALSE(hdf5::File::open_readonly(path + "/results.h5").has("/trials"));
  TrialRecord record = record_of(0);
  folder.append(record);
  RunFolder::export_hdf5(path);
  CHECK(hdf5::File::open_readonly(path + "/results.h5").dataset("/trials/sequence").rows() == 1);
}

TEST_CASE("results.h5: where a series is damaged the file before stays, and nothing half made",
          "[unit][store]") {
  const TemporaryFolder temporary;
  const std::string path = temporary / "run";
  RunFolder folder = RunFolder::create(path, plan_of(), environment());
  TrialRecord record = record_of(0);
  record.raw_series["step"] = {1, 2, 3};
  folder.append(record);
  folder.export_hdf5();
  const std::string before = bytes_of(path + "/results.h5");
  put(path + "/series/0-step.bin", "short");
  CHECK(complaint_of([&] { folder.export_hdf5(); }).find("0-step.bin") != std::string::npos);
  CHECK(bytes_of(path + "/results.h5") == before);
  CHECK_FALSE(std::filesystem::exists(path + "/results.h5.tmp"));
}

TEST_CASE("results.h5: no room for it ends in an error with the file before in place",
          "[unit][store]") {
  const TemporaryFolder temporary;
  const std::string path = temporary / "run";
  RunFolder folder = RunFolder::create(path, plan_of(), environment());
  TrialRecord record = record_of(0);
  record.raw_series["step"] = std::vector<std::int64_t>(50000, 7);
  folder.append(record);
  put(path + "/results.h5", "the file before");
  // In a child: the limit is the process's, and the library may leave what it could not write
  // behind.
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit narrow{100000, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &narrow);
    const std::string complaint = complaint_of([&] { folder.export_hdf5(); });
    _exit(complaint.find("results.h5.tmp") != std::string::npos &&
                  complaint.find("File too large") != std::string::npos
              ? 0
              : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
  CHECK(bytes_of(path + "/results.h5") == "the file before");
  CHECK_FALSE(std::filesystem::exists(path + "/results.h5.tmp"));
}

}  // namespace benchbench::store_tests
