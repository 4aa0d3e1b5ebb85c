#include <string>

#include "harness/core/error.h"
#include "harness/part/parameter_list.h"
#include "harness/part/settings.h"
#include "scenarios/trainers/network_parameters.h"

namespace benchbench::parts {
namespace {

constexpr std::array kOwnParameters = {
    Parameter{"vocab_size", ParameterType::integer, "50257",
              "Tokens are below this; GPT-2 has 50257. Each adds a row to the embedding and to the "
              "classifier.",
              1, 1 << 24},
    Parameter{"d_model", ParameterType::integer, "256",
              "Width of the embeddings and of each layer; a multiple of nhead.", 1, 65536},
    Parameter{"nhead", ParameterType::integer, "4", "Attention heads of a layer.", 1, 1024},
    Parameter{"num_layers", ParameterType::integer, "2", "Number of encoder layers.", 1, 1024},
    Parameter{"dim_feedforward", ParameterType::integer, "1024",
              "Width of a layer's feed-forward part.", 1, 262144},
};
constexpr auto kTransformerParameters = joined(kOwnParameters, kNetworkParameters);

void check_transformer(const Settings& settings) {
  check_network(settings);
  const std::int64_t width = settings.integer("d_model"), heads = settings.integer("nhead");
  if (width % heads != 0)
    throw ScenarioError("trainer.d_model: " + std::to_string(width) +
                            " is not a multiple of trainer.nhead: " + std::to_string(heads),
                        "set trainer.d_model: " + std::to_string((width / heads + 1) * heads));
}

}  // namespace

extern const PartDescription trainer_transformer_description{
    .kind = PartKind::trainer,
    .name = "transformer",
    .summary =
        "A training step of a language model in libtorch on sequences of tokens: torch.nn's "
        "encoder layers under a causal mask, which predict the next token; padding adds work, and "
        "nothing to the loss.",
    .data = DataKind::tokens,
    .parameters = kTransformerParameters,
    .stages = kTrainingStages,
    .on_device = OnDevice::cuda,
    .needs_kernels = false,
    .check = check_transformer,
};

}  // namespace benchbench::parts
