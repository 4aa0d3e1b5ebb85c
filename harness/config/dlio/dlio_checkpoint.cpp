#include "harness/config/dlio/dlio_checkpoint.h"

#include <cmath>
#include <string>

namespace benchbench::config {
namespace {

constexpr double kOptimizerStates = 3;  // Adam: a copy of the parameters and two moments

double size_of_type(const std::string& type) {
  if (type == "fp32" || type == "float32") return 4;
  return type == "int8" || type == "fp8" ? 1 : 2;
}

double count_or(DlioKeys& keys, const char* key, double otherwise) {
  const auto n = keys.count({key}, 1);
  return n ? static_cast<double>(*n) : otherwise;
}

// Of a decoder: attention with fewer heads for keys and values, a gated feed-forward net, two
// norms; the embedding and its inverse.
double transformer_parameters(DlioKeys& keys, double layers, double hidden) {
  const double heads = count_or(keys, "model.transformer.num_attention_heads", 1);
  const double kv_heads = count_or(keys, "model.transformer.num_kv_heads", heads);
  const double ffn = count_or(keys, "model.transformer.ffn_hidden_size", 4 * hidden);
  const double vocabulary = count_or(keys, "model.transformer.vocab_size", 32000);
  const double layer = hidden * hidden * (2 + 2 * kv_heads / heads) + 3 * hidden * ffn + 2 * hidden;
  return layers * layer + 2 * vocabulary * hidden + hidden;
}

// The numbers of ranks that the model and the optimizer's states are split among.
struct Ranks {
  double of_model, of_optimizer;
};
Ranks count_ranks(DlioKeys& keys) {
  const double tensor = count_or(keys, "model.parallelism.tensor", 1),
               pipeline = count_or(keys, "model.parallelism.pipeline", 1),
               data = count_or(keys, "model.parallelism.data", 1);
  const auto zero = keys.count({"model.parallelism.zero_stage"}, 0).value_or(0);
  return {tensor * pipeline * (zero >= 3 ? data : 1), tensor * pipeline * (zero >= 1 ? data : 1)};
}

}  // namespace

std::optional<std::uint64_t> checkpoint_bytes_of_rank(DlioKeys& keys) {
  const Ranks ranks = count_ranks(keys);
  const double model = size_of_type(
      keys.text({"model.model_datatype", "checkpoint.model_datatype"}).value_or("fp16"));
  const double optimizer = size_of_type(
      keys.text({"model.optimizer_datatype", "checkpoint.optimizer_datatype"}).value_or("fp32"));
  const auto layers = keys.count({"model.num_layers"}, 1),
             hidden = keys.count({"model.transformer.hidden_size"}, 1);
  const auto given =
      keys.count({"model.model_size_bytes", "model.model_size", "checkpoint.model_size"}, 1);
  if (!layers || !hidden) return given;
  const double parameters =
      transformer_parameters(keys, static_cast<double>(*layers), static_cast<double>(*hidden));
  return static_cast<std::uint64_t>(
      std::llround(parameters * model / ranks.of_model +
                   parameters * kOptimizerStates * optimizer / ranks.of_optimizer));
}

}  // namespace benchbench::config
