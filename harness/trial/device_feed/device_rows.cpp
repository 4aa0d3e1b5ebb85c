#include "harness/trial/device_feed/device_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "harness/core/error.h"
#include "harness/core/random.h"
#include "harness/pipeline/slot_ring.h"

namespace benchbench {
namespace {

class ListWorker final : public LoaderWorker {
 public:
  void fill(const BatchRequest& request, StageMeter&) override {
    for (std::size_t i = 0; i < request.samples.size(); ++i)
      std::memcpy(request.rows.row(0, i), &request.samples[i].id, sizeof(SampleId));
  }
};

class SampleList final : public Loader {
 public:
  SampleList(std::unique_ptr<Loader> maker, std::uint64_t bytes)
      : maker_(std::move(maker)),
        note_(fmt::format("all {} are on the device: {}",
                          counted(maker_->layout().samples, "sample"),
                          human_bytes(static_cast<double>(bytes)))) {
    if (!maker_->note().empty()) note_ += fmt::format("; {}", maker_->note());
  }
  Layout layout() const override { return maker_->layout(); }
  BatchSpec spec() const override { return list_spec(); }
  std::uint32_t classes() const override { return maker_->classes(); }
  std::optional<std::int64_t> find_label(SampleId id) const override {
    return maker_->find_label(id);
  }
  std::string_view note() const override { return note_; }
  std::unique_ptr<LoaderWorker> worker(WorkerNumber, Runtime&) override {
    return std::make_unique<ListWorker>();
  }

 private:
  const std::unique_ptr<Loader> maker_;
  std::string note_;
};

}  // namespace

DeviceRows::DeviceRows(const Order& order)
    : device_(order.device),
      spec_(order.maker.spec()),
      samples_(order.maker.layout().samples),
      places_(places_of(spec_, samples_)),
      list_(order.device, list_spec(), order.batch_size),
      meter_(order.meters) {
  take_memory();
  for (std::size_t t = 0; t < spec_.count; ++t)
    tables_[t] = {.spec = spec_.tensor[t],
                  .rows = static_cast<std::int64_t>(samples_),
                  .data = memory_->data() + places_.starts[t]};
  load(order);
}

void DeviceRows::take_memory() {
  try {
    memory_.emplace(device_, places_.bytes, Memory::device);
  } catch (const PartError& error) {
    throw PartError(
        fmt::format("loader.residency: device needs {} of the device's memory ({} of {}): {}",
                    human_bytes(static_cast<double>(places_.bytes)), counted(samples_, "sample"),
                    human_bytes(static_cast<double>(spec_.bytes_per_row())), error.message()),
        "residency: host keeps the stored bytes in the host's memory");
  }
}

void DeviceRows::load(const Order& order) {
  Accelerator& on = *device_.accelerator();
  SlotRing staging(device_, order.runtime, spec_, order.batch_size, 1, order.staging, false);
  RingSlot& slot = staging.issue();
  slot.issued = kNotKnown;
  const auto stream = on.make_stream();
  const auto worker = order.maker.worker(0, order.runtime);
  for (SampleId first = 0; first < samples_; first += slot.samples) {
    order.interruption.check(order.runtime.now());
    const auto rows =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(order.batch_size, samples_ - first));
    slot.begin(first / order.batch_size, {.rows = rows});
    for (std::size_t i = 0; i < rows; ++i)
      slot.refs[i] = {.id = first + i, .seed = mix_seed(order.seed, Epoch{0}, first + i)};
    order.maker.expect(slot.request(0, rows));
    worker->fill(slot.request(0, rows), meter_);
    copy_rows(*stream, slot, first);
    on.synchronize(*stream);
  }
}

void DeviceRows::copy_rows(DeviceStream& stream, const BatchSlot& from, SampleId first) {
  for (std::size_t t = 0; t < spec_.count; ++t) {
    const std::size_t row = spec_.tensor[t].bytes_per_row();
    device_.accelerator()->copy(stream, tables_[t].data + first * row, from.tensors[t].data,
                                from.samples * row, DeviceCopy::h2d, from.where);
  }
}

std::uint64_t DeviceRows::make(DeviceStream& stream, const BatchLease& host, DeviceBuffer& to,
                               StageMeter&) {
  Accelerator& on = *device_.accelerator();
  const std::uint64_t rows = host.samples().value, bytes = host.tensors()[0].bytes();
  on.copy(stream, list_.data(), host.tensors()[0].data, bytes, DeviceCopy::h2d, host.where());
  std::array<std::byte*, kMaxTensors> places{};
  std::ranges::transform(to.take_rows(spec_, rows), places.begin(), &TensorView::data);
  on.gather(stream, {.from = {tables_.data(), spec_.count},
                     .to = {places.data(), spec_.count},
                     .ids = list_.data(),
                     .rows = rows});
  return bytes;
}

BatchSpec list_spec() noexcept {
  BatchSpec spec;
  spec.tensor[0] = {.name = "index", .dtype = DType::int64, .row = {}};
  spec.count = 1;
  return spec;
}

std::unique_ptr<Loader> list_samples(std::unique_ptr<Loader> maker, const DeviceRows& rows) {
  return std::make_unique<SampleList>(std::move(maker), rows.bytes());
}

}  // namespace benchbench
