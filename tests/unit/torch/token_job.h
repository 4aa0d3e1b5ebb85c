// A trainer of sequences of tokens, set up on one batch, as the harness would.
#pragma once
#include <algorithm>

#include "tests/unit/torch/training_job.h"

namespace benchbench::test {

// Rows of `width` tokens: those of each row's length, and 0 as padding behind them.
struct TokenBatch {
  std::int64_t width;
  std::vector<std::int64_t> ids;
  std::vector<std::int32_t> lengths;

  std::int64_t& id(std::size_t row, std::int64_t column) {
    return ids[row * static_cast<std::size_t>(width) + static_cast<std::size_t>(column)];
  }
};

// Four rows of 12, 11, 10 and 9 tokens below 10.
inline TokenBatch make_token_batch(std::int64_t width = 12) {
  TokenBatch batch{.width = width,
                   .ids = std::vector<std::int64_t>(static_cast<std::size_t>(4 * width)),
                   .lengths = {12, 11, 10, 9}};
  for (std::size_t row = 0; row < 4; ++row)
    for (std::int64_t i = 0; i < batch.lengths[row]; ++i)
      batch.id(row, i) = (i * i + 3 * static_cast<std::int64_t>(row)) % 10;
  return batch;
}

inline const std::map<std::string, std::string> kSmallTransformer = {
    {"vocab_size", "11"}, {"d_model", "16"}, {"nhead", "2"}, {"dim_feedforward", "32"}};

// Owns one slot and lends it again and again.
class TokenJob final : public SlotOwner {
 public:
  explicit TokenJob(const std::map<std::string, std::string>& settings,
                    TokenBatch batch = make_token_batch(), DType dtype = DType::int64)
      : settings_(*built_in_catalog().find(PartKind::trainer, "transformer")->description,
                  joined(settings)) {
    std::strcpy(spec_.tensor[0].name, "input_ids");
    spec_.tensor[0].dtype = dtype;
    spec_.tensor[0].row = {{kWidest}, 1};
    spec_.tensor[0].ragged = true;
    std::strcpy(spec_.tensor[1].name, "length");
    spec_.tensor[1].dtype = DType::int32;
    spec_.count = 2;
    set_batch(std::move(batch));
    trainer = built_in_catalog().maker(PartKind::trainer, "transformer").trainer(context(device_));
  }
  ~TokenJob() { trainer.reset(); }

  // The context that the job's own trainer was made in, on another device.
  TrainerContext context(Device& device) {
    return {.settings = settings_,
            .batch = spec_,
            .batch_size = static_cast<std::uint32_t>(lengths_.size()),
            .intra_op_threads = 1,
            .seed = 1,
            .runtime = *runtime_,
            .device = device};
  }
  void set_batch(TokenBatch batch) {
    batch_ = std::move(batch);
    write();
    const auto rows = static_cast<std::int64_t>(lengths_.size());
    slot_.tensors[0] = {spec_.tensor[0], rows, bytes_.data()};
    slot_.tensors[0].spec.row.extent[0] = batch_.width;
    slot_.tensors[1] = {spec_.tensor[1], rows, reinterpret_cast<std::byte*>(lengths_.data())};
    slot_.tensor_count = 2;
    slot_.samples = lengths_.size();
  }
  // The slot is overwritten the moment it comes back, as a loader would.
  void give_back(BatchSlot&) noexcept override {
    ++given_back;
    std::ranges::fill(bytes_, std::byte{1});
    std::ranges::fill(lengths_, 2);
  }
  BatchLease lease() {
    write();
    return BatchLease(slot_, *this);
  }
  double loss_after(int steps) {
    for (int i = 0; i < steps; ++i) {
      StepContext context{step_++, meter};
      trainer->step(lease(), context);
    }
    trainer->finish();
    return trainer->loss();
  }

  static constexpr std::int64_t kWidest = 64;
  CountingMeter meter;
  int given_back = 0;
  std::unique_ptr<Trainer> trainer;

 private:
  static std::map<std::string, std::string> joined(std::map<std::string, std::string> settings) {
    settings.insert(kSmallTransformer.begin(), kSmallTransformer.end());
    return settings;
  }
  // Into the memory that the slot has had since the first batch of this size.
  void write() {
    const std::size_t element = size_of(spec_.tensor[0].dtype);
    bytes_.resize(batch_.ids.size() * element);
    for (std::size_t i = 0; i < batch_.ids.size(); ++i)
      std::memcpy(&bytes_[i * element], &batch_.ids[i], element);
    lengths_ = batch_.lengths;
  }

  TrainerSettings settings_;
  NamedDevice device_{"cpu"};
  std::unique_ptr<Runtime> runtime_ = make_real_runtime();
  BatchSpec spec_;
  TokenBatch batch_;
  std::vector<std::byte> bytes_;
  std::vector<std::int32_t> lengths_;
  BatchSlot slot_;
  StepNumber step_ = 0;
};

}  // namespace benchbench::test
