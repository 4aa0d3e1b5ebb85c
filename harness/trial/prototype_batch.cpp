#include "harness/trial/prototype_batch.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/core/random.h"
#include "harness/trial/parts_of_trial.h"

namespace benchbench {
namespace {

constexpr char kUse[] = "prototype.loader.use";
constexpr std::uint64_t kFewBad = 8;  // so many are let pass, however small the batch

// Hears which samples are bad, and nothing else.
class BadSamples final : public StageMeter {
 public:
  void record(StepNumber, Stage, Nanoseconds) override {}
  void payload(SampleId, std::span<const std::byte>) override {}
  void bytes_read(std::uint64_t) override {}
  bool stages_wanted() const noexcept override { return false; }
  void fault(SampleId id, SampleFault kind, std::string_view where, std::string_view what) override {
    if (kind == SampleFault::warning) return;
    if (ids_.empty()) first_ = fmt::format("{}: {}", where, what);
    ids_.insert(id);
  }
  bool holds(SampleId id) const { return ids_.contains(id); }
  std::uint64_t count() const noexcept { return ids_.size(); }
  std::vector<SampleId> ids() const { return {ids_.begin(), ids_.end()}; }
  const std::string& first() const noexcept { return first_; }

 private:
  std::set<SampleId> ids_;
  std::string first_;
};

[[noreturn]] void give_up(const BadSamples& bad, std::uint64_t tried) {
  throw PartError(
      fmt::format("{} of the first {} samples are bad, the first: {}", bad.count(), tried, bad.first()),
      "its batch is to be repeated, so it must be whole");
}

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
                                   .catalog = &order.catalog,
                                   .store = nullptr,
                                   .times = order.times});
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

// The batch's own, of its first samples: the row of one that takes a bad one's place is cut to it.
void MadePrototype::set_width(const Order& order, const Loader& loader) {
  std::vector<SampleRef> refs(batch_.rows);
  for (SampleId id = 0; id < batch_.rows; ++id)
    refs[id] = {.id = id, .seed = mix_seed(order.seed, Epoch{0}, id)};
  const std::uint32_t width = loader.width_of(refs);
  if (width == 0) return;
  for (TensorSpec& tensor : std::span(batch_.spec.tensor).first(batch_.spec.count))
    if (tensor.ragged) tensor.row.extent[0] = width;
}

void MadePrototype::lay_out(const Order& order, const Loader& loader) {
  classes_ = loader.classes();
  batch_.spec = loader.spec();
  batch_.rows = std::min<std::uint64_t>(order.batch_size, loader.layout().samples);
  if (batch_.rows == 0) throw PartError("the data set has no samples");
  set_width(order, loader);
  bytes_ = batch_.spec.bytes_per_row() * batch_.rows;
  data_ = device_.allocate(bytes_, Memory::host);
  std::byte* at = data_;
  for (std::uint8_t t = 0; t < batch_.spec.count; ++t) {
    tensors_[t] = {.spec = batch_.spec.tensor[t], .rows = static_cast<std::int64_t>(batch_.rows), .data = at};
    batch_.data[t] = at;
    at += tensors_[t].bytes();
  }
}

void MadePrototype::fill(const Order& order, Loader& loader) {
  lay_out(order, loader);
  const std::uint64_t samples = loader.layout().samples;
  const std::uint64_t epoch_seed = mix_seed(order.seed, Epoch{0});
  const auto ref = [&](SampleId id) { return SampleRef{.id = id, .seed = mix_seed(epoch_seed, id)}; };
  const auto worker = loader.worker(0, order.runtime);
  BadSamples bad;
  const auto fill_rows = [&](std::span<const SampleRef> refs, std::size_t first) {
    const RowSpan rows({tensors_.data(), batch_.spec.count}, first, refs.size());
    const Ticket ticket{.epoch = 0, .batch = 0, .samples = refs, .rows = rows};
    loader.expect(ticket);
    worker->fill(ticket, bad);
  };

  std::vector<SampleRef> refs(batch_.rows);
  for (SampleId id = 0; id < batch_.rows; ++id) refs[id] = ref(id);
  fill_rows(refs, 0);
  std::uint64_t next = batch_.rows;       // ids, round and round
  for (const SampleId row : bad.ids()) {  // those of the first ticket: id = row
    while (true) {
      const std::uint64_t tried = std::min(next, samples);
      if (bad.count() > std::max(kFewBad, batch_.rows) || bad.count() == samples) give_up(bad, tried);
      const SampleRef other = ref(next++ % samples);
      if (bad.holds(other.id)) continue;
      fill_rows({&other, 1}, row);
      if (!bad.holds(other.id)) break;
    }
  }
}

}  // namespace benchbench
