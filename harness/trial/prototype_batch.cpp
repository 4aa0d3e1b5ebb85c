#include "harness/trial/prototype_batch.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/core/random.h"
#include "harness/part/null_meter.h"
#include "harness/record/keys.h"
#include "harness/record/setting_keys.h"
#include "harness/trial/made_loader.h"

namespace benchbench {
namespace {

constexpr char kRepeatedAccess[] = "loader.of.access";
constexpr char kDistinct[] = "loader.distinct";
constexpr std::uint64_t kMaxWidths = 256;  // batches whose widths are asked for
constexpr std::uint64_t kFewBad = 8;       // so many are let pass, however small the batch

}  // namespace

// Hears which samples are bad, and nothing else.
class MadePrototype::BadSamples final : public NullMeter {
 public:
  void fault(SampleId id, SampleFault kind, std::string_view where,
             std::string_view what) override {
    if (kind == SampleFault::warning) return;
    if (ids_.empty()) first_ = fmt::format("{}: {}", where, what);
    ids_.insert(id);
  }
  bool holds(SampleId id) const { return ids_.contains(id); }
  std::uint64_t count() const noexcept { return ids_.size(); }
  const std::string& first() const noexcept { return first_; }

 private:
  std::set<SampleId> ids_;
  std::string first_;
};

void MadePrototype::give_up(const BadSamples& bad, std::uint64_t tried) {
  throw PartError(fmt::format("{} of the first {} samples cannot be used, the first: {}",
                              bad.count(), tried, bad.first()),
                  "mode trainer repeats this batch, so all of its samples must be good");
}

namespace {

// In storage order, as with every other loader, where the user's sampler allows it.
ExternalTerms external_terms(const MadePrototype::Order& order) {
  ExternalTerms terms{.keys = {}, .observer = 0, .images = false, .root = {}, .look = order.look};
  terms.images = order.settings.has(keys::trainer.use) &&
                 takes_images(order.catalog, order.settings.get(keys::trainer.use));
  terms.keys.num_workers = 0;
  terms.keys.batch_size = order.batch_size;
  terms.keys.shuffle = false;
  return terms;
}

LoaderOrder loader_order(const MadePrototype::Order& order, std::string_view use,
                         const Settings& settings, const ExternalTerms* external = nullptr) {
  return {.catalog = order.catalog,
          .use = use,
          .settings = settings,
          .dataset = order.dataset,
          .batch_size = order.batch_size,
          .seed = order.seed,
          .times = order.times,
          .simulated = order.runtime.simulated(),
          .external = external};
}

}  // namespace

bool has_prototype(const SettingsMap& settings) { return settings.given(kRepeatedUse); }

MadePrototype::MadePrototype(const Order& order) {
  const PrefixedSettings settings(order.settings, kRepeated);
  const std::string use = order.settings.text(kRepeatedUse);
  const ExternalTerms external = external_terms(order);
  const auto loader = make_loader(loader_order(order, use, settings, &external));
  try {
    fill(order, *loader);
  } catch (Error& error) {
    error.add_context("making the batch that mode trainer repeats");
    throw;
  }
}

SampleRef MadePrototype::sample_at(const Order& order, std::uint64_t place) const {
  place %= samples_;  // round and round
  const SampleId id = ids_.empty() ? place : ids_[place];
  return {.id = id, .seed = mix_seed(order.seed, Epoch{0}, id)};
}

std::vector<SampleRef> MadePrototype::samples_from(const Order& order, std::uint64_t place,
                                                   std::uint64_t count) const {
  std::vector<SampleRef> refs;
  for (const std::uint64_t end = place + count; place < end; ++place)
    refs.push_back(sample_at(order, place));
  return refs;
}

void MadePrototype::choose_samples(const Order& order, const Loader& loader) {
  const auto tensors = batch_.spec.tensors();
  const bool ragged = std::ranges::any_of(tensors, &TensorSpec::ragged);
  samples_ = loader.layout().samples;
  if (samples_ > 0 && ragged && order.settings.has(kRepeatedAccess)) {
    const PrefixedSettings settings(order.settings, kRepeated);
    const std::string access = order.settings.text(kRepeatedAccess);
    const auto sampler = make_sampler(loader_order(order, "", settings),
                                      {.access = access, .seed = order.order_seed}, loader);
    ids_.resize(samples_ = sampler->samples_per_epoch());
    sampler->begin(0, ids_);
  }
  batch_.rows = std::min<std::uint64_t>(order.batch_size, samples_);
  own_rows_ = loader.own_rows();
  if (own_rows_ > 0) batch_.rows = samples_ = own_rows_;  // its own batch, as it is
  if (batch_.rows == 0) throw PartError("the dataset has no samples");
  if (ragged) choose_width(order, loader);
}

// A trainer's time goes with the width. The row of a sample that takes a bad one's place is cut to
// the batch's.
void MadePrototype::choose_width(const Order& order, const Loader& loader) {
  const std::uint64_t batches = samples_ / batch_.rows, looked_at = std::min(batches, kMaxWidths);
  // They are evenly spread.
  const auto first_of = [&](std::uint64_t i) { return i * batches / looked_at * batch_.rows; };
  std::vector<std::uint32_t> widths;
  while (widths.size() < looked_at)
    widths.push_back(loader.width_of(samples_from(order, first_of(widths.size()), batch_.rows)));
  const double mean =
      std::accumulate(widths.begin(), widths.end(), 0.0) / static_cast<double>(looked_at);
  const auto nearest =
      std::ranges::min_element(widths, {}, [&](std::uint32_t w) { return std::abs(w - mean); });
  if (*nearest == 0) return;
  for (TensorSpec& tensor : std::span(batch_.spec.tensor).first(batch_.spec.count))
    if (tensor.ragged) tensor.row.extent[0] = *nearest;
  begin_at(first_of(static_cast<std::uint64_t>(nearest - widths.begin())));
  note_ = fmt::format(
      "batches differ in width: T is measured with one batch of width {}, the nearest to the mean, "
      "{:.0f}, of {} of an epoch's {} batches",
      *nearest, mean, looked_at, batches);
}

void MadePrototype::begin_at(std::uint64_t place) {
  if (ids_.empty()) {
    ids_.resize(samples_);
    std::iota(ids_.begin(), ids_.end(), SampleId{0});
  }
  std::rotate(ids_.begin(), ids_.begin() + static_cast<std::ptrdiff_t>(place), ids_.end());
}

void MadePrototype::lay_out(const Order& order, const Loader& loader) {
  classes_ = loader.classes();
  batch_.spec = loader.spec();
  choose_samples(order, loader);
  if (order.settings.given(kDistinct))
    batch_.batches = static_cast<std::uint64_t>(order.settings.integer(kDistinct));
  const std::uint64_t rows = batch_.batches * batch_.rows;
  std::byte* at =
      memory_.emplace(order.device, batch_.spec.bytes_per_row() * rows, Memory::host).data();
  for (std::uint8_t t = 0; t < batch_.spec.count; ++t) {
    tensors_[t] = {
        .spec = batch_.spec.tensor[t], .rows = static_cast<std::int64_t>(rows), .data = at};
    batch_.data[t] = at;
    at += tensors_[t].bytes();
  }
}

void MadePrototype::fill(const Order& order, Loader& loader) {
  lay_out(order, loader);
  const std::uint64_t all = batch_.batches * batch_.rows;
  const auto worker = loader.worker(0, order.runtime);
  BadSamples bad;
  const FillRows fill_rows = [&](std::span<const SampleRef> refs, std::size_t first) {
    const RowSpan rows({tensors_.data(), batch_.spec.count}, first, refs.size());
    const BatchRequest request{
        .epoch = 0, .batch = first / batch_.rows, .samples = refs, .rows = rows};
    loader.expect(request);
    worker->fill(request, bad);
  };
  std::vector<SampleRef> refs = samples_from(order, 0, all);
  for (std::uint64_t row = 0; row < all; row += batch_.rows)
    fill_rows(std::span(refs).subspan(row, batch_.rows), row);
  replace_bad(order, bad, refs, fill_rows);
  ids_ = {};
}

void MadePrototype::replace_bad(const Order& order, const BadSamples& bad,
                                std::span<SampleRef> refs, const FillRows& fill_rows) const {
  std::uint64_t next = refs.size();
  for (std::uint64_t row = 0; row < refs.size(); ++row) {
    while (bad.holds(refs[row].id)) {
      if (bad.count() > std::max<std::uint64_t>(kFewBad, refs.size()) || bad.count() == samples_)
        give_up(bad, std::min(next, samples_));
      const SampleRef other = sample_at(order, next++);
      if (bad.holds(other.id)) continue;
      fill_rows({&other, 1}, row);
      refs[row] = other;
    }
  }
}

}  // namespace benchbench
