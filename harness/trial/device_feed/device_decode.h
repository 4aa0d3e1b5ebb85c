// Images that the device decodes: loader.decode.backend: nvjpeg.
#pragma once
#include <memory>
#include <vector>

#include "harness/part/device.h"
#include "harness/part/loader.h"
#include "harness/trial/device_feed/device_making.h"

namespace benchbench {

class DeviceDecode final : public DeviceMaking {
 public:
  // `rows`: of the loader that leaves decoding to the device, as if it did not. DeviceError where
  // the device has no decoder.
  DeviceDecode(Device& device, const BatchSpec& rows);

  const BatchSpec& spec() const noexcept override { return spec_; }
  // Says who decodes; valid as long as this.
  std::string_view note() const { return decoder_->note(); }
  // The loader whose batches come, which leave_decoding() gave: it has the files. Outlives this's
  // last make().
  void take_files_of(const Loader& loader) noexcept { loader_ = &loader; }
  std::uint64_t make(DeviceStream& stream, const BatchLease& host, DeviceBuffer& to,
                     StageMeter& meter) override;

 private:
  std::uint64_t decode(DeviceStream& stream, const BatchLease& host, const TensorView& from,
                       const TensorView& to, StageMeter& meter);

  Accelerator& on_;
  const BatchSpec spec_;
  const std::unique_ptr<DeviceDecoder> decoder_;
  const Loader* loader_ = nullptr;
  std::vector<EncodedImage> images_;  // of the batch at hand
};

}  // namespace benchbench
