// Logits of a ResNet for the test against torchvision.
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "harness/core/error.h"
#include "scenarios/trainers/networks.h"
#include "tests/unit/torch/module/state.h"

namespace benchbench::test {
namespace {

BatchSpec describe_images(std::int64_t size) {
  BatchSpec batch;
  std::strcpy(batch.tensor[0].name, "image");
  batch.tensor[0].dtype = DType::float32;
  batch.tensor[0].row = {{size, size, 3}, 3};
  std::strcpy(batch.tensor[1].name, "label");
  batch.tensor[1].dtype = DType::int64;
  batch.count = 2;
  return batch;
}

// No network of images asks for a setting.
class NoSettings final : public Settings {
 public:
  bool has(std::string_view) const noexcept override { return false; }
  bool boolean(std::string_view) const override { throw PartError("no settings"); }
  std::int64_t integer(std::string_view) const override { throw PartError("no settings"); }
  double real(std::string_view) const override { throw PartError("no settings"); }
  std::string_view text(std::string_view) const override { throw PartError("no settings"); }
  Nanoseconds duration(std::string_view) const override { throw PartError("no settings"); }
  Bytes bytes(std::string_view) const override { throw PartError("no settings"); }
  double rate(std::string_view) const override { throw PartError("no settings"); }
};

}  // namespace
}  // namespace benchbench::test

// logits[n x 1000] in evaluation mode of `images` [n, 3, size, size] under the state dict in folder
// `weights`. Returns "" or the reason, valid until the next call.
extern "C" const char* benchbench_test_logits(int depth, const char* weights, const float* images,
                                              std::int64_t n, std::int64_t size, float* logits) {
  using namespace benchbench;
  static std::string reason;
  reason.clear();
  try {
    const c10::NoGradGuard no_grad;
    const BatchSpec batch = test::describe_images(size);
    const NetworkKind kind = depth == 50 ? parts::describe_resnet50() : parts::describe_resnet18();
    const auto network = kind.make({.settings = test::NoSettings(),
                                    .batch = batch,
                                    .classes = 1000,
                                    .initial = {at::detail::createCPUGenerator(0)}});
    test::load_state(*network, weights);
    const at::Tensor input = at::from_blob(const_cast<float*>(images), {n, 3, size, size});
    const at::Tensor out = network->forward(input, false).contiguous();
    std::copy_n(out.const_data_ptr<float>(), out.numel(), logits);
  } catch (const std::exception& e) {
    reason = e.what();
  }
  return reason.c_str();
}
