// What a mock is tested with: settings made from its description, a meter that remembers, and a
// batch in memory.
#pragma once
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/random.h"
#include "harness/part/catalog.h"

namespace benchbench::test {

// The defaults of a description with some values given, as text. Throws where the part asks for
// what it has not described.
class DescribedSettings : public Settings {
 public:
  explicit DescribedSettings(const PartDescription& description,
                             std::map<std::string, std::string> given = {}) {
    for (const Parameter& p : description.parameters)
      values_[std::string(p.key)] = {p.type, std::string(p.standard)};
    for (auto& [key, value] : given) values_.at(key).second = value;
  }
  bool has(std::string_view key) const noexcept override {
    const auto at = values_.find(std::string(key));
    return at != values_.end() && at->second.second != "none";
  }
  bool boolean(std::string_view key) const override {
    return at(key, ParameterType::boolean) == "true";
  }
  std::int64_t integer(std::string_view key) const override {
    return std::stoll(at(key, ParameterType::integer));
  }
  double real(std::string_view key) const override {
    return std::stod(at(key, ParameterType::real));
  }
  std::string_view text(std::string_view key) const override {
    const auto found = values_.find(std::string(key));
    const bool text = found != values_.end() && found->second.first == ParameterType::text;
    return at(key, text ? ParameterType::text : ParameterType::choice);
  }
  Nanoseconds duration(std::string_view key) const override {
    return parse_duration(at(key, ParameterType::duration)).value();
  }
  Bytes bytes(std::string_view key) const override {
    return parse_bytes(at(key, ParameterType::bytes)).value();
  }
  double rate(std::string_view key) const override {
    const auto found = values_.find(std::string(key));
    if (found != values_.end() && found->second.first == ParameterType::bandwidth)
      return parse_bandwidth(found->second.second).value();
    return parse_rate(at(key, ParameterType::rate)).value();
  }

 private:
  const std::string& at(std::string_view key, ParameterType type) const {
    const auto& [its_type, value] = values_.at(std::string(key));
    if (its_type != type)
      throw std::logic_error(std::string(key) + " is asked for with another type");
    return value;
  }
  std::map<std::string, std::pair<ParameterType, std::string>> values_;
};

class RememberingMeter : public StageMeter {
 public:
  void record(StepNumber, Stage stage, Nanoseconds time) override { stages[stage] += time; }
  void payload(SampleId id, std::span<const std::byte> stored) override {
    payloads.emplace_back(id, std::vector<std::byte>(stored.begin(), stored.end()));
  }
  void bytes_read(std::uint64_t bytes) override { read_bytes += bytes; }
  void fault(SampleId id, SampleFault kind, std::string_view, std::string_view) override {
    faults.emplace_back(id, kind);
  }
  bool stages_wanted() const noexcept override { return true; }
  std::map<Stage, Nanoseconds> stages;
  std::uint64_t read_bytes = 0;
  std::vector<std::pair<SampleId, SampleFault>> faults;
  std::vector<std::pair<SampleId, std::vector<std::byte>>> payloads;
};

// A slot of `rows` rows in memory that belongs to nobody else.
class Slot : public SlotOwner {
 public:
  Slot(const BatchSpec& spec, std::int64_t rows) {
    slot.tensor_count = spec.count;
    for (std::size_t t = 0; t < spec.count; ++t) {
      memory.emplace_back(static_cast<std::size_t>(rows) * spec.tensor[t].bytes_per_row());
      slot.tensors[t] = {spec.tensor[t], rows, memory.back().data()};
    }
    slot.samples = static_cast<std::uint64_t>(rows);
  }
  RowSpan rows(std::size_t first, std::size_t count) const {
    return {std::span(slot.tensors.data(), slot.tensor_count), first, count};
  }
  void give_back(BatchSlot&) noexcept override { ++given_back; }
  BatchLease lease() { return {slot, *this}; }

  std::vector<std::vector<std::byte>> memory;
  BatchSlot slot;
  int given_back = 0;
};

inline std::vector<SampleRef> samples_from(SampleId first, std::size_t count,
                                           std::uint64_t seed = 1) {
  std::vector<SampleRef> samples;
  for (SampleId id = first; id < first + count; ++id) samples.push_back({id, mix_seed(seed, id)});
  return samples;
}

}  // namespace benchbench::test
