// Workload files of DLIO as scenarios of ours.
#include <catch2/catch.hpp>

#include "harness/config/dlio/dlio.h"
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

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool ignores(const DlioImport& made, const std::string& part) {
  return std::ranges::any_of(made.ignored,
                             [&](const std::string& line) { return holds(line, part); });
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
  for (const char* line :
       {"name: unet3d\n", "format: npz\n", "samples: 168\n", "num_workers: 4\n", "batch_size: 7\n",
        "shuffle: true\n", "random_patch: 128, random_flip: 0,", "use: timed\n",
        "step_time: 323ms\n", "volume: {depth: 527, height: 527, width: 527, dtype: uint8}"})
    CHECK(holds(made.yaml, line));
}

TEST_CASE("dlio: every key that is not taken over is told with its value, line and reason",
          "[config][dlio]") {
  const DlioImport made = import_text(kVolumes);
  CHECK(ignores(made, "framework: pytorch (line 3): "));
  CHECK(ignores(made, "train.epochs: 5 (line 14): `measure` sets the length of a run"));
  CHECK_FALSE(ignores(made, "metric.au"));
  CHECK(ignores(
      made,
      "dataset.record_length_bytes_stdev: 68341808 (line 11): arrays here all have the same size"));
  CHECK(ignores(made, "model.model_size: 499153191"));
  CHECK(made.ignored.size() == 10);
  for (const std::string& line : made.ignored) CHECK(holds(made.yaml, "#   " + line + "\n"));
  CHECK_FALSE(ignores(made, "batch_size"));
}

TEST_CASE("dlio: an unknown key is told, not dropped in silence", "[config][dlio]") {
  CHECK(ignores(import_text("reader: {batch_size: 4, warp_factor: 9}\ntrain: {}\n"),
                "reader.warp_factor: 9 (line 1)"));
  CHECK(ignores(import_text("reader: {batch_size: 4}\nmagic: 1\n"),
                "magic: 1 (line 2): benchbench does not know this key"));
}

TEST_CASE("dlio: images weigh what the records weigh", "[config][dlio]") {
  const DlioImport made = import_text(
      "dataset: {format: tfrecord, num_files_train: 1024, num_samples_per_file: 1251, "
      "record_length_bytes: 114660.07}\n"
      "reader: {batch_size: 400, read_threads: 8, prefetch_size: 0, odirect: True}\ntrain: "
      "{computation_time: 0.224}\n");
  CAPTURE(made.yaml);
  CHECK(holds(made.yaml, "samples: 1281024\n"));
  // 528 x 397 x 4.35 / 8 + 620 = 114,600
  CHECK(holds(made.yaml, "mean_width: 528, mean_height: 397,"));
  CHECK(holds(made.yaml, "payload: raw_bytes"));
  CHECK(holds(made.yaml, "prefetch_factor: 2\n"));
  CHECK(holds(made.yaml, "io: direct\n"));
  CHECK(holds(made.yaml, "shuffle: false\n"));
}

TEST_CASE("dlio: times with a distribution", "[config][dlio]") {
  CHECK(holds(import_text("train:\n  computation_time: {min: 0.5, max: 1.5, type: uniform}\n").yaml,
              "step_time: 1s\n  distribution: uniform\n  spread: 0.5\n"));
  CHECK(holds(import_text("train:\n  computation_time: {scale: 0.02, type: exponential}\n").yaml,
              "step_time: 20ms\n  distribution: exponential\n"));
  const DlioImport normal =
      import_text("train:\n  computation_time: {mean: 0.04755, stdev: 0.1}\n");
  CHECK(holds(normal.yaml, "step_time: 47.55ms\n"));
  CHECK(ignores(normal, "train.computation_time.stdev: 0.1 (line 2): steps take the mean"));
  CHECK(holds(refused("train:\n  computation_time: {shape: 1, type: gamma}\n"),
              "allowed: normal, uniform, exponential"));
}

TEST_CASE("dlio: a step's time is in seconds from one second on, never with an exponent",
          "[config][dlio]") {
  const auto step = [](const std::string& seconds) {
    const std::string yaml = import_text("train: {computation_time: " + seconds + "}\n").yaml;
    const std::size_t at = yaml.find("step_time: ") + 11;
    return yaml.substr(at, yaml.find('\n', at) - at);
  };
  CHECK(step("0") == "0ms");
  CHECK(step("0.00025") == "250us");
  CHECK(step("0.001") == "1ms");
  CHECK(step("0.999") == "999ms");
  CHECK(step("1") == "1s");
  CHECK(step("1.35") == "1.35s");
  CHECK(step("100") == "100s");
  CHECK(step("1000") == "1000s");
  CHECK(step("5000") == "5000s");
  CHECK(step("5e6") == "5000000s");
}

TEST_CASE("dlio: checkpoints between steps, hdf5 layouts, hydra's nesting", "[config][dlio]") {
  const DlioImport made = import_text(
      "workload:\n  model: {model_size_bytes: 1000}\n  dataset: {format: hdf5, enable_chunking: "
      "True, record_dims: [2, 3, 4]}\n"
      "  checkpoint: {steps_between_checkpoints: 50, fsync: True}\n");
  CAPTURE(made.yaml);
  CHECK(holds(made.yaml, "checkpoint: {every: 50, bytes: 1000B, fsync: true}\n"));
  CHECK(holds(made.yaml, "format: hdf5_chunked\n"));
  CHECK(holds(made.yaml, "volume: {depth: 2, height: 3, width: 4, dtype: uint8}"));
  CHECK(holds(import_text("dataset: {format: hdf5, compression: gzip}\n").yaml,
              "format: hdf5_gzip\n"));
}

TEST_CASE("dlio: what is wrong is told with its place, all at once", "[config][dlio]") {
  CHECK(holds(refused("a: 1\n"),
              "not a DLIO workload: it has none of `workflow`, "
              "`dataset`, `reader`, `train` and `checkpoint`"));
  CHECK(holds(refused("dataset: {format: npzz}\n"), "did you mean npz?"));
  const std::string both =
      refused("dataset: {format: csv}\nreader: {batch_size: 0, read_threads: -1}\n");
  CHECK(holds(both, ":1:19: error: dataset.format: unknown format \"csv\""));
  CHECK(holds(both, "reader.batch_size: \"0\" is not a whole number of at least 1"));
  CHECK(holds(both, "reader.read_threads: \"-1\" is not a whole number of at least 0"));
  CHECK(holds(refused("reader: {odirect: perhaps}\n"), "neither True nor False"));
  CHECK(holds(refused("dataset: {record_dims: [1, x]}\n"), "a list of whole numbers"));
  CHECK(holds(refused("dataset: {record_length: nan}\n"), "not a number of at least 1"));
  CHECK(holds(refused("dataset: {num_files_train: 4294967296, num_samples_per_file: 4294967296}\n"),
              "exceed the limit of 1000000000 samples"));
}

namespace {

// The figures of MLPerf Storage's checkpointing of an 8 billion parameter model.
std::string eight_billion(const std::string& parallelism, const std::string& more = "") {
  return "model:\n  name: eight_billion\n  type: transformer\n  num_layers: 32\n"
         "  model_datatype: fp16\n  optimizer_datatype: fp32\n  parallelism: " +
         parallelism +
         "\n  transformer: {vocab_size: 128256, hidden_size: 4096, ffn_hidden_size: 14336, "
         "num_attention_heads: 32, "
         "num_kv_heads: 8}\nframework: pytorch\nworkflow: {generate_data: False, train: False, "
         "checkpoint: True}\n"
         "checkpoint: {checkpoint_folder: checkpoints/x, time_between_checkpoints: 5, "
         "num_checkpoints_write: 10, num_checkpoints_read: 10, fsync: True}\n" +
         more;
}

std::uint64_t bytes_in(const std::string& yaml) {
  const std::size_t at = yaml.find("every: 1, bytes: ");
  REQUIRE(at != std::string::npos);
  return std::stoull(yaml.substr(at + 17));
}

}  // namespace

TEST_CASE("dlio: a workload of checkpoints alone becomes a timed trainer that writes them",
          "[config][dlio]") {
  const DlioImport made =
      import_text(eight_billion("{pipeline: 1, tensor: 1, zero_stage: 3, data: 1}"));
  CAPTURE(made.yaml);
  for (const char* line : {"name: eight_billion\n", "use: synthetic\n", "use: timed\n",
                           "step_time: 5s\n", "fsync: true}", "window_batches: 10",
                           "How long does a checkpoint of eight_billion hold up its training?"})
    CHECK(holds(made.yaml, line));
  CHECK_FALSE(holds(made.yaml, "dataset:"));
  // 2 bytes a parameter, 3 times 4 in the optimizer
  CHECK(bytes_in(made.yaml) == 14 * 8030261248ull);
  CHECK(ignores(made,
                "checkpoint.num_checkpoints_read: 10 (line 11): "
                "checkpoints are only written, never read back"));
  CHECK_FALSE(ignores(made, "vocab_size"));
  CHECK_FALSE(ignores(made, "workflow.train"));
  const ScenarioText file(made.yaml);
  CHECK_NOTHROW(load_scenario(request_for(file.path()), small_catalog()));
}

TEST_CASE("dlio: a rank writes its share of the checkpoint", "[config][dlio]") {
  const auto bytes = [](const std::string& parallelism) {
    return bytes_in(import_text(eight_billion(parallelism)).yaml);
  };
  const std::uint64_t parameters = 8030261248ull;
  CHECK(bytes("{tensor: 1, pipeline: 1, zero_stage: 3, data: 8}") == 14 * parameters / 8);
  CHECK(bytes("{tensor: 2, pipeline: 4, zero_stage: 3}") == 14 * parameters / 8);
  CHECK(bytes("{tensor: 1, pipeline: 1, zero_stage: 1, data: 4}") ==
        2 * parameters + 12 * parameters / 4);
  CHECK(bytes("{tensor: 1, pipeline: 1, zero_stage: 0, data: 4}") == 14 * parameters);
  const std::string sized =
      "model: {name: m, model_size: 30102}\nworkflow: {train: False, checkpoint: "
      "True}\ncheckpoint: {time_between_checkpoints: 1}\n";
  CHECK(bytes_in(import_text(sized).yaml) == 30102);
  CHECK(holds(import_text(sized).yaml, "step_time: 1s\n"));
}

TEST_CASE("dlio: a workload of checkpoints that has no size is refused by that name",
          "[config][dlio]") {
  const std::string why = refused(
      "model: {name: m}\nworkflow: {train: False, checkpoint: True}\ncheckpoint: {fsync: True}\n");
  CHECK(holds(
      why,
      ":2:38: error: workflow.checkpoint: this workload only writes checkpoints (train: False)"));
  CHECK_FALSE(holds(why, "no DLIO workload"));
}

TEST_CASE("dlio: a workload of checkpoints alone needs no section of that name", "[config][dlio]") {
  const DlioImport made = import_text(
      "model: {name: m, model_size: 30102}\nworkflow: {train: False, checkpoint: True}\n");
  CHECK(bytes_in(made.yaml) == 30102);
  const ScenarioText file(made.yaml);
  CHECK_NOTHROW(load_scenario(request_for(file.path()), small_catalog()));
  CHECK(holds(refused("model: {name: m}\nworkflow: {train: False, checkpoint: True}\n"),
              "error: workflow.checkpoint: this workload only"));
}

TEST_CASE("dlio: another number of checkpoints than asked for is said", "[config][dlio]") {
  const auto import_writes = [](int writes) {
    return import_text(
        "model: {model_size: 30102}\nworkflow: {train: False, checkpoint: True}\ncheckpoint: "
        "{num_checkpoints_write: " +
        std::to_string(writes) + "}\n");
  };
  const std::string key = "checkpoint.num_checkpoints_write";
  CHECK(ignores(import_writes(4), key + ": 4 (line 3): raised to 5: a window here has 5 to 1000"));
  CHECK(ignores(import_writes(1001),
                key + ": 1001 (line 3): lowered to 1000: a window here has 5 to 1000"));
  CHECK_FALSE(ignores(import_writes(5), key));
  CHECK_FALSE(ignores(import_writes(1000), key));
  CHECK_FALSE(ignores(
      import_text("model: {model_size: 3}\nworkflow: {train: False, checkpoint: True}\n"), key));
}

TEST_CASE(
    "dlio: the reasons for keys that change nothing are those of a workload of checkpoints alone",
    "[config][dlio]") {
  const DlioImport made =
      import_text(eight_billion("{zero_stage: 3}", "train: {computation_time: 0.3}\n"));
  CHECK(ignores(made,
                "model.type: transformer (line 3): no model is run: the step takes "
                "checkpoint.time_between_checkpoints"));
  CHECK(ignores(
      made,
      "train.computation_time: 0.3 (line 12): the step takes checkpoint.time_between_checkpoints"));
  CHECK_FALSE(ignores(made, "model.name"));
  CHECK(
      ignores(import_text(kVolumes),
              "model.type: cnn (line 2): no model is run: the step takes train.computation_time"));
}

TEST_CASE("dlio: fewer samples for a first look are suggested where there are more",
          "[config][dlio]") {
  const auto suggests = [](int files, int each) {
    return holds(import_text("dataset: {num_files_train: " + std::to_string(files) +
                             ", num_samples_per_file: " + std::to_string(each) + "}\n")
                     .yaml,
                 "For a first look: --set dataset.synthesize.samples=1000\n");
  };
  CHECK_FALSE(suggests(168, 1));
  CHECK_FALSE(suggests(10, 100));
  CHECK(suggests(1001, 1));
  CHECK(suggests(7, 143));
}

TEST_CASE("dlio: a workload that trains and writes checkpoints is still a workload that trains",
          "[config][dlio]") {
  const DlioImport made = import_text(
      "workflow: {train: True, checkpoint: True}\ndataset: {format: npz}\nreader: {batch_size: 4}\n"
      "train: {computation_time: 0.1}\ncheckpoint: {steps_between_checkpoints: 5}\n");
  CHECK(holds(made.yaml, "use: native\n"));
  CHECK(holds(made.yaml, "checkpoint: {every: 5,"));
}

TEST_CASE("dlio: the au that is asked for is a criterion of the scenario", "[config][dlio]") {
  CHECK(holds(import_text(kVolumes).yaml, "measure: {rounds: 3, window: 2s, au_at_least: 0.9}\n"));
  CHECK(holds(import_text("train: {}\nmetric: {au: 85}\n").yaml, "au_at_least: 0.85}"));
  CHECK_FALSE(holds(import_text("train: {}\n").yaml, "au_at_least"));
  CHECK(holds(refused("train: {}\nmetric: {au: 0}\n"),
              "metric.au: is a share above 0 and at most 1, or a percentage of at most 100"));
  CHECK(holds(refused("train: {}\nmetric: {au: 101}\n"), "metric.au: is a share"));
}

TEST_CASE("dlio: records of different sizes are pictures of different sizes", "[config][dlio]") {
  const auto spread = [](const std::string& deviation) {
    const std::string yaml =
        import_text(
            "dataset: {format: jpeg, record_length_bytes: 100000, record_length_bytes_stdev: " +
            deviation + "}\n")
            .yaml;
    return std::stod(yaml.substr(yaml.find("spread: ") + 8));
  };
  CHECK(spread("0") == 0);
  CHECK(spread("20000") == Approx(0.141).margin(0.001));  // (1 + 0.141^2)^2 = 1 + 0.2^2
  CHECK(spread("75000") == 0.5);
  CHECK(spread("900000") == 0.5);
}

TEST_CASE("dlio: never more files than the workload has", "[config][dlio]") {
  const auto format = [](const std::string& dlio, int each) {
    const std::string yaml =
        import_text("dataset: {format: " + dlio +
                    ", num_files_train: 10, num_samples_per_file: " + std::to_string(each) + "}\n")
            .yaml;
    const std::size_t at = yaml.find("format: ") + 8;
    return yaml.substr(at, yaml.find('\n', at) - at);
  };
  CHECK(format("npz", 1) == "npz");
  CHECK(format("npz", 2) == "hdf5_contiguous");
  CHECK(format("npy", 100) == "hdf5_contiguous");
  CHECK(format("jpeg", 1) == "image_folder");
  CHECK(format("png", 3) == "tar");
  CHECK(format("tfrecord", 1251) == "tfrecord");
  CHECK(
      ignores(import_text("dataset: {format: npz, num_files_train: 10, num_samples_per_file: 4}\n"),
              "dataset.num_samples_per_file: 4 (line 1): npz has one record per file here: "
              "hdf5_contiguous, one file, replaces 10 files"));
}

}  // namespace benchbench::test::dlio
