// What is suggested for a misspelt key: realistic mistakes, and words for which nothing may be
// suggested.
#include "harness/config/key_table.h"
#include "harness/config/unit_hint.h"
#include "tests/unit/config/loading.h"

namespace benchbench::test {
namespace spelling_pairs {

std::string suggested(const std::string& key) {
  const config::KeyTable table({"native", "resnet18", "image_folder", "block_shuffle", "image"},
                               small_catalog());
  REQUIRE(table.find(key) == nullptr);
  const std::string text = table.unknown(key, key), mark = "did you mean ";
  const std::size_t at = text.find(mark);
  return at == std::string::npos ? ""
                                 : text.substr(at + mark.size(), text.find('?') - at - mark.size());
}

struct Pair {
  const char* written;
  const char* meant;  // "" where nothing is
};

TEST_CASE("spelling of keys: what is meant is suggested", "[unit][config]") {
  const Pair pairs[] = {
      {"loader.batch", "loader.batch_size"},
      {"loader.batchsize", "loader.batch_size"},
      {"loader.batch-size", "loader.batch_size"},
      {"loader.BatchSize", "loader.batch_size"},
      {"loader.bath_size", "loader.batch_size"},
      {"loader.bacth_size", "loader.batch_size"},
      {"loader.batchsz", "loader.batch_size"},
      {"loader.size_batch", "loader.batch_size"},
      {"loader.batch_size_per_gpu", "loader.batch_size"},
      {"loader.train_batch_size", "loader.batch_size"},
      {"loader.workers", "loader.num_workers"},
      {"loader.worker", "loader.num_workers"},
      {"loader.num_worker", "loader.num_workers"},
      {"loader.numworkers", "loader.num_workers"},
      {"loader.n_workers", "loader.num_workers"},
      {"loader.nworkers", "loader.num_workers"},
      {"loader.worker_count", "loader.num_workers"},
      {"loader.wokers", "loader.num_workers"},
      {"loader.prefetch", "loader.prefetch_factor"},
      {"loader.prefetch_size", "loader.prefetch_factor"},
      {"loader.prefetch_depth", "loader.prefetch_factor"},
      {"loader.prefech", "loader.prefetch_factor"},
      {"loader.pin", "loader.pin_memory"},
      {"loader.pinned_memory", "loader.pin_memory"},
      {"loader.shufle", "loader.shuffle"},
      {"loader.suffle", "loader.shuffle"},
      {"loader.drop", "loader.drop_last"},
      {"loader.order", "loader.in_order"},
      {"loader.jobs", "loader.max_jobs"},
      {"loader.acess", "loader.access"},
      {"loader.dispach", "loader.dispatch"},
      {"loader.crop", "loader.transform.random_resized_crop"},
      {"loader.flip", "loader.transform.horizontal_flip"},
      {"loader.normalise", "loader.transform.normalize"},
      {"loader.transform.random_crop", "loader.transform.random_resized_crop"},
      {"loader.block", "loader.block_size"},
      {"trainer.threads", "trainer.intra_op_threads"},
      {"trainer.num_threads", "trainer.intra_op_threads"},
      {"trainer.devise", "trainer.device"},
      {"trainer.dev", "trainer.device"},
      {"trainer.checkpoint_every", "trainer.checkpoint.every"},
      {"trainer.precison", "trainer.precision"},
      {"trainer.memory", "trainer.memory_format"},
      {"measure.round", "measure.rounds"},
      {"measure.rouns", "measure.rounds"},
      {"measure.warm_up", "measure.warmup"},
      {"measure.window_size", "measure.window"},
      {"measure.time_budget", "measure.budget"},
      {"measure.budgt", "measure.budget"},
      {"dataset.formt", "dataset.format"},
      {"dataset.file_format", "dataset.format"},
      {"dataset.samples", "dataset.synthesize.samples"},
      {"dataset.synthesize.sampels", "dataset.synthesize.samples"},
      {"dataset.num_workers", "loader.num_workers"},
      {"trainer.batch_size", "loader.batch_size"},
  };
  static_assert(std::size(pairs) >= 40);
  for (const auto& [written, meant] : pairs) {
    INFO(written);
    CHECK(suggested(written) == meant);
  }
}

TEST_CASE("spelling of keys: nothing is suggested for a word that is near to none",
          "[unit][config]") {
  for (const char* word : {"loader.bs",
                           "loader.xyz",
                           "loader.augmentation",
                           "loader.abc",
                           "loader.q",
                           "loader.ord",
                           "loader.timeouts_ms_x",
                           "trainer.lr",
                           "trainer.learning_rate",
                           "trainer.momentum",
                           "trainer.optimizer",
                           "trainer.gpu",
                           "trainer.weight_decay",
                           "trainer.amp",
                           "measure.epochs",
                           "measure.iterations",
                           "measure.repeat",
                           "dataset.url",
                           "dataset.bucket",
                           "loader."}) {
    INFO(word);
    CHECK(suggested(word) == "");
  }
}

TEST_CASE("spelling of keys: a key without its section is found", "[unit][config]") {
  const Pair pairs[] = {{"num_workers", "loader.num_workers"},
                        {"workers", "loader.num_workers"},
                        {"batch", "loader.batch_size"},
                        {"rounds", "measure.rounds"},
                        {"device", "trainer.device"},
                        {"path", "dataset.path"},
                        {"xyz", ""},
                        {"lr", ""},
                        {"", ""}};
  for (const auto& [written, meant] : pairs) {
    INFO(written);
    CHECK(config::whole_key(written) == meant);
  }
  require_refused("workers: 4\n" + kMock, 1, 1, "workers",
                  "unknown key workers; did you mean loader.num_workers?");
  ScenarioRequest set = request_for("");
  set.sets = {{"batch", "4"}};
  require_refused(kMock, 1, 1, "batch", "did you mean loader.batch_size?", set);
  ScenarioRequest sweep = request_for("");
  sweep.sweeps = {{"workers", "1,2"}};
  require_refused(kMock, 1, 1, "workers",
                  "workers cannot be swept; did you mean loader.num_workers?", sweep);
  ScenarioRequest rounds = request_for("");
  rounds.sweeps = {{"rounds", "1,2"}};
  require_refused(kMock, 1, 1, "rounds", "rounds cannot be swept. An axis is", rounds);
}

TEST_CASE("units as they are written elsewhere are refused with ours", "[unit][config]") {
  using enum ParameterType;
  struct Unit {
    ParameterType type;
    const char *written, *ours;
  };
  const Unit units[] = {{duration, "3m", "3min"},
                        {duration, "3M", "3min"},
                        {duration, "1.5mins", "1.5min"},
                        {duration, "90sec", "90s"},
                        {duration, "2 h", "2h"},
                        {duration, "5 min", "5min"},
                        {duration, "2hours", "2h"},
                        {duration, "20msec", "20ms"},
                        {duration, "7usec", "7us"},
                        {duration, "7\xc2\xb5s", "7us"},
                        {duration, "12", ""},
                        {duration, "m", ""},
                        {duration, "-3m", ""},
                        {duration, "long", ""},
                        {duration, "3parsecs", ""},
                        {bytes, "64k", "64KiB"},
                        {bytes, "64K", "64KiB"},
                        {bytes, "2g", "2GiB"},
                        {bytes, "64 MiB", "64MiB"},
                        {bytes, "64kib", "64KiB"},
                        {bytes, "100bytes", "100B"},
                        {bytes, "half", ""},
                        {rate, "500", "500/s"},
                        {rate, "500/sec", "500/s"},
                        {rate, "500 samples/s", "500/s"},
                        {rate, "fast", ""},
                        {bandwidth, "1.2GB", "1.2GB/s"},
                        {bandwidth, "800mb/s", "800MB/s"},
                        {boolean, "yes", "true"},
                        {boolean, "True", "true"},
                        {boolean, "off", "false"},
                        {boolean, "maybe", ""},
                        {integer, "12ms", ""},
                        {integer, "1_000", "1000"},
                        {real, "half", ""}};
  for (const auto& [type, written, ours] : units) {
    INFO(written);
    CHECK_FALSE(Value::parse(type, written));
    CHECK(config::in_our_units(type, written) == ours);
  }
}

TEST_CASE("units: the message of a refused value says what was meant", "[unit][config]") {
  require_refused(kMock + "measure: {budget: 3m}\n", 3, 19, "3m",
                  "measure.budget: \"3m\" is not a duration with its unit, "
                  "such as 12ms (ns, us, ms, s, min, h); did you mean 3min?");
  require_refused(kMock + "measure: {warmup: 3m}\n", 3, 19, "3m",
                  "nor a duration such as 500ms; did you mean 3min?");
  require_refused("loader: {use: synthetic, drop_last: yes}\ntrainer: {use: timed}\n", 1, 37, "yes",
                  "is not true or false; did you mean true?");
}

}  // namespace spelling_pairs
}  // namespace benchbench::test
