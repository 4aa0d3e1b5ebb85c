// What a device with memory of its own can do: streams, events, copies and kernels. For the
// harness, which uploads batches (trial/device_feed), and for trainers, which enqueue their steps;
// a real one and an emulated one behave alike here.
#pragma once
#include <memory>
#include <span>

#include "harness/core/error.h"
#include "harness/core/units.h"
#include "harness/part/batch.h"

namespace benchbench {

// A queue of work that the device does in order. Made by an Accelerator, which outlives it;
// destroyed when nothing is under way on it.
class DeviceStream {
 public:
  virtual ~DeviceStream() = default;
  // The driver's own handle (CUstream), to be used by other libraries on this device; nullptr where
  // there is no driver.
  virtual void* native() const noexcept = 0;
};

enum class DeviceCopy : std::uint8_t { h2d, d2h };
template <>
inline constexpr auto kWordsOf<DeviceCopy> = std::to_array<std::string_view>({"h2d", "d2h"});

// Work of a mock: the device is busy for `time`, and where `reads` is not empty reads each of its
// bytes meanwhile, for longer where its memory takes longer. Views of device memory, valid during
// the call. `sum`: four bytes of the device, an integer to which all bytes read are added, modulo
// 2^32; nullptr: nowhere. An emulated device reads nothing: it takes the time.
struct DeviceKernel {
  Nanoseconds time{0};
  std::span<const TensorView> reads = {};
  std::byte* sum = nullptr;
};

// uint8 images [N, H, W, C] of the device's memory, 1 to 4 channels, to float32 [N, C, H, W] at
// `to`, device memory too, of four bytes for each of theirs.
struct DeviceNormalization {
  TensorView from;
  std::byte* to = nullptr;
  ImageNormalization by;
};

// Rows of tables in the device's memory: row ids[i] of table t, for i < rows, to row i at to[t],
// which holds rows of the same size. `ids`: int64, in the device's memory too. Views are valid
// during the call.
struct DeviceGather {
  std::span<const TensorView> from;
  std::span<std::byte* const> to;
  const std::byte* ids = nullptr;
  std::uint64_t rows = 0;
};

// Views of one batch; row i of all is of the same image.
struct DecodeJob {
  std::span<const EncodedImage> images;
  std::span<const EncodedFile> files;  // their bytes stay until the stream's work is done
  // Device memory: [N, size, size, 3], uint8 or float32.
  TensorView to;
  ImageNormalization by;  // of float32
};

struct DecodeFailure {
  std::size_t row = 0;
  std::string_view words;  // "NVJPEG_STATUS_BAD_JPEG"; valid as long as the decoder
};

// Made by an Accelerator, which outlives it. One thread, and one stream in all calls.
class DeviceDecoder {
 public:
  virtual ~DeviceDecoder() = default;
  // Puts the making of all rows on the stream. Returns what could not be decoded, whose rows are
  // zeros; valid until the next call. Throws DeviceError where the device refuses, PartError where
  // its memory is full.
  virtual std::span<const DecodeFailure> decode(DeviceStream& stream, const DecodeJob& job) = 0;
  // Says who decodes: "nvJPEG 13.0.4 decodes with 8 JPEG engines". Valid as long as the decoder.
  virtual std::string_view note() const = 0;
};

// Calls made so far, by the harness and the trainer together.
struct DeviceCalls {
  std::uint64_t copies = 0, launches = 0, records = 0, waits = 0;
  std::uint64_t made() const noexcept { return copies + launches + records + waits; }
};

// One thread makes all calls: the trial's. All throw DeviceError where the device or its driver
// refuses.
class Accelerator {
 public:
  virtual ~Accelerator() = default;
  // The driver's number of the device; 0 where it is emulated.
  virtual int ordinal() const noexcept = 0;
  virtual std::unique_ptr<DeviceStream> make_stream() = 0;
  // With a time, to be read by between().
  virtual std::unique_ptr<DeviceEvent> make_event() = 0;
  // The event is done when all work that is on the stream now is. It may be recorded again.
  virtual void record(DeviceEvent& event, DeviceStream& stream) = 0;
  // What is put on the stream from now on begins when the event, as last recorded, is done. An
  // event that was never recorded is.
  virtual void wait(DeviceStream& stream, const DeviceEvent& event) = 0;
  // `bytes` > 0. `host` is where the host's side lies, pinned or host. A copy from or to pageable
  // memory (Memory::host) returns when the host's bytes may be used again; one of pinned memory at
  // once, and the bytes must stay until the work of the stream is done.
  virtual void copy(DeviceStream& stream, std::byte* to, const std::byte* from, std::size_t bytes,
                    DeviceCopy way, Memory host) = 0;
  // Returns as soon as it is queued; waits where the device's queue is full.
  virtual void launch(DeviceStream& stream, const DeviceKernel& kernel) = 0;
  // A launch too. Takes as long as it takes: by the memory's speed.
  virtual void normalize(DeviceStream& stream, const DeviceNormalization& job) = 0;
  // Returns when everything on the stream is done. Blocks the calling thread.
  virtual void synchronize(DeviceStream& stream) = 0;
  // From one to the other, negative where `to` was done first. Both recorded and done.
  virtual Nanoseconds between(const DeviceEvent& from, const DeviceEvent& to) = 0;
  virtual DeviceCalls calls() const noexcept = 0;
  // One launch, for all tables together. Takes as long as the memory's speed lets it.
  virtual void gather(DeviceStream& stream, const DeviceGather& job) = 0;
  // Returns a decoder of JPEG files, never nullptr. DeviceError where this device has none, or a
  // library for it is missing.
  virtual std::unique_ptr<DeviceDecoder> make_decoder() {
    throw DeviceError("this device decodes no images",
                      "loader.decode.backend: nvjpeg needs trainer.device: cuda:N");
  }
};

}  // namespace benchbench
