// Makes what a language model is fed with from batches of sequences. Torch module only.
#pragma once
#include "scenarios/trainers/batch_input.h"

namespace benchbench {

// The tensor "input_ids" of padded sequences, int32 or int64 [L]. PartError where `batch` is none.
const TensorSpec& find_tokens(const BatchSpec& batch);

// Tokens [N, L - 1], and as targets [N x (L - 1)] the token that follows each; cross-entropy
// ignores those that are padding. The slot is free once that is made, but on CUDA. PartError where
// `batch` has no sequences.
std::unique_ptr<BatchInput> make_token_input(const BatchSpec& batch, const InputLayout& layout);

}  // namespace benchbench
