#include "tests/unit/torch/module/state.h"

#include <ATen/ops/empty.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <fstream>

#include "harness/core/error.h"

namespace benchbench::test {
namespace {

void read(const NamedTensor& to, const std::filesystem::path& file) {
  at::Tensor values = at::empty(to.tensor.sizes(), to.tensor.scalar_type());
  const auto bytes = static_cast<std::streamsize>(values.nbytes());
  std::ifstream in(file, std::ios::binary);
  if (!in.read(static_cast<char*>(values.data_ptr()), bytes) ||
      in.peek() != std::char_traits<char>::eof())
    throw PartError("no " + std::to_string(bytes) + " bytes in " + file.string());
  to.tensor.detach().copy_(values);
}

}  // namespace

void load_state(const Network& network, const std::filesystem::path& folder) {
  const c10::NoGradGuard no_grad;
  const auto fill = [&](const NamedTensor& to) { read(to, folder / to.name); };
  std::ranges::for_each(network.parameters(), fill);
  std::ranges::for_each(network.buffers(), fill);
  const auto files = std::distance(std::filesystem::directory_iterator(folder), {});
  const std::size_t tensors = network.parameters().size() + network.buffers().size();
  if (static_cast<std::size_t>(files) != tensors)
    throw PartError(std::to_string(files) + " tensors in " + folder.string() +
                    ", this network has " + std::to_string(tensors));
}

}  // namespace benchbench::test
