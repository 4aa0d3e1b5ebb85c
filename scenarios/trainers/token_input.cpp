#include "scenarios/trainers/token_input.h"

#include <ATen/ops/arange.h>

#include <string>

#include "harness/core/error.h"

namespace benchbench {
namespace {

constexpr std::int64_t kIgnored = -100;  // cross_entropy's ignore_index

struct PaddedTokens {
  std::size_t ids = 0, length = 0;  // indices of tensors
};

PaddedTokens find_sequences(const BatchSpec& batch) {
  const char* const wanted = "batches with \"input_ids\" and \"length\" tensors";
  const PaddedTokens found{.ids = find_tensor(batch, "input_ids", wanted),
                           .length = find_tensor(batch, "length", wanted)};
  const TensorSpec& ids = batch.tensor[found.ids];
  if (ids.row.rank != 1 || (ids.dtype != DType::int32 && ids.dtype != DType::int64))
    throw PartError("this trainer takes sequences of int32 or int64 tokens, not " +
                    std::string(name_of(ids.dtype)) + " of rank " + std::to_string(ids.row.rank));
  const TensorSpec& length = batch.tensor[found.length];
  if (length.dtype != DType::int32 || length.row.rank != 0)
    throw PartError("this trainer takes one int32 length per sequence");
  return found;
}

class TokenInput final : public BatchInput {
 public:
  TokenInput(const BatchSpec& batch, const InputLayout& layout)
      : at_(find_sequences(batch)), device_(layout.device) {}

  NetworkInput make(const BatchLease& batch) const override {
    const at::Tensor ids = tokens(batch.tensors()[at_.ids]);
    const TensorView& length = batch.tensors()[at_.length];
    const at::Tensor lengths = view_memory(length.data, {length.rows, 1}, at::kInt, device_);
    const at::Tensor padding = at::arange(1, ids.size(1), ids.options()).ge(lengths);
    at::Tensor target = ids.slice(1, 1).masked_fill(padding, kIgnored).flatten();
    return {ids.slice(1, 0, -1), std::move(target)};
  }

 private:
  // Copied on the host, 8 bytes a token: the backward pass needs them, and the loader the slot.
  at::Tensor tokens(const TensorView& ids) const {
    const std::int64_t width = ids.spec.row.extent[0];
    if (width < 2)
      throw PartError("a batch of sequences of one token has none to predict",
                      "set loader.transform.pad_to_multiple_of to 2 or more");
    const bool wide = ids.spec.dtype == DType::int64;
    return view_memory(ids.data, {ids.rows, width}, wide ? at::kLong : at::kInt, device_)
        .to(at::kLong, false, !device_.is_cuda());
  }

  const PaddedTokens at_;
  const c10::Device device_;
};

}  // namespace

const TensorSpec& find_tokens(const BatchSpec& batch) {
  return batch.tensor[find_sequences(batch).ids];
}

std::unique_ptr<BatchInput> make_token_input(const BatchSpec& batch, const InputLayout& layout) {
  return std::make_unique<TokenInput>(batch, layout);
}

}  // namespace benchbench
