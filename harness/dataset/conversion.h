// Samples of one archive written into another, and proven.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "harness/part/catalog.h"
#include "harness/record/trial.h"

namespace benchbench {

struct Conversion {
  std::string from_format, from_path;
  // Nothing may lie at `to_path`, but what an earlier conversion of the same source left unproven.
  std::string to_format, to_path;
  ColumnNames from_columns = {};  // those of the source; "": the customary ones
};
struct Converted {
  std::uint64_t samples = 0;
  std::uint64_t bytes = 0;  // of all payloads
  std::uint64_t empty = 0;  // samples without a byte
  // Written by an earlier conversion that ended before it had proven them; proven now.
  bool was_there = false;
  std::string remark;  // the source's
};
enum class ConversionPhase : std::uint8_t { writing, checking };
// Called on the caller's thread, some 10 times a second.
using ConversionProgress = std::function<void(ConversionPhase phase, std::uint64_t done,
                                              std::uint64_t all, std::uint64_t bytes)>;

// Writes all samples, with names, labels and order, and then reads every one of them from what was
// written: kind, count, labels and digests are what the source had, or what was written is removed
// again. Until then <to_path>.unproven lies beside; a conversion that finds it there was cut short
// behind the writing, and only proves. ScenarioError (nothing at from_path or something at to_path,
// a format that cannot hold these samples, no space), PartError naming a sample of the source that
// cannot be read, InterruptedError when `stop` turned true, DeviceError where a format's module is
// absent.
Converted convert_dataset(const Conversion& order, const Catalog& catalog,
                          const ConversionProgress& progress, const std::atomic<bool>& stop);

}  // namespace benchbench
