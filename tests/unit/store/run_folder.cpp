#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>

#include "harness/core/digest.h"
#include "tests/sweep.h"
#include "tests/unit/store/folder.h"

namespace benchbench::store_tests {

TEST_CASE("run folder: what was appended is read, in order, with plan and series",
          "[unit][store]") {
  const TemporaryFolder temporary;
  const std::string path = temporary / "deep/run";
  {
    RunFolder folder = RunFolder::create(path, plan_of(), environment());
    TrialRecord one = record_of(0), two = record_of(1, 2000);
    two.raw_series["step"] = {5, -6, 7};
    folder.append(one);
    folder.append(two);
    CHECK(one.sequence == 0);
    CHECK(two.sequence == 1);
    REQUIRE(two.series.size() == 1);
    CHECK(two.series[0].file == "series/1-step.bin");
    CHECK(two.series[0].length == 3);
    CHECK(folder.path() == path);
  }
  const Journal journal = RunFolder::read(path);
  CHECK(journal.notes.empty());
  CHECK(to_json(journal.plan) == to_json(plan_of()));
  REQUIRE(journal.records.size() == 2);
  CHECK(journal.records[1].facts.window.ns == 2000);
  CHECK(journal.records[1].series[0].crc32c != 0);
  CHECK(bytes_of(path + "/series/1-step.bin").size() == 24);
  CHECK(std::filesystem::exists(path + "/environment.json"));
}

TEST_CASE(
    "run folder: records are replaced by what is known of them since, and more can be appended",
    "[unit][store]") {
  const TemporaryFolder temporary;
  const std::string path = temporary / "run";
  RunFolder folder = RunFolder::create(path, plan_of(), environment());
  std::vector<TrialRecord> records{record_of(0), record_of(1)};
  records[0].raw_series["step"] = {5, -6, 7};
  for (TrialRecord& record : records) folder.append(record);
  records[0].facts.epochs.completed = 3;
  Plan plan = plan_of();
  plan.rounds = 17;
  folder.replace(plan, records);
  TrialRecord third = record_of(0, 4000);
  folder.append(third);
  const Journal journal = RunFolder::read(path);
  CHECK(journal.plan.rounds == 17);
  REQUIRE(journal.records.size() == 3);
  CHECK(journal.records[0].facts.epochs.completed == 3);
  CHECK(journal.records[0].series.at(0).file == records[0].series.at(0).file);
  CHECK(journal.records[2].facts.window.ns == 4000);
}

TEST_CASE("run folder: a line is sealed as the format says", "[unit][store]") {
  const TemporaryFolder temporary;
  RunFolder folder = RunFolder::create(temporary / "run", plan_of(), environment());
  TrialRecord record = record_of(0);
  folder.append(record);
  const std::string line = bytes_of(temporary / "run/journal.jsonl");
  const auto at = line.rfind(",\"crc\"");
  REQUIRE(at != std::string::npos);
  char wanted[32];
  snprintf(wanted, sizeof wanted, ",\"crc\":\"%08x\"}\n",
           crc32c(std::string_view(line).substr(0, at)));
  CHECK(line.substr(at) == wanted);
  CHECK(line.substr(0, at) + "}" == to_json(record));
}

// The journal's size behind the first of them.
std::size_t write_two_records(const std::string& path) {
  RunFolder folder = RunFolder::create(path, plan_of(), environment());
  TrialRecord one = record_of(0), two = record_of(1);
  folder.append(one);
  const std::size_t first = bytes_of(path + "/journal.jsonl").size();
  folder.append(two);
  return first;
}

TEST_CASE(
    "run folder: a line torn at any byte is left out by read, cut by resume, and costs no other",
    "[unit][store]") {
  const TemporaryFolder temporary;
  const std::string path = temporary / "run", file = path + "/journal.jsonl";
  const std::size_t first = write_two_records(path);
  const std::string whole = bytes_of(file);
  const std::size_t step = test::sweep_size(17, 1);
  for (std::size_t size = first; size < whole.size(); size += step) {
    INFO("cut at byte " << size << " of " << whole.size());
    put(file, whole.substr(0, size));
    const Journal seen = RunFolder::read(path);
    REQUIRE(seen.records.size() == 1);
    REQUIRE(seen.notes.size() == (size > first));
    REQUIRE(bytes_of(file).size() == size);  // read changes nothing
    Journal journal;
    {
      RunFolder folder = RunFolder::resume(path, journal);
      REQUIRE(journal.records.size() == 1);
      REQUIRE(journal.notes.size() == (size > first));
      REQUIRE(bytes_of(file).size() == first);
      TrialRecord again = record_of(1);
      folder.append(again);
      REQUIRE(again.sequence == 1);
    }
    REQUIRE(bytes_of(file) == whole);
  }
}

TEST_CASE("run folder: a tail of zeros, as a crashed file system leaves it, is a torn tail",
          "[unit][store]") {
  const TemporaryFolder temporary;
  const std::string path = temporary / "run", file = path + "/journal.jsonl";
  {
    RunFolder folder = RunFolder::create(path, plan_of(), environment());
    TrialRecord one = record_of(0);
    folder.append(one);
  }
  const std::string whole = bytes_of(file);
  put(file, whole + std::string(4096, '\0'));
  Journal journal;
  RunFolder::resume(path, journal);
  REQUIRE(journal.notes.size() == 1);
  CHECK(journal.notes[0].find("4096 bytes") != std::string::npos);
  CHECK(bytes_of(file) == whole);
}

// Refused with its line by who reads and who resumes, and left as it is.
void require_damaged(const std::string& path, const std::string& bytes, int line) {
  const std::string file = path + "/journal.jsonl",
                    place = "journal.jsonl:" + std::to_string(line) + ": ";
  put(file, bytes);
  REQUIRE(complaint_of([&] { RunFolder::read(path); }).find(place) != std::string::npos);
  Journal journal;
  REQUIRE(complaint_of([&] { RunFolder::resume(path, journal); }).find(place) != std::string::npos);
  REQUIRE(bytes_of(file) == bytes);
}

TEST_CASE("run folder: a flipped bit, in the last line too, names its line and cuts nothing",
          "[unit][store]") {
  const TemporaryFolder temporary;
  const std::string path = temporary / "run", file = path + "/journal.jsonl";
  {
    RunFolder folder = RunFolder::create(path, plan_of(), environment());
    for (int i = 0; i < 3; ++i) {
      TrialRecord record = record_of(0, i);
      folder.append(record);
    }
  }
  const std::string whole = bytes_of(file);
  for (int line = 2, begin = static_cast<int>(whole.find('\n')) + 1; line <= 3; ++line) {
    const int end = static_cast<int>(whole.find('\n', static_cast<std::size_t>(begin)));
    for (int at = begin; at < end; at += 7) {
      std::string damaged = whole;
      damaged[static_cast<std::size_t>(at)] ^= 4;
      if (damaged[static_cast<std::size_t>(at)] == '\n') continue;
      INFO("byte " << at);
      require_damaged(path, damaged, line);
    }
    begin = end + 1;
  }
  for (const char* more : {"\n", "no record\n", "{}\n"}) require_damaged(path, whole + more, 4);
  // A bit that makes a zero of a byte leaves one of them, not the block of a lost write.
  std::string zero = whole;
  zero[zero.size() - 20] = '\0';
  require_damaged(path, zero, 3);
}

TEST_CASE(
    "run folder: a last line with blocks that never reached the disk is torn, its line feed or not",
    "[unit][store]") {
  const TemporaryFolder temporary;
  const std::string path = temporary / "run", file = path + "/journal.jsonl";
  const std::size_t first = write_two_records(path);
  const std::string whole = bytes_of(file);
  std::string holed = whole;
  holed.replace(first, 100, 100, '\0');
  put(file, holed);
  CHECK(RunFolder::read(path).notes.size() == 1);
  Journal journal;
  RunFolder::resume(path, journal);
  CHECK(journal.notes.size() == 1);
  CHECK(bytes_of(file) == whole.substr(0, first));
}

TEST_CASE("run folder: a line that is missing or moved is told", "[unit][store]") {
  const TemporaryFolder temporary;
  const std::string path = temporary / "run", file = path + "/journal.jsonl";
  {
    RunFolder folder = RunFolder::create(path, plan_of(), environment());
    for (int i = 0; i < 3; ++i) {
      TrialRecord record = record_of(0, i);
      folder.append(record);
    }
  }
  const std::string whole = bytes_of(file);
  put(file, whole.substr(whole.find('\n') + 1));
  CHECK(complaint_of([&] {
          RunFolder::read(path);
        }).find("journal.jsonl:1: this line has sequence number 1, expected 0") !=
        std::string::npos);
}

TEST_CASE("run folder: a damaged plan is told as such", "[unit][store]") {
  const TemporaryFolder temporary;
  const std::string path = temporary / "run";
  {
    RunFolder::create(path, plan_of(), environment());
  }
  std::string plan = bytes_of(path + "/plan.json");
  plan[plan.size() / 2] ^= 1;
  put(path + "/plan.json", plan);
  CHECK(complaint_of([&] { RunFolder::read(path); }).find("plan.json is damaged") !=
        std::string::npos);
}

TEST_CASE("run folder: only an empty folder is taken; a run already there is told apart",
          "[unit][store]") {
  const TemporaryFolder temporary;
  put(temporary / "mine.txt", "x");
  CHECK(complaint_of([&] {
          RunFolder::create(temporary.path(), plan_of(), environment());
        }).find("mine.txt") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(temporary / "lock"));
  {
    RunFolder::create(temporary / "run", plan_of(), environment());
  }
  CHECK(complaint_of([&] {
          RunFolder::create(temporary / "run", plan_of(), environment());
        }).find("already contains a run") != std::string::npos);
  // What is not there is the user's to name, no failure of a store.
  CHECK_THROWS_AS(RunFolder::read(temporary / "nothing"), UsageError);
  CHECK_THROWS_WITH(RunFolder::read(temporary / "nothing"), Catch::Contains("there is no folder"));
  CHECK_THROWS_WITH(RunFolder::read(temporary / "mine.txt"), Catch::Contains("not a run folder"));
  CHECK_THROWS_WITH(RunFolder::read(temporary.path()),
                    Catch::Contains("no " + temporary.path() + "/plan.json"));
  try {
    RunFolder::read(temporary.path());
  } catch (const UsageError& e) {
    CHECK(e.hint() == "give the folder of one run: the newest in it is " + (temporary / "run"));
  }
}

TEST_CASE("run folder: one killed before its plan was in place can be started again",
          "[unit][store]") {
  const TemporaryFolder temporary;
  const std::string path = temporary / "run";
  {
    RunFolder::create(path, plan_of(), environment());
  }
  std::filesystem::remove(path + "/plan.json");
  put(path + "/plan.json.tmp", "{\"vers");
  RunFolder folder = RunFolder::create(path, plan_of(), environment());
  CHECK(RunFolder::read(path).records.empty());
}

TEST_CASE(
    "run folder: a user's files that are called as "
    "ours are not taken for what a run left, and stay",
    "[unit][store]") {
  const TemporaryFolder temporary;
  for (const auto& [name, bytes] :
       {std::pair{"environment.json", "{\"mine\":1}\n"}, std::pair{"lock", "precious\n"}}) {
    INFO(name);
    const std::string folder = temporary / (std::string("of-") + name), file = folder + "/" + name;
    std::filesystem::create_directory(folder);
    put(file, bytes);
    const std::string wanted = std::string("is not empty (it contains ") + name + ")";
    CHECK(complaint_of([&] { RunFolder::refuse_used(folder); }).find(wanted) != std::string::npos);
    CHECK(complaint_of([&] { RunFolder::create(folder, plan_of(), environment()); }).find(wanted) !=
          std::string::npos);
    CHECK_FALSE(RunFolder::is_only_begun(folder));
    CHECK(bytes_of(file) == bytes);
  }
  // A lock as ours, and another file: neither is written.
  const std::string mixed = temporary / "mixed";
  std::filesystem::create_directory(mixed);
  put(mixed + "/lock", "");
  put(mixed + "/other", "y");
  CHECK(complaint_of([&] {
          RunFolder::create(mixed, plan_of(), environment());
        }).find("it contains other") != std::string::npos);
  CHECK(bytes_of(mixed + "/lock").empty());
}

// Runs `body` in a child that shares nothing but the disk; true where it returned true.
template <class Body>
bool in_child(Body body) {
  const pid_t child = fork();
  if (child == 0) _exit(body() ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST_CASE("run folder: a second writer is refused with the first one's process id, a reader is not",
          "[unit][store]") {
  const TemporaryFolder temporary;
  const std::string path = temporary / "run";
  const std::string in_use = "in use by process " + std::to_string(getpid());
  {
    RunFolder folder = RunFolder::create(path, plan_of(), environment());
    CHECK(in_child([&] {
      Journal journal;
      return complaint_of([&] { RunFolder::resume(path, journal); }).find(in_use) !=
                 std::string::npos &&
             complaint_of([&] {
               RunFolder::create(path, plan_of(), environment());
             }).find(in_use) != std::string::npos &&
             RunFolder::read(path).records.empty();
    }));
    Journal journal;
    CHECK(complaint_of([&] { RunFolder::resume(path, journal); }).find(in_use) !=
          std::string::npos);
  }
  CHECK(in_child([&] {
    Journal journal;
    return complaint_of([&] { RunFolder::resume(path, journal); }).empty();
  }));
}

TEST_CASE("run folder: the lock of a killed writer is gone with it", "[unit][store]") {
  const TemporaryFolder temporary;
  const std::string path = temporary / "run";
  CHECK_FALSE(in_child([&] {
    RunFolder folder = RunFolder::create(path, plan_of(), environment());
    kill(getpid(), SIGKILL);
    return true;
  }));
  Journal journal;
  CHECK(complaint_of([&] { RunFolder::resume(path, journal); }).empty());
}

TEST_CASE("run folder: another run that is put in the place of one is not written to",
          "[unit][store]") {
  const TemporaryFolder temporary;
  const std::string old = temporary / "old", path = temporary / "new";
  const auto with_series = [](std::int64_t value) {
    TrialRecord record = record_of(0);
    record.raw_series = {{"step", {value}}};
    return record;
  };
  {
    RunFolder other = RunFolder::create(old, plan_of(), environment());
    TrialRecord first = with_series(1);
    other.append(first);
  }
  const std::string series = bytes_of(old + "/series/0-step.bin"),
                    journal = bytes_of(old + "/journal.jsonl");
  REQUIRE(!series.empty());
  RunFolder folder = RunFolder::create(path, plan_of(), environment());
  std::filesystem::rename(path, temporary / "moved");
  std::filesystem::create_symlink(old, path);
  const std::string wanted = path + " is not the folder any more that this run began in";
  TrialRecord mine = with_series(2);
  CHECK(complaint_of([&] { folder.append(mine); }).find(wanted) == 0);
  CHECK(complaint_of([&] { folder.export_hdf5(); }).find(wanted) == 0);
  CHECK(complaint_of([&] { folder.replace(plan_of(), {}); }).find(wanted) == 0);
  CHECK(bytes_of(old + "/series/0-step.bin") == series);
  CHECK(bytes_of(old + "/journal.jsonl") == journal);
  CHECK_FALSE(std::filesystem::exists(old + "/results.h5"));
  // Back at its path the run goes on, wherever the path leads through.
  std::filesystem::remove(path);
  std::filesystem::create_symlink("moved", path);
  CHECK(complaint_of([&] { folder.append(mine); }).empty());
}

TEST_CASE("run folder: where nothing can be written the error says so and what to do",
          "[unit][store]") {
  const TemporaryFolder temporary;
  put(temporary / "file", "x");
  const std::string below_file =
      complaint_of([&] { RunFolder::create(temporary / "file/run", plan_of(), environment()); });
  CHECK(below_file.find("Not a directory") != std::string::npos);
  CHECK(below_file.find("--out") != std::string::npos);
  CHECK_FALSE(complaint_of([&] {
                RunFolder::create("/proc/benchbench", plan_of(), environment());
              }).empty());
}

TEST_CASE("run folder: no room for a line ends in an error, and what was there stays good",
          "[unit][store]") {
  const TemporaryFolder temporary;
  const std::string path = temporary / "run";
  const bool told = in_child([&] {
    signal(SIGXFSZ, SIG_IGN);
    RunFolder folder = RunFolder::create(path, plan_of(), environment());
    TrialRecord one = record_of(0), two = record_of(1), three = record_of(1);
    folder.append(one);
    const rlim_t room = std::filesystem::file_size(path + "/journal.jsonl") + 100;
    const rlimit narrow{room, RLIM_INFINITY}, wide{RLIM_INFINITY, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &narrow);
    const std::string complaint = complaint_of([&] { folder.append(two); });
    setrlimit(RLIMIT_FSIZE, &wide);
    if (complaint.find("ulimit -f") == std::string::npos) return false;
    if (!RunFolder::read(path).notes.empty()) return false;  // the half line was taken back
    folder.append(three);
    return three.sequence == 1;
  });
  CHECK(told);
  CHECK(RunFolder::read(path).records.size() == 2);
}

TEST_CASE("run folder: a journal of 10,000 records is read in a second or so", "[unit][store]") {
  const TemporaryFolder temporary;
  const std::string path = temporary / "run";
  {
    RunFolder::create(path, plan_of(), environment());
  }
  TrialRecord record = record_of(0);
  for (int i = 0; i < 60; ++i) {
    record.trial.settings.set("loader.key_number_" + std::to_string(i),
                              *Value::parse(ParameterType::duration, "12ms"));
  }
  record.environment.variables = {"OMP_NUM_THREADS=2", "MALLOC_ARENA_MAX=2"};
  std::string text;
  for (std::uint64_t i = 0; i < 10000; ++i) {
    record.sequence = i;
    std::string line = to_json(record);
    line.pop_back();
    char seal[32];
    snprintf(seal, sizeof seal, ",\"crc\":\"%08x\"}\n", crc32c(line));
    text += line + seal;
  }
  put(path + "/journal.jsonl", text);
  const auto start = std::chrono::steady_clock::now();
  const Journal journal = RunFolder::read(path);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  CHECK(journal.records.size() == 10000);
  CHECK(journal.records.back().trial.settings == record.trial.settings);
  WARN("10,000 records, " << text.size() / 1e6 << " MB, read in " << took.count() << " s");
}

}  // namespace benchbench::store_tests
