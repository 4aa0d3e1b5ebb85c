// Typical stores by name, and what a trial's dataset.storage.* settings come to.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "harness/record/value.h"

namespace benchbench {

// What a store costs; 0 is "none of that cost".
struct StoreFigures {
  double bandwidth = 0;             // bytes per second, shared by all reads
  double connection_bandwidth = 0;  // bytes per second, of one read
  Nanoseconds latency{0};           // from asking to the first byte
  std::uint32_t connections = 0;    // reads served at once; 0: however many are asked for
  Nanoseconds seek{0};              // more, where a read does not follow the one before
  bool operator==(const StoreFigures&) const = default;
};

struct StorePreset {
  std::string_view name;  // as dataset.storage.like has it
  std::string_view what;
  StoreFigures figures;
  std::string_view source;  // where the figures come from, in words
};

// In the order of the choices of dataset.storage.like.
std::span<const StorePreset> store_presets() noexcept;

// Of the keys dataset.storage.*: the figures of `like`, each replaced by the key that is given;
// without `like` a figure that is not given costs nothing. nullopt where no store is played: none
// of the keys, or `like: none` and no other.
std::optional<StoreFigures> emulated_figures(const SettingsMap& settings);

// "1.25 GB/s, 75 MB/s a connection, 30 ms to the first byte"; "no cost" where all are 0.
std::string text_of(const StoreFigures& figures);

}  // namespace benchbench
