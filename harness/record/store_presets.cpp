#include "harness/record/store_presets.h"

#include <fmt/format.h>

#include <array>

#include "harness/core/contains.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

// Orders of magnitude of a class of device, not of a product: who knows his own store's figures
// gives them.
constexpr std::array<StorePreset, 5> kPresets{{
    {"sata_hdd",
     "a hard disk",
     {.bandwidth = 150e6, .connections = 1, .seek = milliseconds{8}},
     "data sheets of 7,200 rpm SATA disks: 150 to 250 MB/s on the outer tracks and half of that on "
     "the inner; 4 ms rotational latency (half a turn) and 4 to 8 ms seek time. One head: one read "
     "at a time."},
    {"sata_ssd",
     "a SATA SSD",
     {.bandwidth = 500e6, .latency = microseconds{100}, .connections = 32},
     "data sheets of SATA III SSDs: the link's 6 Gb/s with 8b/10b coding leave 500 to 560 MB/s; "
     "about 10,000 random reads per second at queue depth 1; native command queueing holds 32."},
    {"nvme",
     "an NVMe SSD on PCIe",
     {.bandwidth = 3e9, .latency = microseconds{50}},
     "data sheets of PCIe 3.0 x4 NVMe SSDs: 3 to 3.5 GB/s sequential; about 15,000 to 20,000 "
     "random reads per second at queue depth 1. Its queues hold more reads than loaders have in "
     "flight."},
    {"nfs_10gbe",
     "a file server behind 10 Gb/s Ethernet",
     {.bandwidth = 1.25e9, .latency = microseconds{500}},
     "the line rate of 10 Gb/s Ethernet; 0.1 to 0.2 ms for a round trip within a data centre, 0.1 "
     "ms for the server's flash, and the server's own work. Opening files is not included: one "
     "file per sample costs more round trips."},
    {"s3",
     "an object store, read from a machine with 10 Gb/s",
     {.bandwidth = 1.25e9, .connection_bandwidth = 75e6, .latency = milliseconds{30}},
     "providers' performance guides: 50 to 100 MB/s per connection (they recommend one connection "
     "for each 85 to 90 MB/s); published measurements of 15 to 50 ms to the first byte in the same "
     "region. Guides also give 100 to 200 ms for small objects: set storage.latency if yours are "
     "small."},
}};

std::string speed(double bytes_per_second) {
  return bytes_per_second >= 1e9 ? fmt::format("{:.4g} GB/s", bytes_per_second / 1e9)
                                 : fmt::format("{:.4g} MB/s", bytes_per_second / 1e6);
}

}  // namespace

std::span<const StorePreset> store_presets() noexcept { return kPresets; }

std::optional<StoreFigures> emulated_figures(const SettingsMap& settings) {
  const auto& storage = keys::dataset.storage;
  const StorePreset* preset =
      find_element(kPresets, settings.text_or(storage.like), &StorePreset::name);
  StoreFigures figures = preset ? preset->figures : StoreFigures{};
  bool any = preset != nullptr;
  any |= settings.take(storage.bandwidth, figures.bandwidth);
  any |= settings.take(storage.connection_bandwidth, figures.connection_bandwidth);
  any |= settings.take(storage.latency, figures.latency);
  any |= settings.take(storage.connections, figures.connections);
  any |= settings.take(storage.seek, figures.seek);
  return any ? std::optional(figures) : std::nullopt;
}

std::string text_of(const StoreFigures& f) {
  std::vector<std::string> parts;
  if (f.bandwidth > 0) parts.push_back(speed(f.bandwidth));
  if (f.connection_bandwidth > 0)
    parts.push_back(speed(f.connection_bandwidth) + " per connection");
  if (f.latency.count() > 0) parts.push_back(human_duration(f.latency) + " to the first byte");
  if (f.seek.count() > 0) parts.push_back(human_duration(f.seek) + " per seek");
  if (f.connections > 0)
    parts.push_back(f.connections == 1 ? "one read at a time"
                                       : fmt::format("{} concurrent reads", f.connections));
  return parts.empty() ? "no cost" : fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace benchbench
