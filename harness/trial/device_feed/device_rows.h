// Data that stay on a device: all rows of a data set in its memory, of which each batch is gathered
// there by the ids of its samples (loader.residency: device).
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "harness/part/device.h"
#include "harness/part/loader.h"
#include "harness/pipeline/batch_places.h"
#include "harness/pipeline/interruption.h"
#include "harness/pipeline/thread_meter.h"
#include "harness/trial/device_feed/device_making.h"

namespace benchbench {

class DeviceRows final : public DeviceMaking {
 public:
  struct Order {
    Device& device;  // with an accelerator()
    Runtime& runtime;
    Loader& maker;
    std::uint32_t batch_size = 1;  // samples that are made and copied at once
    std::uint64_t seed = 0;        // the loader's
    Memory staging = Memory::host;
    MeterOptions meters = {};
    const Interruption& interruption;
  };
  // Makes every row once, in the order of the ids, and copies it to the device. Throws PartError
  // where the device has too little memory, before a sample is read; what the maker throws; what
  // the interruption asks for.
  explicit DeviceRows(const Order& order);

  const BatchSpec& spec() const noexcept override { return spec_; }
  std::uint64_t bytes() const noexcept { return places_.bytes; }
  // Counts what was found while the rows were made.
  const ThreadMeter& meter() const noexcept { return meter_; }
  // Gathers the rows that the host's batch lists: its one tensor is their ids.
  std::uint64_t make(DeviceStream& stream, const BatchLease& host, DeviceBuffer& to,
                     StageMeter& meter) override;

 private:
  void take_memory();
  void load(const Order& order);
  void copy_rows(DeviceStream& stream, const BatchSlot& from, SampleId first);

  Device& device_;
  const BatchSpec spec_;
  const std::uint64_t samples_;
  const BatchPlaces places_;  // as of one batch that has all samples
  std::optional<DeviceMemory> memory_;
  // Receives the lists. One is enough: the stream reads it before the next arrives.
  DeviceBuffer list_;
  std::array<TensorView, kMaxTensors> tables_{};
  ThreadMeter meter_;
};

// Batches of listed samples: the one tensor is the ids.
BatchSpec list_spec() noexcept;

// A loader of such lists in the place of the one that made the rows.
std::unique_ptr<Loader> list_samples(std::unique_ptr<Loader> maker, const DeviceRows& rows);

}  // namespace benchbench
