// Workload files of DLIO as scenarios of ours.
#include <catch2/catch.hpp>

#include "harness/config/dlio.h"
#include "tests/unit/config/loading.h"

namespace benchbench::test::dlio {
namespace {

DlioImport import_text(const std::string& text) {
  const ScenarioText file(text);
  return scenario_from_dlio(file.path());
}

std::string refused(const std::string& text) {
  try {
    import_text(text);
  } catch (const ScenarioDiagnostics& error) {
    return error.text();
  }
  return "nothing was refused";
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

bool ignores(const DlioImport& made, const std::string& part) {
  return std::ranges::any_of(made.ignored, [&](const std::string& line) { return holds(line, part); });
}

constexpr const char* kVolumes = R"(
model: {name: unet3d, type: cnn, model_size: 499153191}
framework: pytorch
workflow: {generate_data: False, train: True}
dataset:
  data_folder: data/unet3d/
  format: npz
  num_files_train: 168
  num_samples_per_file: 1
  record_length_bytes: 146600628
  record_length_bytes_stdev: 68341808
  record_length_bytes_resize: 2097152
reader: {data_loader: pytorch, batch_size: 7, read_threads: 4, file_shuffle: seed, sample_shuffle: seed}
train: {epochs: 5, computation_time: 0.323}
metric: {au: 0.90}
)";

}  // namespace

TEST_CASE("dlio: volumes: what decides loader and step is taken over", "[config][dlio]") {
  const DlioImport made = import_text(kVolumes);
  CAPTURE(made.yaml);
  for (const char* line : {"name: unet3d\n", "format: npz\n", "samples: 168\n", "num_workers: 4\n", "batch_size: 7\n",
                           "shuffle: true\n", "random_patch: 128, random_flip: 0,", "use: timed\n", "step_time: 323ms\n",
                           "volume: {depth: 527, height: 527, width: 527, dtype: uint8}"})
    CHECK(holds(made.yaml, line));
}

TEST_CASE("dlio: every key that is not taken over is told with its value, line and reason", "[config][dlio]") {
  const DlioImport made = import_text(kVolumes);
  CHECK(ignores(made, "framework: pytorch (line 3): "));
  CHECK(ignores(made, "train.epochs: 5 (line 14): `measure` sets the length of a run"));
  CHECK(ignores(made, "metric.au: 0.90 (line 15): a goal"));
  CHECK(ignores(made,
                "dataset.record_length_bytes_stdev: 68341808 (line 11): arrays here all have the same size"));
  CHECK(ignores(made, "model.model_size: 499153191"));
  CHECK(made.ignored.size() == 11);
  for (const std::string& line : made.ignored) CHECK(holds(made.yaml, "#   " + line + "\n"));
  CHECK_FALSE(ignores(made, "batch_size"));
}

TEST_CASE("dlio: an unknown key is told, not dropped in silence", "[config][dlio]") {
  CHECK(ignores(import_text("reader: {batch_size: 4, warp_factor: 9}\ntrain: {}\n"), "reader.warp_factor: 9 (line 1)"));
  CHECK(ignores(import_text("reader: {batch_size: 4}\nmagic: 1\n"), "magic: 1 (line 2): benchbench does not know this key"));
}

TEST_CASE("dlio: images weigh what the records weigh", "[config][dlio]") {
  const DlioImport made = import_text(
      "dataset: {format: tfrecord, num_files_train: 1024, num_samples_per_file: 1251, record_length_bytes: 114660.07}\n"
      "reader: {batch_size: 400, read_threads: 8, prefetch_size: 0, odirect: True}\ntrain: {computation_time: 0.224}\n");
  CAPTURE(made.yaml);
  CHECK(holds(made.yaml, "samples: 1281024\n"));
  CHECK(holds(made.yaml, "mean_width: 528, mean_height: 397,"));  // 528 x 397 x 4.35 / 8 + 620 = 114,600
  CHECK(holds(made.yaml, "payload: raw_bytes"));
  CHECK(holds(made.yaml, "prefetch_factor: 2\n"));
  CHECK(holds(made.yaml, "io: direct\n"));
  CHECK(holds(made.yaml, "shuffle: false\n"));
}

TEST_CASE("dlio: times with a distribution", "[config][dlio]") {
  CHECK(holds(import_text("train:\n  computation_time: {min: 0.5, max: 1.5, type: uniform}\n").yaml,
              "step_time: 1000ms\n  distribution: uniform\n  spread: 0.5\n"));
  CHECK(holds(import_text("train:\n  computation_time: {scale: 0.02, type: exponential}\n").yaml,
              "step_time: 20ms\n  distribution: exponential\n"));
  const DlioImport normal = import_text("train:\n  computation_time: {mean: 0.04755, stdev: 0.1}\n");
  CHECK(holds(normal.yaml, "step_time: 47.55ms\n"));
  CHECK(ignores(normal, "train.computation_time.stdev: 0.1 (line 2): steps take the mean"));
  CHECK(holds(refused("train:\n  computation_time: {shape: 1, type: gamma}\n"), "allowed: normal, uniform, exponential"));
}

TEST_CASE("dlio: checkpoints between steps, hdf5 layouts, hydra's nesting", "[config][dlio]") {
  const DlioImport made = import_text(
      "workload:\n  model: {model_size_bytes: 1000}\n  dataset: {format: hdf5, enable_chunking: True, record_dims: [2, 3, 4]}\n"
      "  checkpoint: {steps_between_checkpoints: 50, fsync: True}\n");
  CAPTURE(made.yaml);
  CHECK(holds(made.yaml, "checkpoint: {every: 50, bytes: 1000B, fsync: true}\n"));
  CHECK(holds(made.yaml, "format: hdf5_chunked\n"));
  CHECK(holds(made.yaml, "volume: {depth: 2, height: 3, width: 4, dtype: uint8}"));
  CHECK(holds(import_text("dataset: {format: hdf5, compression: gzip}\n").yaml, "format: hdf5_gzip\n"));
}

TEST_CASE("dlio: what is wrong is told with its place, all at once", "[config][dlio]") {
  CHECK(holds(refused("a: 1\n"), "not a DLIO workload: it has none of `dataset`, `reader` and `train`"));
  CHECK(holds(refused("dataset: {format: npzz}\n"), "did you mean npz?"));
  const std::string both = refused("dataset: {format: csv}\nreader: {batch_size: 0, read_threads: -1}\n");
  CHECK(holds(both, ":1:19: error: dataset.format: there is no \"csv\" here"));
  CHECK(holds(both, "reader.batch_size: \"0\" is not a whole number of at least 1"));
  CHECK(holds(both, "reader.read_threads: \"-1\" is not a whole number of at least 0"));
  CHECK(holds(refused("reader: {odirect: perhaps}\n"), "neither True nor False"));
  CHECK(holds(refused("dataset: {record_dims: [1, x]}\n"), "a list of whole numbers"));
  CHECK(holds(refused("dataset: {record_length: nan}\n"), "not a number of at least 1"));
  CHECK(holds(refused("dataset: {num_files_train: 4294967296, num_samples_per_file: 4294967296}\n"),
              "are more than 1000000000 samples"));
}

}  // namespace benchbench::test::dlio
