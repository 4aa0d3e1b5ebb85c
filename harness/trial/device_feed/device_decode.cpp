#include "harness/trial/device_feed/device_decode.h"

#include <cstring>

namespace benchbench {

DeviceDecode::DeviceDecode(Device& device, const BatchSpec& rows)
    : on_(*device.accelerator()), spec_(rows), decoder_(on_.make_decoder()) {}

std::uint64_t DeviceDecode::make(DeviceStream& stream, const BatchLease& host, DeviceBuffer& to,
                                 StageMeter& meter) {
  const auto tensors = to.take_rows(spec_, host.samples().value);
  std::uint64_t copied = 0;
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    const TensorView& from = host.tensors()[t];
    if (from.spec == encoded_tensor()) {
      copied += decode(stream, host, from, tensors[t], meter);
      continue;
    }
    on_.copy(stream, tensors[t].data, from.data, from.bytes(), DeviceCopy::h2d, host.where());
    copied += from.bytes();
  }
  return copied;
}

std::uint64_t DeviceDecode::decode(DeviceStream& stream, const BatchLease& host,
                                   const TensorView& from, const TensorView& to,
                                   StageMeter& meter) {
  const auto files = loader_->files_of(from.data);
  images_.resize(host.samples().value);
  std::memcpy(images_.data(), from.data, from.bytes());
  std::uint64_t bytes = 0;
  for (const EncodedImage& image : images_) bytes += image.bytes;
  for (const DecodeFailure& failure :
       decoder_->decode(stream, {.images = images_, .files = files, .to = to, .by = kImageNet}))
    meter.fault(host.ids()[failure.row], SampleFault::decode_error, files[failure.row].name,
                failure.words);
  return bytes;
}

}  // namespace benchbench
