#include "harness/record/device_presets.h"

#include <fmt/format.h>

#include <array>

#include "harness/core/contains.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

constexpr EmulatedFigures card(double pinned, double pageable, double memory_rate) {
  return {.pinned = pinned, .pageable = pageable, .memory_rate = memory_rate};
}

constexpr std::array<DevicePreset, 4> kDevicePresets{{
    {"pcie3_x16", "an accelerator on PCIe 3.0 x16", card(12.3e9, 5e9, 0.9e12),
     "16 lanes of 8 GT/s with 128b/130b coding carry 15.75 GB/s; packet headers leave 12 to 13 "
     "GB/s, as bandwidth tests of cards of that generation show. From pageable memory the driver "
     "copies through a buffer of its own, on one core: 3 to 6 GB/s. Its memory: 900 GB/s, the data "
     "sheet of the V100."},
    {"pcie4_x16", "an accelerator on PCIe 4.0 x16", card(25e9, 7e9, 2e12),
     "16 lanes of 16 GT/s carry 31.5 GB/s; 24 to 26 GB/s remain in bandwidth tests. From pageable "
     "memory 5 to 9 GB/s, by the speed of one core of the host. Its memory: 2 TB/s, the data sheet "
     "of the A100 80GB."},
    {"pcie5_x16", "an accelerator on PCIe 5.0 x16", card(55e9, 10e9, 3.35e12),
     "16 lanes of 32 GT/s carry 63 GB/s; 52 to 57 GB/s remain in bandwidth tests. From pageable "
     "memory 8 to 12 GB/s, by the speed of one core of the host. Its memory: 3.35 TB/s, the data "
     "sheet of the H100 SXM."},
    {"h200",
     "an H200 on PCIe 5.0 x16",
     {.pinned = 55e9, .pageable = 10e9, .memory_rate = 4.2e12, .memory = std::uint64_t{139} << 30},
     "Measured with torch 2.11 on one H200, PCIe 5 x16, on 2026-11-26: 55 GB/s from pinned memory; "
     "from pageable memory 10 GB/s in batches of 150 MB, 16 GB/s in batches of 38 MB; a copy call "
     "takes the host 3 us; its memory reads at 4.2 to 4.4 TB/s. The step of ResNet-50 "
     "(torchvision, "
     "bf16 autocast, channels_last, batch 256) took 54.6 ms there, 213 us an image."},
}};

constexpr std::array<std::string_view, 4> kUploadKeys{keys::trainer.non_blocking,
                                                      keys::trainer.copy_stream,
                                                      keys::trainer.in_flight, keys::trainer.copy};

const DevicePreset& preset_named(std::string_view name) noexcept {
  const DevicePreset* found = find_element(kDevicePresets, name, &DevicePreset::name);
  return found ? *found : kDevicePresets[1];
}

}  // namespace

std::span<const DevicePreset> device_presets() noexcept { return kDevicePresets; }

std::span<const std::string_view> upload_keys() noexcept { return kUploadKeys; }

bool keeps_rows_on_device(const SettingsMap& settings) {
  return settings.text_or("loader.residency") == "device";
}

bool decodes_on_device(const SettingsMap& settings) {
  return settings.text_or("loader.decode.backend") == "nvjpeg";
}

std::string_view key_of_device_batches(const SettingsMap& settings) {
  if (keeps_rows_on_device(settings)) return "loader.residency";
  return decodes_on_device(settings) ? "loader.decode.backend" : "";
}

EmulatedFigures emulated_device_of(const SettingsMap& settings) {
  const auto& emulated = keys::trainer.emulated;
  EmulatedFigures figures = preset_named(settings.text_or(emulated.like)).figures;
  settings.take(emulated.pinned, figures.pinned);
  settings.take(emulated.pageable, figures.pageable);
  settings.take(emulated.copy_call, figures.copy_call);
  settings.take(emulated.launch_call, figures.launch_call);
  settings.take(emulated.queue, figures.queue);
  settings.take(emulated.memory_rate, figures.memory_rate);
  settings.take(emulated.memory, figures.memory);
  settings.take(emulated.moves, figures.moves);
  return figures;
}

std::string text_of(const EmulatedFigures& f) {
  return fmt::format(
      "{:.4g} GB/s pinned, {:.4g} GB/s pageable, {} per copy call, {} per launch, {} launches in "
      "its queue, {:.4g} GiB at {:.4g} TB/s{}",
      f.pinned / 1e9, f.pageable / 1e9, human_duration(f.copy_call), human_duration(f.launch_call),
      f.queue, static_cast<double>(f.memory) / static_cast<double>(std::uint64_t{1} << 30),
      f.memory_rate / 1e12, f.moves ? ", bytes moved" : "");
}

}  // namespace benchbench
