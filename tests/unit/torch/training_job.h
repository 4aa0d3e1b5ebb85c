// A trainer of the torch module, set up on one batch, as the harness would.
#pragma once
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/random.h"
#include "harness/core/runtime.h"
#include "harness/part/catalog.h"
#include "harness/part/null_meter.h"

namespace benchbench::test {

// The defaults of a part's description with some changed: what the harness hands to a part.
class TrainerSettings final : public Settings {
 public:
  TrainerSettings(const PartDescription& part, const std::map<std::string, std::string>& changed) {
    for (const Parameter& p : part.parameters)
      values_[std::string(p.key)] = std::string(p.standard);
    values_["device"] = "cpu";
    for (const auto& [key, value] : changed) values_.at(key) = value;
  }
  bool has(std::string_view key) const noexcept override {
    const auto at = values_.find(std::string(key));
    return at != values_.end() && at->second != "none";
  }
  bool boolean(std::string_view key) const override { return get(key) == "true"; }
  std::int64_t integer(std::string_view key) const override { return std::stoll(get(key)); }
  double real(std::string_view key) const override { return std::stod(get(key)); }
  std::string_view text(std::string_view key) const override { return get(key); }
  Nanoseconds duration(std::string_view key) const override {
    return parse_duration(get(key)).value();
  }
  Bytes bytes(std::string_view key) const override { return parse_bytes(get(key)).value(); }
  double rate(std::string_view key) const override { return parse_rate(get(key)).value(); }

 private:
  const std::string& get(std::string_view key) const {
    const auto at = values_.find(std::string(key));
    if (at == values_.end()) throw PartError("no parameter " + std::string(key));
    return at->second;
  }
  std::map<std::string, std::string> values_;
};

class NamedDevice final : public Device {
 public:
  explicit NamedDevice(std::string name) : name_(std::move(name)) {}
  std::string_view name() const noexcept override { return name_; }
  std::string_view model() const noexcept override { return "of a test"; }
  std::byte* allocate(std::size_t bytes, Memory) override { return new std::byte[bytes]; }
  void deallocate(std::byte* data, std::size_t, Memory) noexcept override { delete[] data; }

 private:
  std::string name_;
};

class CountingMeter final : public NullMeter {
 public:
  void record(StepNumber, Stage stage, Nanoseconds time) override {
    ++times[stage];
    total[stage] += time;
  }
  bool stages_wanted() const noexcept override { return true; }
  std::map<Stage, int> times;
  std::map<Stage, Nanoseconds> total;
};

struct JobRequest {
  std::string trainer;
  std::map<std::string, std::string> settings;
  DType dtype = DType::uint8;
  std::int64_t size = 32;
  std::int64_t channels = 3;
  std::uint32_t batch_size = 8;
  std::uint32_t classes = 10;
  std::uint64_t seed = 1;
  std::string device = "cpu";
};

// Owns one slot of random images and labels and lends it again and again.
class TrainingJob final : public SlotOwner {
 public:
  explicit TrainingJob(const JobRequest& request)
      : settings_(*built_in_catalog().find(PartKind::trainer, request.trainer)->description,
                  request.settings),
        device_(request.device),
        classes_(request.classes),
        seed_(request.seed) {
    fill(request);
    trainer =
        built_in_catalog().maker(PartKind::trainer, request.trainer).trainer(context(device_));
  }
  ~TrainingJob() { trainer.reset(); }

  // With `refill`, the slot is overwritten the moment it comes back, as a loader would.
  void give_back(BatchSlot&) noexcept override {
    ++given_back;
    if (refill) std::memset(image_.data(), 0x3f, image_.size());  // 0x3f3f3f3f: a float of 0.75
  }
  void step() {
    if (refill) image_ = original_;
    StepContext context{step_++, meter};
    trainer->step(BatchLease(slot_, *this), context);
  }
  double loss_after(int steps) {
    for (int i = 0; i < steps; ++i) step();
    trainer->finish();
    return trainer->loss();
  }
  std::vector<std::int64_t>& labels() { return labels_; }
  const std::vector<std::byte>& image_bytes() const { return image_; }
  // A batch of fewer samples, as at the end of an epoch.
  void set_samples(std::uint64_t samples) {
    slot_.samples = samples;
    for (TensorView& tensor : slot_.tensors) tensor.rows = static_cast<std::int64_t>(samples);
  }
  // A batch whose rows are less wide than the widest, as those of a ragged tensor.
  void set_width(std::int64_t width) { slot_.tensors[0].spec.row.extent[0] = width; }
  // The next batches are in other memory, with the same bytes; those after another call are back.
  void change_buffer() {
    if (other_.empty()) other_ = image_;
    image_.swap(other_);
    slot_.tensors[0].data = image_.data();
  }
  BatchLease lease() { return BatchLease(slot_, *this); }
  // The context that the job's own trainer was made in, on another device.
  TrainerContext context(Device& device) {
    return {.settings = settings_,
            .batch = spec_,
            .batch_size = static_cast<std::uint32_t>(labels_.size()),
            .classes = classes_,
            .intra_op_threads = 1,
            .seed = seed_,
            .runtime = *runtime_,
            .device = device};
  }

  CountingMeter meter;
  int given_back = 0;
  bool refill = false;
  std::unique_ptr<Trainer> trainer;

 private:
  void fill(const JobRequest& r) {
    spec_.count = 2;
    std::strcpy(spec_.tensor[0].name, "image");
    spec_.tensor[0].dtype = r.dtype;
    spec_.tensor[0].row = {{r.size, r.size, r.channels}, 3};
    std::strcpy(spec_.tensor[1].name, "label");
    spec_.tensor[1].dtype = DType::int64;
    image_.resize(r.batch_size * spec_.tensor[0].bytes_per_row());
    labels_.resize(r.batch_size);
    std::uint64_t state = 88172645463325252u;  // xorshift: any fixed noise will do
    const auto next = [&state] {
      state ^= state << 13;
      state ^= state >> 7;
      return state ^= state << 17;
    };
    if (r.dtype == DType::float32) {
      for (std::size_t i = 0; i + 4 <= image_.size(); i += 4) {
        const float value = static_cast<float>(next() % 4096) / 1024.0f - 2.0f;
        std::memcpy(&image_[i], &value, sizeof value);
      }
    } else {
      for (std::byte& b : image_) b = static_cast<std::byte>(next() >> 32);
    }
    for (std::int64_t& label : labels_)
      label = static_cast<std::int64_t>((next() >> 32) % r.classes);
    original_ = image_;
    slot_.tensors[0] = {spec_.tensor[0], r.batch_size, image_.data()};
    slot_.tensors[1] = {spec_.tensor[1], r.batch_size,
                        reinterpret_cast<std::byte*>(labels_.data())};
    slot_.tensor_count = 2;
    slot_.samples = r.batch_size;
  }

  TrainerSettings settings_;
  NamedDevice device_;
  const std::uint32_t classes_;
  const std::uint64_t seed_;
  std::unique_ptr<Runtime> runtime_ = make_real_runtime();
  BatchSpec spec_;
  std::vector<std::byte> image_, original_, other_;
  std::vector<std::int64_t> labels_;
  BatchSlot slot_;
  StepNumber step_ = 0;
};

// "" where the torch parts can be made, else why not.
inline std::string why_no_torch() {
  try {
    built_in_catalog().maker(PartKind::trainer, "mlp");
    return "";
  } catch (const DeviceError& e) {
    return std::string(e.message());
  }
}

}  // namespace benchbench::test

#define BENCHBENCH_NEEDS_TORCH()                              \
  do {                                                        \
    const std::string why = benchbench::test::why_no_torch(); \
    if (!why.empty()) BENCHBENCH_SKIP(why);                   \
  } while (false)
