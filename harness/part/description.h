// The description of a part, as data. Checking YAML, `describe`, the schema and the
// contract tests read descriptions and load nothing; a description is in the main program even
// where the part lives in a module.
#pragma once
#include <array>
#include <limits>
#include <span>
#include <string_view>

#include "harness/core/words.h"
#include "harness/part/component.h"
#include "harness/part/stage_meter.h"

namespace benchbench {

class Settings;

enum class PartKind : std::uint8_t {
  loader,
  trainer,
  sample_format,
  sampler,
  synthesis,
  preparation
};
template <>
inline constexpr auto kWordsOf<PartKind> = std::to_array<std::string_view>(
    {"loader", "trainer", "sample_format", "sampler", "synthesis", "preparation"});

enum class ParameterType : std::uint8_t {
  boolean,
  integer,
  real,
  duration,   // "12ms"
  bytes,      // "64KiB"
  rate,       // "500/s"
  bandwidth,  // "1.2GB/s"
  text,
  choice,  // one of `choices`
};
template <>
inline constexpr auto kWordsOf<ParameterType> = std::to_array<std::string_view>(
    {"boolean", "integer", "real", "duration", "bytes", "rate", "bandwidth", "text", "choice"});

// Where a trainer's parameter means something. Elsewhere a point that gives it, and not its
// default, is SKIPPED.
enum class ParameterOn : std::uint8_t {
  any,
  cpu,
  accelerator,  // a device with memory of its own
};

// One parameter. Values in `min`..`max` are allowed, in the base unit: ns for durations, bytes, per
// second.
struct Parameter {
  std::string_view key;  // without the part's prefix: "step_time", "transform.normalize"
  ParameterType type;
  // The default as YAML text; "" = required; "none" = absent unless given.
  std::string_view standard;
  std::string_view help;  // one sentence in plain words
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  std::span<const std::string_view> choices = {};
  ParameterOn on = ParameterOn::any;
};

// Returns one whose value is one of `choices`, which outlive it.
constexpr Parameter choice_parameter(std::string_view key, std::string_view standard,
                                     std::string_view help,
                                     std::span<const std::string_view> choices,
                                     ParameterOn on = ParameterOn::any) {
  return {.key = key,
          .type = ParameterType::choice,
          .standard = standard,
          .help = help,
          .choices = choices,
          .on = on};
}

enum class DataKind : std::uint8_t { any, image, tokens, volume };

// What a sample format can store, or is used for.
struct Holds {
  bool images = false;   // encoded, each of its own length
  bool pixels = false;   // decoded images [H, W, C], all of one shape
  bool volumes = false;  // arrays, all of one shape and element
  bool tokens = false;   // sequences of one element, each of its own length
};

// What files of a format are, where they are found.
enum class FormatFiles : std::uint8_t {
  single,     // one of them is all the data
  shards,     // or a folder with such files side by side
  tree,       // or a folder with such files at any depth
  tree_only,  // such a folder alone: each file is a sample, as long as it is
};

// How data of a sample format are told from those of others, and what the harness does by format.
// Recognition asks the formats in the order of the catalogue: extensions first, then signatures,
// then begins(), then weak extensions; of a folder, markers first, then the files in it. Only one
// format may have an extension, a marker, an alias.
struct OnDisk {
  std::string_view alias = {};    // another word that users have for it
  std::string_view made_as = {};  // in a made data set's folder; "": samples.<name of the format>
  FormatFiles files = FormatFiles::single;
  // ".tar": certain without a look at the file, which may be empty.
  std::array<std::string_view, 5> extensions = {};
  // For files whose first bytes tell nothing.
  std::array<std::string_view, 1> weak_extensions = {};
  std::string_view signature = {};  // its first bytes
  // Whether it begins as one; besides the signature where there is one. `head`: up to 512 bytes of
  // anything. Any thread.
  bool (*begins)(std::string_view head) = nullptr;
  std::string_view folder_marker = {};  // a file that makes the folder it lies in one
  // The format that its data are taken for: only opening tells.
  std::string_view recognised_as = {};
  Holds standard_of = {};   // what is stored in it where nobody names a format
  bool library = false;     // its archives have a library_reader()
  bool check_sums = false;  // of all payload bytes that we write: no other come out unnoticed
  bool columns = false;     // its columns can be named: FormatPart::open takes names
};

// Devices with memory of their own on which a trainer's steps run: part/accelerator.h.
enum class OnDevice : std::uint8_t {
  no,
  emulated,  // there alone: its work has a known time
  cuda,      // CUDA devices, not emulated ones: its work takes as long as it takes
  any,       // CUDA too
};

struct PartDescription {
  PartKind kind;
  std::string_view name;          // as `use:` has it
  std::string_view summary;       // one sentence
  DataKind data = DataKind::any;  // a loader's product, a trainer's food, a format's content
  std::span<const Parameter> parameters = {};
  std::span<const Stage> stages = {};  // stages it meters
  bool simulated = false;  // can run in virtual time: all its time goes through the Runtime
  bool mock = false;
  OnDevice on_device = OnDevice::no;  // of a trainer
  // A trainer's steps on CUDA launch the harness's own kernels, which are calibrated for them.
  bool needs_kernels = true;
  std::int64_t channels = 0;   // of the images that a trainer takes; 0: any
  bool needs_dataset = false;  // a loader that reads `dataset`
  // A loader that is told where `dataset` lies where the scenario has one, and works without.
  bool takes_dataset = false;
  // In a process of its own, which the harness does not schedule: part/external.h.
  bool external = false;
  // "args.": any key that begins so is a parameter, of whatever type its value has.
  std::string_view free_keys = {};
  std::span<const Substitution> substitutions = {};  // components it can run without
  Holds holds = {};                                  // of a sample format
  OnDisk on_disk = {};                               // of a sample format
  // Throws ScenarioError, which names the keys, where settings contradict one another. The program
  // calls it for each point before anything is measured. nullptr: none can.
  void (*check)(const Settings& settings) = nullptr;
};

}  // namespace benchbench
