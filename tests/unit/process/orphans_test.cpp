// What a trial's child leaves behind in groups of their own ends with it.
#include <signal.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "harness/core/error.h"
#include "harness/core/process_tree.h"
#include "harness/process/supervisor.h"
#include "tests/hang.h"
#include "tests/scratch_folder.h"

namespace benchbench::orphans_test {
namespace {

using std::chrono::milliseconds;

class Kept final : public TrialSink {
 public:
  void started(const Trial&, const PlannedRun&) override {}
  void progressed(const Trial&, const PlannedRun&, const TrialProgress&) override {}
  void finished(TrialRecord& record) override {
    records.push_back(record);
    if (throws) throw StoreError("the disk is full");
  }
  std::vector<TrialRecord> records;
  bool throws = false;
};

int pid_in(const std::string& file) {
  std::ifstream in(file);
  int pid = 0;
  in >> pid;
  return pid;
}

// A trial's child that starts something in a session of its own, which has another below it, and
// then does `last`.
class Leaving {
 public:
  Leaving(const std::string& last, std::chrono::seconds timeout)
      : folder_(test::make_scratch_folder("orphans")) {
    options.program = "/bin/sh";
    options.child_arguments = {
        "-c", "setsid sh -c 'echo $$ > " + folder_ + "/a; sleep 1000 & echo $! > " + folder_ +
                  "/b; wait' & while ! [ -s " + folder_ + "/b ]; do sleep 0.01; done; " + last};
    options.hang_patience = options.stop_patience = milliseconds{200};
    plan.trials.resize(1);
    plan.trials[0].settings.set(
        "measure.timeout",
        Value::parse(ParameterType::duration, std::to_string(timeout.count()) + "s").value());
  }
  ~Leaving() { std::filesystem::remove_all(folder_); }
  Leaving(const Leaving&) = delete;
  void run() {
    const std::vector<PlannedRun> todo{{0, 0, 0}};
    supervise(plan, todo, options, kept);
  }
  bool has_started_both() const { return pid_in(folder_ + "/a") > 0 && pid_in(folder_ + "/b") > 0; }
  void check_nothing_left() const {
    REQUIRE(has_started_both());
    CHECK_FALSE(see_process(pid_in(folder_ + "/a")));
    CHECK_FALSE(see_process(pid_in(folder_ + "/b")));
    CHECK(descendants_of(::getpid()).empty());
  }
  SupervisorOptions options;
  Plan plan;
  Kept kept;

 private:
  std::string folder_;
};

// Calls `run`, with a longer limit where the child has not started both within it, as on a busy
// machine. Both keep the child's pipe open: it is heard up to the limit whatever it does.
template <class Run>
void check_run(const std::string& last, Run run) {
  for (std::chrono::seconds timeout{1};; timeout *= 4) {
    Leaving leaving(last, timeout);
    run(leaving);
    if (!leaving.has_started_both() && timeout < test::kHang) continue;
    return leaving.check_nothing_left();
  }
}

}  // namespace

TEST_CASE("orphans: nothing is left of a child that ended, hung, or was killed",
          "[unit][process]") {
  for (const char* last : {"exit 0", "kill -KILL $$", "sleep 1000"}) {
    CAPTURE(last);
    check_run(last, [](Leaving& leaving) {
      leaving.run();
      REQUIRE(leaving.kept.records.size() == 1);
      CHECK(leaving.kept.records[0].status == Status::failed);
    });
  }
}

TEST_CASE("orphans: nothing is left where the run ends by an error of the store",
          "[unit][process]") {
  check_run("sleep 1000", [](Leaving& leaving) {
    leaving.kept.throws = true;
    CHECK_THROWS_AS(leaving.run(), StoreError);
  });
}

}  // namespace benchbench::orphans_test
