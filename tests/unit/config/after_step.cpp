// Keys of the work after a step and of an emulated storage: what they need of each other.
#include "tests/unit/config/loading.h"

namespace benchbench::test {
namespace config_after_step {

std::string trainer_with(const std::string& text) {
  return "loader: {use: synthetic}\ntrainer: {use: timed, " + text + "}\n";
}

bool decided(const Scenario& scenario, const std::string& text) {
  for (const std::string& d : scenario.decisions)
    if (d.find(text) != std::string::npos) return true;
  return false;
}

TEST_CASE("after step keys: post-processing needs what and when, and one of time and images",
          "[unit][config]") {
  require_refused(trainer_with("postprocess.time: 5ms"), 2, 23, "postprocess.time",
                  "trainer.postprocess.time needs trainer.postprocess.every, such as 10");
  require_refused(trainer_with("postprocess: {images: 8}"), 2, 37, "images",
                  "trainer.postprocess.images needs trainer.postprocess.every");
  require_refused(trainer_with("postprocess.every: 10"), 2, 23, "postprocess.every",
                  "needs trainer.postprocess.time or trainer.postprocess.images");
  require_refused(trainer_with("postprocess: {every: 10, time: 5ms, images: 8}"), 2, 59, "images",
                  "mutually exclusive");
  const Scenario good = load_text(trainer_with("postprocess: {every: 10, time: 5ms}"));
  CHECK(good.base.integer("trainer.postprocess.every") == 10);
}

TEST_CASE("after step keys: what an axis gives or switches off is given", "[unit][config]") {
  const Scenario every = load_text(trainer_with("postprocess.time: 5ms") +
                                   "sweep: {trainer.postprocess.every: [none, 10]}\n");
  REQUIRE(every.axes.size() == 1);
  CHECK(every.axes[0].values.size() == 2);
  CHECK_FALSE(every.base.has("trainer.postprocess.every"));
  load_text(trainer_with("postprocess.every: 10") +
            "sweep: {trainer.postprocess.time: [1ms, 5ms]}\n");
  load_text(trainer_with("postprocess: {every: none, time: 5ms}"));
  load_text(trainer_with("checkpoint.every: 10") +
            "sweep: {trainer.checkpoint.bytes: [1MiB, 64MiB]}\n");
}

TEST_CASE("after step keys: a checkpoint has a size, and a mock none of its own",
          "[unit][config]") {
  require_refused(trainer_with("checkpoint.bytes: 64MiB"), 2, 23, "checkpoint.bytes",
                  "needs trainer.checkpoint.every, such as 100");
  require_refused(trainer_with("checkpoint.path: /tmp"), 2, 23, "checkpoint.path",
                  "needs trainer.checkpoint.every");
  require_refused(
      trainer_with("checkpoint.every: 100"), 2, 23, "checkpoint.every",
      "trainer timed has no parameters: set trainer.checkpoint.bytes to a size such as 64MiB");
  require_refused(trainer_with("checkpoint: {every: 100, bytes: model}"), 2, 48, "bytes",
                  "has no parameters");
  require_refused(trainer_with("checkpoint: {every: 100, bytes: huge}"), 2, 55, "huge",
                  "\"huge\" is neither model nor a size such as 64MiB");
  require_refused(trainer_with("checkpoint: {every: 100, bytes: 0}"), 2, 55, "0",
                  "neither model nor a size");
  CHECK(load_text(trainer_with("checkpoint: {every: 100, bytes: 1048576}"))
            .base.text("trainer.checkpoint.bytes") == "1MiB");
}

TEST_CASE("played store keys: they stand without data, and are told where nothing asks the store",
          "[unit][config]") {
  const Scenario idle = load_text("dataset: {storage: {like: s3, latency: 15ms}}\n" + kMock);
  CHECK(idle.base.text("dataset.storage.like") == "s3");
  CHECK_FALSE(idle.base.has("dataset.cache"));
  CHECK(decided(idle, "dataset.storage.latency has no effect: loader synthetic reads no bytes"));
  CHECK(decided(
      idle,
      "dataset.storage emulates s3: 1.25 GB/s, 75 MB/s per connection, 15 ms to the first byte"));
  CHECK_FALSE(decided(idle, "does not read it"));
  const Scenario real = load_text(
      "dataset: {synthesize: {samples: 64}, storage: {bandwidth: 1.2GB/s, connections: 32}}\n"
      "loader: {use: native}\ntrainer: {use: timed}\n"
      "sweep: {dataset.storage.like: [none, sata_hdd, s3]}\n");
  CHECK(decided(real, "dataset.storage emulates custom storage: 1.2 GB/s, 32 concurrent reads"));
  CHECK_FALSE(decided(real, "reads no bytes"));
  REQUIRE(real.axes.size() == 1);
  CHECK(real.axes[0].values.size() == 3);
  require_refused("dataset: {storage: {like: floppy}}\n" + kMock, 1, 27, "floppy",
                  "Allowed: none, sata_hdd, sata_ssd, nvme, nfs_10gbe");
  require_refused("dataset: {storage: {bandwith: 1GB/s}}\n" + kMock, 1, 21, "bandwith",
                  "did you mean dataset.storage.bandwidth?");
}

}  // namespace config_after_step
}  // namespace benchbench::test
