#include "harness/config/dlio/dlio.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "harness/config/dlio/dlio_checkpoint.h"
#include "harness/config/dlio/dlio_keys.h"
#include "harness/core/characters.h"
#include "harness/core/spelling.h"

namespace benchbench {
namespace config {
namespace {

// How a DLIO format lies on disk here, and whether a record is an image's bytes or an array.
struct StoredAs {
  std::string_view dlio;
  std::string_view ours;
  bool array;
  std::string_view packed;  // of many records a file, where ours has one
};
constexpr StoredAs kFormats[] = {
    {"tfrecord", "tfrecord", false, ""},      {"jpeg", "image_folder", false, "tar"},
    {"png", "image_folder", false, "tar"},    {"parquet", "parquet", false, ""},
    {"npz", "npz", true, "hdf5_contiguous"},  {"npy", "npy", true, "hdf5_contiguous"},
    {"hdf5", "hdf5_contiguous", true, ""},    {"indexed_binary", "raw", true, ""},
    {"mmap_indexed_binary", "raw", true, ""},
};

// What our pictures of quality 90 weigh (scripts/calibrate_synthesis): bits a pixel, and bytes of
// every file besides.
constexpr double kBitsPerPixel = 4.35;
constexpr double kBytesOfFile = 620;
constexpr std::uint64_t kMaxSamples = 1'000'000'000;  // of a synthesised data set

// "47.55": a duration of ours has no exponent.
std::string without_exponent(double number) {
  std::string text = fmt::format("{:.6f}", number);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

// "224ms", "47.55ms", "1.35s": what a duration of ours is written like.
std::string duration_text(double seconds) {
  if (seconds >= 1) return without_exponent(seconds) + "s";
  const double ms = seconds * 1e3;
  return ms >= 1 || ms == 0 ? without_exponent(ms) + "ms" : without_exponent(ms * 1e3) + "us";
}

class DlioScenario {
 public:
  DlioScenario(DlioKeys& keys, std::string source) : keys_(keys), source_(std::move(source)) {}

  std::string written() {
    const std::string name = keys_.text({"model.name", "model"}).value_or("dlio");
    std::string text = fmt::format(
        "# From the DLIO workload {}.\nname: {}\n"
        "question: Does storage keep the emulated steps of {} fed?\n\n",
        std::filesystem::path(source_).filename().string(), safe(name), safe(name));
    const bool only = only_checkpoints();
    if (only) text.replace(text.find("Does storage"), std::string::npos, checkpoint_question(name));
    if (only) text += checkpoints();
    if (!only) text += dataset();  // says what the loader's rows are
    if (!only) text += loader();
    if (!only) text += trainer();
    return text + goal() + "\n";
  }

  // MLPerf Storage's checkpointing workloads: `train: False`, `checkpoint: True`, and no data.
  bool only_checkpoints() const {
    return keys_.says("workflow.checkpoint", "true") &&
           (keys_.says("workflow.train", "false") ||
            !(keys_.has("workflow.train") || keys_.has_section("train")));
  }

 private:
  static std::string checkpoint_question(const std::string& name) {
    return fmt::format("How long does a checkpoint of {} hold up its training?\n\n", safe(name));
  }

  std::string checkpoints() {
    const auto bytes = checkpoint_bytes_of_rank(keys_);
    if (!bytes) {
      keys_.complain(
          "workflow.checkpoint",
          "this workload only writes checkpoints (train: False) but does not give their size: set "
          "model.num_layers and model.transformer, or model.model_size");
      return {};
    }
    keys_.count({"checkpoint.num_checkpoints_read"}, 0);
    keys_.remark({"checkpoint.num_checkpoints_read"},
                 "checkpoints are only written, never read back");
    const double between = keys_.number({"checkpoint.time_between_checkpoints"}, 0).value_or(0);
    const std::uint64_t writes = keys_.count({"checkpoint.num_checkpoints_write"}, 0).value_or(5);
    for (const char* key : {"workflow.checkpoint", "workflow.train"}) keys_.flag({key});
    checkpoints_ = std::clamp<std::uint64_t>(writes, 5, 1000);
    if (writes != checkpoints_)
      keys_.remark({"checkpoint.num_checkpoints_write"},
                   fmt::format("{} to {}: a window here has 5 to 1000",
                               writes < checkpoints_ ? "raised" : "lowered", checkpoints_));
    keys_.remark_unused("model.",
                        "no model is run: the step takes checkpoint.time_between_checkpoints");
    keys_.remark_unused("train.computation_time",
                        "the step takes checkpoint.time_between_checkpoints");
    return fmt::format(
        "# Checkpoints only, one after each step, as written by one rank: {:.3g} GB. With more "
        "ranks, set the bytes of one.\n"
        "# For a first look: --set trainer.checkpoint.bytes=1GiB\n"
        "loader:\n"
        "  use: synthetic\n"
        "  num_workers: 1\n"
        "  batch_size: 1\n"
        "  height: 1\n"
        "  width: 1\n"
        "\n"
        "trainer:\n"
        "  use: timed\n"
        "  device: cpu\n"
        "  step_time: {}\n"
        "  checkpoint: {{every: 1, bytes: {}B, fsync: {}}}\n"
        "\n",
        static_cast<double>(*bytes) / 1e9, duration_text(between), *bytes,
        keys_.flag({"checkpoint.fsync"}).value_or(false));
  }

  // What the workload asks of the accelerator's utilisation is a criterion of the report.
  std::string goal() {
    std::string text =
        checkpoints_ > 0
            ? fmt::format("measure: {{rounds: 3, window: 2s, window_batches: {}", checkpoints_)
            : std::string("measure: {rounds: 3, window: 2s");
    if (const auto au = keys_.number({"metric.au"}, 0)) {
      const double share = *au > 1 ? *au / 100 : *au;
      if (share > 0 && share <= 1)
        text += fmt::format(", au_at_least: {:.6g}", share);
      else
        keys_.complain("metric.au",
                       "is a share above 0 and at most 1, or a percentage of at most 100");
    }
    return text + "}";
  }

  static std::string safe(std::string name) {
    for (char& c : name)
      if (!is_letter_or_digit(c) && c != '_' && c != '-') c = '_';
    return name.empty() ? "dlio" : name.substr(0, 64);
  }

  const StoredAs* format() {
    const std::string word = keys_.text({"dataset.format"}).value_or("tfrecord");
    for (const StoredAs& row : kFormats)
      if (row.dlio == word) return &row;
    std::vector<std::string> words;
    for (const StoredAs& row : kFormats) words.emplace_back(row.dlio);
    keys_.complain("dataset.format",
                   fmt::format("unknown format \"{}\"{}", word, suggest_allowed(word, words)));
    return nullptr;
  }

  std::string dataset() {
    const StoredAs* stored = format();
    const std::uint64_t files = keys_.count({"dataset.num_files_train"}, 1).value_or(1);
    const std::uint64_t each = keys_.count({"dataset.num_samples_per_file"}, 1).value_or(1);
    if (files > kMaxSamples / each)
      keys_.complain("dataset.num_files_train",
                     fmt::format("{} files of {} samples exceed the limit of {} samples", files,
                                 each, kMaxSamples));
    const double bytes =
        keys_.number({"dataset.record_length_bytes", "dataset.record_length"}, 1).value_or(65536);
    const double deviation =
        keys_.number({"dataset.record_length_bytes_stdev", "dataset.record_length_stdev"}, 0)
            .value_or(0);
    const std::vector<std::uint64_t> dims = keys_.list("dataset.record_dims");
    if (!stored) return {};
    array_ = stored->array;
    std::string ours(stored->ours);
    if (stored->dlio == "hdf5") ours = hdf5_layout();
    if (each > 1 && !stored->packed.empty()) {
      keys_.remark({"dataset.num_samples_per_file"},
                   fmt::format("{} has one record per file here: {}, one file, replaces {} files",
                               stored->ours, stored->packed, files));
      ours = stored->packed;
    }
    std::string text = fmt::format(
        "# {} records of {:.0f} bytes: {:.3g} GB.{}\n", files * each, bytes,
        static_cast<double>(files * each) * bytes / 1e9,
        files * each > 1000 ? " For a first look: --set dataset.synthesize.samples=1000" : "");
    text += fmt::format("dataset:\n  format: {}\n  cache: cold\n  synthesize:\n    samples: {}\n",
                        ours, files * each);
    text += array_ ? volume(bytes, deviation, dims) : image(bytes, deviation);
    return text + "\n";
  }

  std::string hdf5_layout() {
    if (keys_.text({"dataset.compression"}).value_or("none") == "gzip") return "hdf5_gzip";
    return keys_.flag({"dataset.enable_chunking"}).value_or(false) ? "hdf5_chunked"
                                                                   : "hdf5_contiguous";
  }

  std::string image(double bytes, double deviation) {
    const double pixels = std::max(256.0, (bytes - kBytesOfFile) * 8 / kBitsPerPixel);
    const int height =
        std::clamp(static_cast<int>(std::lround(std::sqrt(pixels * 3 / 4))), 16, 16384);
    const int width = std::clamp(static_cast<int>(std::lround(pixels / height)), 16, 16384);
    // Bytes go with width times height, each of which scatters by `spread`: 1 + share^2 = (1 +
    // spread^2)^2.
    const double share = deviation / bytes;
    const double spread = std::min(0.5, std::sqrt(std::sqrt(1 + share * share) - 1));
    return fmt::format(
        "    image: {{mean_width: {}, mean_height: {}, spread: {:.3g}, quality: 90}}   # such "
        "images have about that size\n",
        width, height, spread);
  }

  std::string volume(double bytes, double deviation, const std::vector<std::uint64_t>& dims) {
    if (deviation > 0)
      keys_.remark({"dataset.record_length_bytes_stdev", "dataset.record_length_stdev"},
                   "arrays here all have the same size");
    if (dims.size() == 3)
      return fmt::format("    volume: {{depth: {}, height: {}, width: {}, dtype: uint8}}\n",
                         dims[0], dims[1], dims[2]);
    if (!dims.empty())
      keys_.remark({"dataset.record_dims"},
                   "only three dimensions are supported: replaced by a cube of the same size");
    const auto side = static_cast<std::uint64_t>(std::lround(std::cbrt(bytes)));
    return fmt::format(
        "    volume: {{depth: {0}, height: {0}, width: {0}, dtype: uint8}}"
        "   # a cube of that size\n",
        std::max<std::uint64_t>(1, side));
  }

  std::string loader() {
    const std::uint64_t threads = keys_.count({"reader.read_threads"}, 0).value_or(1);
    std::string text = fmt::format("loader:\n  use: native\n  num_workers: {}\n  batch_size: {}\n",
                                   threads, keys_.count({"reader.batch_size"}, 1).value_or(1));
    // 0 means 2 there too.
    const std::uint64_t prefetch = keys_.count({"reader.prefetch_size"}, 0).value_or(2);
    text += fmt::format("  prefetch_factor: {}\n", prefetch == 0 ? 2 : prefetch);
    text += fmt::format("  shuffle: {}\n",
                        keys_.text({"reader.sample_shuffle"}).value_or("off") != "off");
    if (keys_.flag({"reader.odirect"}).value_or(false)) text += "  io: direct\n";
    if (keys_.flag({"reader.pin_memory"}).value_or(false))
      keys_.remark({"reader.pin_memory"},
                   "no device to copy to: `timed` steps take the given time");
    if (const auto seed = keys_.count({"train.seed"}, 0))
      text += fmt::format("  seed: {}\n", *seed);
    return text + rows() + "\n";
  }

  // What a record becomes in memory. DLIO decodes nothing.
  std::string rows() {
    const auto resize =
        keys_.number({"dataset.record_length_bytes_resize", "dataset.record_length_resize"}, 0);
    if (!array_) {
      keys_.remark({"dataset.record_length_bytes_resize", "dataset.record_length_resize"},
                   "records are delivered as stored: loader.payload");
      return "  payload: raw_bytes                # as in DLIO: read, never decoded\n";
    }
    const double side = resize && *resize >= 1 ? std::cbrt(*resize) : 0;
    if (side < 1)
      return "  payload: raw_bytes                # as in DLIO: read, never transformed\n";
    return fmt::format(
        "  # A patch of {:.0f} values, the size the record is resized to; no other transform.\n"
        "  transform: {{random_patch: {}, random_flip: 0, random_rotate90: 0, smooth_sigma: 0}}\n",
        *resize, std::lround(side));
  }

  std::string trainer() {
    std::string text = "trainer:\n  use: timed\n  device: cpu\n" + step();
    const auto every = keys_.number({"checkpoint.steps_between_checkpoints"}, -1);
    const auto bytes =
        keys_.count({"model.model_size_bytes", "model.model_size", "checkpoint.model_size"}, 1);
    if (every && *every >= 1) {
      text += fmt::format("  checkpoint: {{every: {:.0f}, bytes: {}B, fsync: {}}}\n", *every,
                          bytes.value_or(10240), keys_.flag({"checkpoint.fsync"}).value_or(false));
    } else if (bytes) {
      keys_.remark({"model.model_size_bytes", "model.model_size", "checkpoint.model_size"},
                   "no checkpoints between steps: set trainer.checkpoint.every and .bytes");
    }
    return text + "\n";
  }

  std::string step() {
    const std::string type = keys_.text({"train.computation_time.type"}).value_or("normal");
    if (type == "uniform") return uniform_step();
    if (type == "exponential")
      return fmt::format(
          "  step_time: {}\n  distribution: exponential\n",
          duration_text(keys_.number({"train.computation_time.scale"}, 0).value_or(0)));
    if (type != "normal")
      keys_.complain(
          "train.computation_time.type",
          fmt::format("unknown type \"{}\"; allowed: normal, uniform, exponential", type));
    const double mean =
        keys_.number({"train.computation_time", "train.computation_time.mean"}, 0).value_or(0);
    for (const char* key : {"train.computation_time_stdev", "train.computation_time.stdev"})
      if (keys_.number({key}, 0).value_or(0) > 0)
        keys_.remark({key}, "steps take the mean: `timed` has no normal distribution");
    return fmt::format("  step_time: {}\n", duration_text(mean));
  }

  std::string uniform_step() {
    const double min = keys_.number({"train.computation_time.min"}, 0).value_or(0);
    const double max = keys_.number({"train.computation_time.max"}, min).value_or(min);
    const double mean = (min + max) / 2;
    return fmt::format("  step_time: {}\n  distribution: uniform\n  spread: {:.6g}\n",
                       duration_text(mean), mean > 0 ? (max - min) / 2 / mean : 0);
  }

  DlioKeys& keys_;
  std::string source_;
  bool array_ = false;
  std::uint64_t checkpoints_ = 0;  // of a window, where nothing else is measured
};

const YamlNode* workload_in(const YamlNode& root) {
  // Hydra's overrides nest it: `workload: {model: ...}`.
  if (const YamlMember* nested = root.find("workload"); nested && nested->value.map())
    return &nested->value;
  for (const char* section : {"workflow", "dataset", "reader", "train", "checkpoint"})
    if (root.find(section)) return &root;
  return nullptr;
}

DlioImport imported(const std::string& path) {
  Diagnostics diagnostics;
  const Source source(path == "-" ? "stdin" : path, read_scenario_text(path, diagnostics));
  diagnostics.throw_if_any();
  const std::optional<YamlNode> tree = parse_yaml(source, diagnostics);
  diagnostics.throw_if_any();
  const YamlNode* workload = tree && tree->map() ? workload_in(*tree) : nullptr;
  if (!workload)
    diagnostics.add(source.name(),
                    "not a DLIO workload: it has none of `workflow`, `dataset`, `reader`, "
                    "`train` and `checkpoint`");
  diagnostics.throw_if_any();
  DlioKeys keys(*workload, diagnostics);
  DlioImport made;
  made.yaml = DlioScenario(keys, source.name()).written();
  diagnostics.throw_if_any();
  made.ignored = keys.not_taken();
  if (!made.ignored.empty()) made.yaml += "\n# Not converted:\n";
  for (const std::string& line : made.ignored) made.yaml += fmt::format("#   {}\n", line);
  return made;
}

}  // namespace
}  // namespace config

DlioImport scenario_from_dlio(const std::string& path) { return config::imported(path); }

}  // namespace benchbench
