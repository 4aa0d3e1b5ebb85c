// A loader whose rows follow from the ids of their samples, for data that stay on a device.
#pragma once
#include "harness/part/loader.h"

namespace benchbench::test::device {

inline std::byte byte_of_row(SampleId id, std::size_t tensor, std::size_t at) {
  return static_cast<std::byte>(31 * id + 7 * tensor + 3 * at + 1);
}

class RowsOfIds final : public Loader {
 public:
  RowsOfIds(const BatchSpec& spec, std::uint64_t samples) : spec_(spec), samples_(samples) {}
  Layout layout() const override { return {samples_, {}, {}}; }
  BatchSpec spec() const override { return spec_; }
  std::unique_ptr<LoaderWorker> worker(WorkerNumber, Runtime&) override {
    return std::make_unique<Worker>();
  }

 private:
  struct Worker final : LoaderWorker {
    void fill(const BatchRequest& request, StageMeter&) override {
      for (std::size_t i = 0; i < request.samples.size(); ++i)
        for (std::size_t t = 0; t < request.rows.tensors().size(); ++t)
          for (std::size_t b = 0; b < request.rows.tensors()[t].spec.bytes_per_row(); ++b)
            request.rows.row(t, i)[b] = byte_of_row(request.samples[i].id, t, b);
    }
  };
  const BatchSpec spec_;
  const std::uint64_t samples_;
};

}  // namespace benchbench::test::device
