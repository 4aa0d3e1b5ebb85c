// Work after the step: exact in virtual time, real files, and what happens when they cannot be
// written.
#include "harness/trial/after/after_step.h"
#include "harness/part/null_meter.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <map>

#include "tests/scratch_folder.h"
#include "tests/skip.h"
#include "tests/unit/trial/trial_of_mocks.h"

namespace benchbench::test {
namespace after_step {

namespace fs = std::filesystem;

struct Folder {
  Folder() : path(make_scratch_folder("after")) {}
  ~Folder() { fs::remove_all(path); }
  std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(path), fs::directory_iterator{}));
  }
  fs::path path;
};

struct Model final : Trainer {
  void step(BatchLease, StepContext&) override {}
  void finish() override {}
  double loss() override { return ++losses_read; }
  std::uint64_t parameters() const noexcept override { return 1000; }
  std::uint32_t holds() const noexcept override { return 0; }
  int losses_read = 0;
};

struct Counting final : NullMeter {
  void record(StepNumber step, Stage stage, Nanoseconds) override { steps[stage].push_back(step); }
  bool stages_wanted() const noexcept override { return true; }
  std::map<Stage, std::vector<StepNumber>> steps;
};

// A batch of rows held by the test.
template <class T>
struct Rows final : SlotOwner {
  Rows(std::vector<T> values, std::int64_t rows, DType dtype) : values_(std::move(values)) {
    TensorSpec spec{.name = "image", .dtype = dtype, .row = {}};
    spec.row.rank = 1;
    spec.row.extent[0] = static_cast<std::int64_t>(values_.size()) / rows;
    slot_.tensors[0] = {
        .spec = spec, .rows = rows, .data = reinterpret_cast<std::byte*>(values_.data())};
    slot_.tensor_count = 1;
    slot_.samples = static_cast<std::uint64_t>(rows);
  }
  void give_back(BatchSlot&) noexcept override {}
  BatchLease lease() { return {slot_, *this}; }

 private:
  std::vector<T> values_;
  BatchSlot slot_;
};

SettingsMap settings_of(TrialOfMocks::Changes changes) {
  return TrialOfMocks("synthetic", "timed", changes).trial().settings;
}

struct Bench {
  explicit Bench(TrialOfMocks::Changes changes)
      : after(settings_of(changes), {trainer, meter, *runtime, notices}) {}
  std::unique_ptr<Runtime> runtime = make_real_runtime();
  Model trainer;
  Counting meter;
  std::vector<std::string> notices;
  AfterStep after;
};

TEST_CASE("after step: post-processing takes its time, is billed and adds up, in virtual time",
          "[unit][trial]") {
  for (const char* observer : {"1", "0"}) {
    const TrialRecord record = run_simulated(TrialOfMocks("synthetic", "timed",
                                                          {{"trainer.step_time", "10ms"},
                                                           {"trainer.postprocess.every", "5"},
                                                           {"trainer.postprocess.time", "20ms"},
                                                           {"measure.observer", observer},
                                                           {"measure.warmup", "0s"},
                                                           {"measure.window", "13990ms"}})
                                                 .trial());
    INFO(reasons_of(record));
    REQUIRE(record.status == Status::valid);
    const Facts& f = record.facts;
    // Any five steps in a row take 70 ms, and a window is of whole fives.
    const auto processed =
        (f.window.ns - static_cast<std::int64_t>(f.window.steps) * 10'000'000) / 20'000'000;
    CHECK(f.window.ns ==
          static_cast<std::int64_t>(f.window.steps) * 10'000'000 + processed * 20'000'000);
    CHECK(5 * processed == static_cast<std::int64_t>(f.window.steps));
    if (observer[0] == '0') continue;
    const StageTotal& stage = f.window.stages[static_cast<std::size_t>(Stage::postprocess)];
    CHECK(stage.count == static_cast<std::uint64_t>(processed));
    CHECK(stage.ns == processed * 20'000'000);
    CHECK(f.window.loop.after_ns == stage.ns);
    CHECK(f.window.loop.get_ns + f.window.loop.accounting_ns + f.window.loop.step_ns +
              f.window.loop.after_ns + f.window.loop.report_ns ==
          f.window.ns);
  }
}

TEST_CASE("after step: every n-th step of the trial, and no other", "[unit][trial]") {
  Bench bench({{"trainer.log_every", "3"},
               {"trainer.postprocess.every", "4"},
               {"trainer.postprocess.time", "0s"}});
  CHECK(bench.after.any());
  for (StepNumber step = 0; step < 12; ++step)
    CHECK(bench.after.after(step) == ((step + 1) % 3 == 0 || (step + 1) % 4 == 0));
  CHECK(bench.meter.steps[Stage::d2h] == std::vector<StepNumber>{2, 5, 8, 11});
  CHECK(bench.meter.steps[Stage::postprocess] == std::vector<StepNumber>{3, 7, 11});
  CHECK(bench.trainer.losses_read == 4);
  CHECK_FALSE(Bench({}).after.any());
}

TEST_CASE("after step: images are copied before the batch is gone, scaled to bytes and summed",
          "[unit][trial]") {
  SECTION("bytes are taken as they are") {
    Bench bench({{"trainer.postprocess.every", "2"}, {"trainer.postprocess.images", "2"}});
    {
      Rows<std::uint8_t> rows({1, 2, 3, 10, 20, 30, 100, 100, 100}, 3, DType::uint8);
      const BatchLease batch = rows.lease();
      CHECK_FALSE(bench.after.before(batch, 0));
      CHECK_FALSE(bench.after.after(0));
      CHECK(bench.after.before(batch, 1));
    }
    CHECK(bench.after.after(1));
    CHECK(bench.after.image_sum() == 66);  // two of the three
    CHECK(bench.meter.steps[Stage::postprocess] == std::vector<StepNumber>{1});
    CHECK(bench.notices.empty());
  }
  SECTION("floats are stretched, each image by itself; what is no number is 0") {
    Bench bench({{"trainer.postprocess.every", "1"}, {"trainer.postprocess.images", "64"}});
    Rows<float> rows({-1, 0, 1, 5, 5, 5, 0, 2, NAN}, 3, DType::float32);
    for (StepNumber step = 0; step < 3; ++step) {
      bench.after.before(rows.lease(), step);
      bench.after.after(step);
    }
    CHECK(bench.after.image_sum() == 3 * (0 + 127 + 255 + 0 + 0 + 0 + 0 + 255 + 0));
    REQUIRE(bench.notices.size() == 1);  // told once
    CHECK_THAT(bench.notices[0], Catch::Contains("64 requested, but a batch has 3"));
  }
}

TEST_CASE("after step: a checkpoint is a whole file in place of the last, and gone at the end",
          "[unit][trial]") {
  const Folder folder;
  {
    const std::string below = folder.path.string();
    SettingsMap settings = settings_of({{"trainer.checkpoint.every", "1"}});
    settings.set("trainer.checkpoint.path", {ParameterType::text, below});
    Bench parts({});
    AfterStep after(settings, {parts.trainer, parts.meter, *parts.runtime, parts.notices});
    REQUIRE(after.checkpoint_file());
    const fs::path own = after.checkpoint_file()->folder();
    CHECK(own.parent_path() == folder.path);
    for (StepNumber step = 0; step < 3; ++step) {
      CHECK(after.after(step));
      CHECK(fs::file_size(own / "checkpoint") == 4000);  // the model's 1000 parameters
      CHECK_FALSE(fs::exists(own / "checkpoint.new"));
    }
    CHECK(after.checkpoints() == 3);
    CHECK(after.bytes_of_checkpoint() == 4000);
    CHECK(parts.meter.steps[Stage::checkpoint].size() == 3);
    CHECK(parts.notices.empty());
  }
  CHECK(folder.entries() == 0);
}

TEST_CASE("after step: a full disk is told once, and the trial goes on without checkpoints",
          "[unit][trial]") {
  if (!fs::exists("/dev/full")) BENCHBENCH_SKIP("no /dev/full");
  Bench bench({{"trainer.checkpoint.every", "2"}, {"trainer.checkpoint.bytes", "3MiB"}});
  CHECK(bench.after.after(1));
  REQUIRE(bench.after.checkpoint_file());
  const fs::path own = bench.after.checkpoint_file()->folder();
  CHECK(fs::file_size(own / "checkpoint") == 3 << 20);
  fs::create_symlink("/dev/full", own / "checkpoint.new");  // what is written there finds no space
  CHECK(bench.after.after(3));
  CHECK_FALSE(bench.after.after(5));
  CHECK_FALSE(bench.after.after(7));
  REQUIRE(bench.notices.size() == 1);
  CHECK_THAT(bench.notices[0], Catch::StartsWith("checkpoint 2: No space left on device: "));
  CHECK(bench.after.checkpoints() == 1);
  CHECK(bench.meter.steps[Stage::checkpoint].size() == 2);  // what was tried took its time
  CHECK_FALSE(fs::exists(own));
}

TEST_CASE("after step: a quota met in the middle of a file leaves the last checkpoint whole",
          "[unit][trial]") {
  const Folder folder;
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {  // no assertions here: what is wrong is the exit status
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit large{2 << 20, 2 << 20};
    ::setrlimit(RLIMIT_FSIZE, &large);
    int wrong = 0;
    {
      CheckpointFile small({.below = folder.path.string(), .bytes = 1 << 20, .fsync = false});
      CheckpointFile big({.below = folder.path.string(), .bytes = 5 << 20, .fsync = false});
      if (small.write()) wrong |= 1;
      const auto told = big.write();
      if (!told || told->find("File too large: " + folder.path.string()) != 0) wrong |= 2;
      if (fs::exists(big.folder() + "/checkpoint.new") || fs::exists(big.folder() + "/checkpoint"))
        wrong |= 4;
      if (fs::file_size(small.folder() + "/checkpoint") != 1 << 20) wrong |= 8;
    }
    ::_exit(wrong);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(folder.entries() == 0);
}

TEST_CASE("after step: a folder that is not there is told, and is no end", "[unit][trial]") {
  Bench bench({{"trainer.checkpoint.every", "1"},
               {"trainer.checkpoint.bytes", "1KiB"},
               {"trainer.checkpoint.path", "/nowhere/at/all"}});
  for (StepNumber step = 0; step < 3; ++step) bench.after.after(step);
  REQUIRE(bench.notices.size() == 1);
  CHECK_THAT(bench.notices[0],
             Catch::Contains("checkpoint 1: No such file or directory: /nowhere/at/all"));
}

TEST_CASE("after step: a trial's checkpoints are counted in its window, and none is left",
          "[unit][trial]") {
  const Folder folder;
  Trial trial = TrialOfMocks("synthetic", "timed",
                             {{"trainer.step_time", "1ms"},
                              {"trainer.checkpoint.every", "10"},
                              {"trainer.checkpoint.bytes", "4KiB"},
                              {"trainer.checkpoint.fsync", "false"},
                              {"measure.warmup", "30ms"},
                              {"measure.window", "50ms"},
                              {"measure.window_batches", "30"}})
                    .trial();
  trial.settings.set("trainer.checkpoint.path", {ParameterType::text, folder.path.string()});
  const ExecutorContext context{.catalog = built_in_catalog(),
                                .environment = {},
                                .dataset = {},
                                .expected_digest = {},
                                .simulated = false,
                                .stop = nullptr,
                                .progress = {}};
  const TrialRecord record = run_trial(trial, {}, context);
  INFO(reasons_of(record));
  REQUIRE(record.facts.window.steps > 20);
  const StageTotal& stage = record.facts.window.stages[static_cast<std::size_t>(Stage::checkpoint)];
  CHECK(record.facts.checkpoints.count == stage.count);
  CHECK(record.facts.checkpoints.count >= record.facts.window.steps / 10);
  CHECK(record.facts.checkpoints.count <= record.facts.window.steps / 10 + 1);
  CHECK(record.facts.checkpoints.bytes == record.facts.checkpoints.count * 4096);
  CHECK(record.facts.notices.empty());
  CHECK(folder.entries() == 0);
}

TEST_CASE("after step: a mock has no model to save; virtual time saves nothing and says so",
          "[unit][trial]") {
  const auto record_with = [](std::string_view bytes) {
    return run_simulated(TrialOfMocks("synthetic", "timed",
                                      {{"trainer.step_time", "1ms"},
                                       {"trainer.checkpoint.every", "10"},
                                       {"trainer.checkpoint.bytes", bytes}})
                             .trial());
  };
  const TrialRecord model = record_with("model");
  CHECK(model.status == Status::failed);
  CHECK_THAT(reasons_of(model), Catch::Contains("no parameters") && Catch::Contains("64MiB"));
  const TrialRecord sized = record_with("1MiB");
  CHECK(sized.status == Status::valid);
  CHECK(sized.facts.checkpoints.count == 0);
  REQUIRE(sized.facts.notices.size() == 1);
  CHECK_THAT(sized.facts.notices[0], Catch::Contains("not measured under the simulated clock"));
}

TEST_CASE("after step: settings that contradict each other are refused", "[unit][trial]") {
  CHECK_THROWS_AS(Bench({{"trainer.postprocess.every", "2"}}), ScenarioError);
  CHECK_THROWS_AS(Bench({{"trainer.postprocess.every", "2"},
                         {"trainer.postprocess.time", "1ms"},
                         {"trainer.postprocess.images", "1"}}),
                  ScenarioError);
  CHECK_THROWS_AS(Bench({{"trainer.checkpoint.every", "2"}, {"trainer.checkpoint.bytes", "much"}}),
                  ScenarioError);
}

}  // namespace after_step
}  // namespace benchbench::test
