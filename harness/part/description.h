// What a part says of itself, as data. Checking YAML, `list`, `describe`, the schema and the contract tests read
// descriptions and load nothing; a description is in the main program even where the part lives in a module.
#pragma once
#include <limits>
#include <span>
#include <string_view>

#include "harness/part/component.h"
#include "harness/part/stage_meter.h"

namespace benchbench {

enum class PartKind : std::uint8_t { loader, trainer, sample_format, sampler, synthesis, preparation };
constexpr std::string_view name_of(PartKind k) noexcept {
  constexpr std::string_view names[] = {"loader",  "trainer",   "sample_format",
                                        "sampler", "synthesis", "preparation"};
  return names[static_cast<int>(k)];
}

enum class ParameterType : std::uint8_t {
  boolean,
  integer,
  real,
  duration,   // "12ms"
  bytes,      // "64KiB"
  rate,       // "500/s"
  bandwidth,  // "1.2GB/s"
  text,
  choice,     // one of `choices`
};

// One parameter. Values in `least`..`most` are allowed, in the base unit: ns for durations, bytes, per second.
struct Parameter {
  std::string_view key;          // without the part's prefix: "step_time", "transform.normalize"
  ParameterType type;
  std::string_view standard;     // the default as YAML text; "" = required; "none" = absent unless given
  std::string_view help;         // one sentence in plain words
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  std::span<const std::string_view> choices = {};
};

enum class DataKind : std::uint8_t { any, image, tokens, volume };

// What a sample format can store.
struct Holds {
  bool images = false;    // encoded, each of its own length
  bool pixels = false;    // decoded images [H, W, C], all of one shape
  bool volumes = false;   // arrays, all of one shape and element
  bool tokens = false;    // sequences of one element, each of its own length
};

struct PartDescription {
  PartKind kind;
  std::string_view name;         // as `use:` has it
  std::string_view summary;      // one sentence
  DataKind data = DataKind::any; // a loader's product, a trainer's food, a format's content
  std::span<const Parameter> parameters = {};
  std::span<const Stage> stages = {};   // stages it meters
  bool simulated = false;        // can run in virtual time: all its time goes through the Runtime
  bool mock = false;
  bool needs_dataset = false;    // a loader that reads `dataset`
  std::span<const Substitution> substitutions = {};   // components it can run without
  Holds holds = {};                                   // of a sample format
};

}  // namespace benchbench
