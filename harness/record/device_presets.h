// Typical links between host and accelerator by name, and what a trial's trainer.emulated.*
// settings come to.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "harness/part/emulated_device.h"
#include "harness/record/value.h"

namespace benchbench {

struct DevicePreset {
  std::string_view name;  // as trainer.emulated.like has it
  std::string_view what;
  EmulatedFigures figures;
  std::string_view source;  // where the figures come from, in words
};

// In the order of the choices of trainer.emulated.like.
std::span<const DevicePreset> device_presets() noexcept;

// The figures of trainer.emulated.like, pcie4_x16 where it is not given, each replaced by the key
// that is.
EmulatedFigures emulated_device_of(const SettingsMap& settings);

// "25 GB/s pinned, 7 GB/s pageable, 3 us a copy, 3 us a launch, 1024 launches, 80 GiB".
std::string text_of(const EmulatedFigures& figures);

constexpr bool is_cuda(std::string_view device) noexcept { return device.starts_with("cuda:"); }
// Whether a device of this name (trainer.device) has memory of its own.
constexpr bool has_own_memory(std::string_view device) noexcept {
  return device == "emulated" || device.starts_with("cuda");
}

// True where all rows are to stay on the device: loader.residency: device.
bool keeps_rows_on_device(const SettingsMap& settings);
// True where images are to be decoded there: loader.decode.backend: nvjpeg.
bool decodes_on_device(const SettingsMap& settings);
// Returns the key by which batches are made there, of the two; "" where the host makes them.
std::string_view key_of_device_batches(const SettingsMap& settings);

// The keys of `trainer` that mean something on a device with memory of its own alone, with their
// prefix.
std::span<const std::string_view> upload_keys() noexcept;

}  // namespace benchbench
