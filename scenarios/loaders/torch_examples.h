// What torch::data's workers make of a sample: one tensor each, to be stacked. Torch module only.
#pragma once
#include <ATen/core/Tensor.h>

#include <memory>
#include <optional>

#include "harness/part/loader.h"

namespace benchbench {

// A sample as a Dataset's get() returns it.
struct TorchExample {
  at::Tensor data;  // contiguous, one row of the batch's first tensor
  std::int64_t label = 0;
};

// One worker's.
class ExampleMaker {
 public:
  virtual ~ExampleMaker() = default;
  // A sample that cannot be used is told to the meter as a fault and is all zeros.
  virtual TorchExample make(const SampleRef& sample, StepNumber step, StageMeter& meter) = 0;
};

// What all workers share; any thread.
class ExampleSet {
 public:
  virtual ~ExampleSet() = default;
  virtual Layout layout() const = 0;
  virtual BatchSpec spec() const = 0;  // a tensor of examples, a tensor of labels
  virtual std::uint32_t classes() const = 0;
  virtual std::optional<std::int64_t> find_label(SampleId) const = 0;
  // Where it is defined nothing is made or stacked: this is the data of every batch of so many
  // rows.
  virtual at::Tensor stand_in(std::size_t) const { return {}; }
  virtual std::unique_ptr<ExampleMaker> maker(Runtime& runtime) = 0;
};

// Stored JPEGs on libtorch's customary way, or on native's own up to the row (loader.path).
std::unique_ptr<ExampleSet> stored_examples(const LoaderContext& context);
// Made up: a tensor that is cloned.
std::unique_ptr<ExampleSet> mock_examples(const LoaderContext& context);

}  // namespace benchbench
