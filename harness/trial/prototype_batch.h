// The batch that mode trainer repeats for ever: one that the scenario's own loader made.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "harness/part/catalog.h"
#include "harness/part/device_memory.h"
#include "harness/record/value.h"

namespace benchbench {

// Trial settings below kRepeated say which loader makes it; without them there is none to make.
bool has_prototype(const SettingsMap& settings);

// Made by the loader that `loader.of.use` names, in the calling thread, of the first samples in
// storage order (all of them, where the data set is smaller than a batch): the same whatever the
// scenario's order, workers and format. Where batches are ragged, how wide they are is the order's
// doing: of the first epoch in the order `loader.of.access` names, it is the batch whose
// width is nearest to the mean. The row of a sample that the loader finds at fault is filled again
// from the next one, after the data set's last from the first whole one; more bad ones than rows
// (and than 8) end it. Faults are not counted: the pipeline's own trial counts them.
class MadePrototype {
 public:
  struct Order {
    const Catalog& catalog;
    const SettingsMap& settings;  // the trial's, with the prefix
    DatasetPlace dataset;
    std::uint32_t batch_size;
    std::uint64_t seed;  // the loader's
    Device& device;
    Runtime& runtime;
    std::span<const std::int64_t> times = {};  // for replay
    std::uint64_t order_seed = 0;     // the same in all rounds, so that they repeat one batch
    std::function<void()> look = {};  // as ExternalTerms has it
  };
  // Throws what the loader throws; PartError where too many samples are bad or where it cannot run
  // under a simulated runtime that is asked for.
  explicit MadePrototype(const Order& order);

  const PrototypeBatch& batch() const noexcept { return batch_; }
  std::uint32_t classes() const noexcept { return classes_; }  // as Loader::classes()
  // Rows of it where they are the loader's own doing: the batches that repeat it have as many. Else
  // 0.
  std::uint32_t own_rows() const noexcept { return own_rows_; }
  // What people should know of how it was chosen; empty where there is nothing to say.
  const std::string& note() const noexcept { return note_; }

 private:
  void lay_out(const Order& order, const Loader& loader);
  SampleRef sample_at(const Order& order, std::uint64_t place) const;
  void choose_samples(const Order& order, const Loader& loader);
  void choose_width(const Order& order, const Loader& loader);
  void begin_at(std::uint64_t place);
  // From that place on, round and round.
  std::vector<SampleRef> samples_from(const Order& order, std::uint64_t place,
                                      std::uint64_t count) const;
  class BadSamples;
  using FillRows = std::function<void(std::span<const SampleRef> refs, std::size_t first)>;
  void fill(const Order& order, Loader& loader);
  void replace_bad(const Order& order, const BadSamples& bad, std::span<SampleRef> refs,
                   const FillRows& fill_rows) const;
  [[noreturn]] static void give_up(const BadSamples& bad, std::uint64_t tried);

  std::optional<DeviceMemory> memory_;
  std::uint32_t classes_ = 0, own_rows_ = 0;
  std::string note_;
  // Those of the batch, then those that may take a bad one's place; storage order where it is
  // empty.
  std::vector<SampleId> ids_;
  std::uint64_t samples_ = 0;
  PrototypeBatch batch_;
  std::array<TensorView, kMaxTensors> tensors_{};
};

}  // namespace benchbench
