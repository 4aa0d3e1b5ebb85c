#include "harness/trial/device_feed/device_buffer.h"

namespace benchbench {

DeviceBuffer::DeviceBuffer(Device& device, const BatchSpec& spec, std::uint64_t rows)
    : places_(places_of(spec, rows)), memory_(device, places_.bytes, Memory::device) {
  ids_.reserve(rows);
}

std::span<const CopyPiece> DeviceBuffer::take(const BatchLease& batch) {
  pieces_.clear();
  slot_.tensor_count = 0;
  for (const TensorView& tensor : batch.tensors()) {
    const std::size_t at = places_.starts[slot_.tensor_count];
    TensorView& ours = slot_.tensors[slot_.tensor_count++] = tensor;
    ours.data = data() + at;
    add_piece({tensor.data, at, tensor.bytes()});
  }
  return pieces_;
}

std::span<const TensorView> DeviceBuffer::take_rows(const BatchSpec& spec, std::uint64_t rows) {
  own_rows_ = true;
  slot_.tensor_count = spec.count;
  for (std::size_t t = 0; t < spec.count; ++t)
    slot_.tensors[t] = {.spec = spec.tensor[t],
                        .rows = static_cast<std::int64_t>(rows),
                        .data = data() + places_.starts[t]};
  return {slot_.tensors.data(), spec.count};
}

void DeviceBuffer::add_piece(const CopyPiece& piece) {
  if (piece.bytes == 0) return;
  if (!pieces_.empty()) {
    CopyPiece& last = pieces_.back();
    const std::size_t from_last = piece.at - last.at;
    if (piece.from == last.from + from_last && from_last - last.bytes < kCacheLine) {
      last.bytes = from_last + piece.bytes;
      return;
    }
  }
  pieces_.push_back(piece);
}

BatchLease DeviceBuffer::lease(const BatchLease& batch, DeviceEvent* ready) {
  ids_.assign(batch.ids().begin(), batch.ids().end());
  slot_.ids = ids_;
  slot_.samples = batch.samples().value;
  slot_.epoch = batch.epoch();
  slot_.batch = batch.batch();
  slot_.where = Memory::device;
  slot_.ready = ready;
  slot_.filled = batch.filled();
  // Also where the bytes of an earlier batch stay.
  for (std::size_t i = 0; i < slot_.tensor_count; ++i) {
    if (!own_rows_) slot_.tensors[i].spec = batch.tensors()[i].spec;
    slot_.tensors[i].rows = static_cast<std::int64_t>(slot_.samples);
  }
  slot_.made_in = batch.made_in();
  slot_.filling = batch.filling();
  return BatchLease(slot_, *this);
}

}  // namespace benchbench
