#include "harness/trial/device_feed/device_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "harness/core/error.h"
#include "harness/core/random.h"

namespace benchbench {
namespace {

// Views of `rows` rows from `data` on.
std::array<TensorView, kMaxTensors> views_at(std::byte* data, const BatchSpec& spec,
                                             const BatchPlaces& places, std::uint64_t rows) {
  std::array<TensorView, kMaxTensors> views{};
  for (std::size_t t = 0; t < spec.count; ++t)
    views[t] = {.spec = spec.tensor[t],
                .rows = static_cast<std::int64_t>(rows),
                .data = data + places.starts[t]};
  return views;
}

// Room for one batch on the host.
class Staging {
 public:
  Staging(Device& device, const BatchSpec& spec, std::uint64_t rows, Memory where)
      : places_(places_of(spec, rows)),
        memory_(device, places_.bytes, where),
        views_(views_at(memory_.data(), spec, places_, rows)),
        count_(spec.count) {}
  std::span<const TensorView> tensors() const noexcept { return {views_.data(), count_}; }

 private:
  const BatchPlaces places_;
  const DeviceMemory memory_;
  const std::array<TensorView, kMaxTensors> views_;
  const std::uint8_t count_;
};

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
      staging_(order.staging),
      meter_(order.meters) {
  try {
    memory_.emplace(device_, places_.bytes, Memory::device);
  } catch (const PartError& error) {
    throw PartError(
        fmt::format("loader.residency: device needs {} of the device's memory ({} of {}): {}",
                    human_bytes(static_cast<double>(places_.bytes)), counted(samples_, "sample"),
                    human_bytes(static_cast<double>(spec_.bytes_per_row())), error.message()),
        "residency: host keeps the stored bytes in the host's memory");
  }
  tables_ = views_at(memory_->data(), spec_, places_, samples_);
  load(order);
}

void DeviceRows::load(const Order& order) {
  Accelerator& on = *device_.accelerator();
  const Staging staging(device_, spec_, order.batch_size, order.staging);
  const auto stream = on.make_stream();
  const auto worker = order.maker.worker(0, order.runtime);
  std::vector<SampleRef> refs;
  for (SampleId first = 0; first < samples_; first += refs.size()) {
    order.interruption.check(order.runtime.now());
    refs.resize(std::min(order.batch_size, samples_ - first));
    for (std::size_t i = 0; i < refs.size(); ++i)
      refs[i] = {.id = first + i, .seed = mix_seed(order.seed, Epoch{0}, first + i)};
    const BatchRequest request{.epoch = 0,
                               .batch = first / order.batch_size,
                               .samples = refs,
                               .rows = RowSpan(staging.tensors(), 0, refs.size())};
    order.maker.expect(request);
    worker->fill(request, meter_);
    copy_rows(*stream, staging.tensors(), first, refs.size());
    on.synchronize(*stream);
  }
}

void DeviceRows::copy_rows(DeviceStream& stream, std::span<const TensorView> from, SampleId first,
                           std::size_t rows) {
  for (std::size_t t = 0; t < spec_.count; ++t) {
    const std::size_t row = spec_.tensor[t].bytes_per_row();
    device_.accelerator()->copy(stream, tables_[t].data + first * row, from[t].data, rows * row,
                                DeviceCopy::h2d, staging_);
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
