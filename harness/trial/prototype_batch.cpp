#include "harness/trial/prototype_batch.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/core/random.h"
#include "harness/trial/parts_of_trial.h"
#include "harness/trial/thread_meter.h"

namespace benchbench {
namespace {

constexpr char kUse[] = "prototype.loader.use";

}  // namespace

bool has_prototype(const SettingsMap& settings) { return settings.has(kUse); }

MadePrototype::MadePrototype(const Order& order) : device_(order.device) {
  const std::string use = order.settings.text(kUse);
  row_of(order.catalog, PartKind::loader, use, order.runtime.simulated());
  const PrefixedSettings settings(order.settings, "prototype.loader.");
  const auto loader = order.catalog.maker(PartKind::loader, use)
                          .loader({.settings = settings,
                                   .dataset = order.dataset,
                                   .batch_size = order.batch_size,
                                   .num_workers = 0,
                                   .seed = order.seed,
                                   .prototype = nullptr,
                                   .catalog = &order.catalog});
  try {
    fill(order, *loader);
  } catch (Error& error) {
    device_.deallocate(data_, bytes_, Memory::host);
    error.add_context("making the batch that mode trainer repeats");
    throw;
  } catch (...) {
    device_.deallocate(data_, bytes_, Memory::host);
    throw;
  }
}

MadePrototype::~MadePrototype() { device_.deallocate(data_, bytes_, Memory::host); }

void MadePrototype::fill(const Order& order, Loader& loader) {
  classes_ = loader.classes();
  batch_.spec = loader.spec();
  batch_.rows = std::min<std::uint64_t>(order.batch_size, loader.layout().samples);
  if (batch_.rows == 0) throw PartError("the data set has no samples");
  bytes_ = batch_.spec.bytes_per_row() * batch_.rows;
  data_ = device_.allocate(bytes_, Memory::host);

  std::array<TensorView, kMaxTensors> tensors{};
  std::byte* at = data_;
  for (std::uint8_t t = 0; t < batch_.spec.count; ++t) {
    tensors[t] = {.spec = batch_.spec.tensor[t], .rows = static_cast<std::int64_t>(batch_.rows), .data = at};
    batch_.data[t] = at;
    at += tensors[t].bytes();
  }
  std::vector<SampleRef> refs(batch_.rows);
  const std::uint64_t epoch_seed = mix_seed(order.seed, Epoch{0});
  for (SampleId id = 0; id < batch_.rows; ++id) refs[id] = {.id = id, .seed = mix_seed(epoch_seed, id)};

  ThreadMeter meter({.observer = 0});
  const Ticket ticket{.samples = refs, .rows = RowSpan({tensors.data(), batch_.spec.count}, 0, batch_.rows)};
  loader.expect(ticket);
  loader.worker(0, order.runtime)->fill(ticket, meter);
  if (meter.totals().decode_errors > 0) {
    const FaultySample& fault = meter.faults().front();
    throw PartError(fmt::format("{}: {}", fault.where, fault.what),
                    "its batch is to be repeated, so it must be whole");
  }
}

}  // namespace benchbench
