// A language model of torch.nn's parts: embeddings of tokens and positions, nn.TransformerEncoder
// with norm_first, gelu, no dropout and a causal mask, a linear layer to the vocabulary. Same
// names, same order in state_dict(), same initial distribution.
#include <ATen/ops/arange.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <optional>

#include "harness/core/error.h"
#include "scenarios/trainers/networks.h"
#include "scenarios/trainers/token_input.h"

namespace benchbench::parts {
namespace {

at::Tensor make_embedding(const LayerPlace& place, std::int64_t rows, std::int64_t width) {
  return place.parameter("weight",
                         at::empty({rows, width}).normal_(0.0, 1.0, place.initial.generator));
}

class LayerNorm {
 public:
  LayerNorm(const LayerPlace& place, std::int64_t width)
      : weight_(place.parameter("weight", at::ones({width}))),
        bias_(place.parameter("bias", at::zeros({width}))) {}

  at::Tensor operator()(const at::Tensor& x) const {
    return at::layer_norm(x, weight_.sizes(), weight_, bias_);
  }

 private:
  at::Tensor weight_, bias_;
};

// nn.MultiheadAttention of a sequence with itself.
class SelfAttention {
 public:
  SelfAttention(const LayerPlace& place, std::int64_t width, std::int64_t heads) : heads_(heads) {
    const double bound = std::sqrt(6.0 / static_cast<double>(4 * width));  // xavier_uniform
    in_weight_ = place.parameter(
        "in_proj_weight",
        at::empty({3 * width, width}).uniform_(-bound, bound, place.initial.generator));
    in_bias_ = place.parameter("in_proj_bias", at::zeros({3 * width}));
    out_.emplace(place.below("out_proj"), width, width);
    out_->bias.detach().zero_();
  }

  // torch.nn copies queries, keys and values into one piece each; attention takes views as well.
  at::Tensor operator()(const at::Tensor& x) const {
    const auto in = at::linear(x, in_weight_, in_bias_)
                        .unflatten(2, {3, heads_, x.size(2) / heads_})
                        .permute({2, 0, 3, 1, 4})
                        .unbind(0);  // three of [N, heads, L, width / heads]
    const at::Tensor attended =
        at::scaled_dot_product_attention(in[0], in[1], in[2], {}, 0.0, /*is_causal=*/true);
    return (*out_)(attended.transpose(1, 2).flatten(2));
  }

 private:
  std::int64_t heads_;
  at::Tensor in_weight_, in_bias_;
  std::optional<Linear> out_;
};

class EncoderLayer {
 public:
  EncoderLayer(const LayerPlace& place, const Settings& settings)
      : EncoderLayer(place, settings.integer("d_model"), settings.integer("nhead"),
                     settings.integer("dim_feedforward")) {}

  at::Tensor operator()(const at::Tensor& x) const {
    const at::Tensor attended = x.add(attention_(norm1_(x)));
    return attended.add(linear2_(at::gelu(linear1_(norm2_(attended)))));
  }

 private:
  EncoderLayer(const LayerPlace& place, std::int64_t width, std::int64_t heads, std::int64_t inner)
      : attention_(place.below("self_attn"), width, heads),
        linear1_(place.below("linear1"), width, inner),
        linear2_(place.below("linear2"), inner, width),
        norm1_(place.below("norm1"), width),
        norm2_(place.below("norm2"), width) {}

  SelfAttention attention_;
  Linear linear1_, linear2_;
  LayerNorm norm1_, norm2_;
};

class Transformer final : public Network {
 public:
  Transformer(const Initial& initial, const Settings& settings, std::int64_t longest) {
    const std::int64_t width = settings.integer("d_model"),
                       vocabulary = settings.integer("vocab_size"),
                       layers = settings.integer("num_layers");
    const auto place = [&](const std::string& name) { return LayerPlace{*this, initial, name}; };
    tokens_ = make_embedding(place("embedding"), vocabulary, width);
    positions_ = make_embedding(place("position"), longest, width);
    for (std::int64_t i = 0; i < layers; ++i)
      layers_.emplace_back(place("encoder.layers." + std::to_string(i)), settings);
    norm_.emplace(place("encoder.norm"), width);
    classifier_.emplace(place("classifier"), width, vocabulary);
  }

  at::Tensor forward(at::Tensor tokens, bool) override {
    // A device would have to be waited for.
    if (tokens.is_cpu()) refuse_unknown(tokens);
    const at::Tensor places = at::arange(tokens.size(1), tokens.options());
    at::Tensor x = at::embedding(tokens_, tokens).add(at::embedding(positions_, places));
    for (const EncoderLayer& layer : layers_) x = layer(x);
    return (*classifier_)((*norm_)(x)).flatten(0, 1);
  }

 private:
  void refuse_unknown(const at::Tensor& tokens) const {
    const auto largest = tokens.max().item<std::int64_t>();
    if (largest >= tokens_.size(0))
      throw PartError("token " + std::to_string(largest) + " is not below trainer.vocab_size, " +
                          std::to_string(tokens_.size(0)),
                      "set trainer.vocab_size: " + std::to_string(largest + 1));
  }

  at::Tensor tokens_, positions_;
  std::vector<EncoderLayer> layers_;
  std::optional<LayerNorm> norm_;
  std::optional<Linear> classifier_;
};

std::unique_ptr<Network> make_transformer(const NetworkRequest& request) {
  // The last token of a sequence is only a target.
  const std::int64_t longest =
      std::max<std::int64_t>(1, find_tokens(request.batch).row.extent[0] - 1);
  return std::make_unique<Transformer>(request.initial, request.settings, longest);
}

}  // namespace

NetworkKind describe_transformer() {
  return {.make = make_transformer, .make_input = make_token_input};
}

PartMaker trainer_transformer_maker() { return torch_trainer_maker<describe_transformer>(); }

}  // namespace benchbench::parts
