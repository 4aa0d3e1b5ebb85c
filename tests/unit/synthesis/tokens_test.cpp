#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <map>
#include <vector>

#include "harness/core/digest.h"
#include "harness/core/error.h"
#include "harness/part/catalog.h"
#include "harness/record/value.h"

namespace benchbench::tokens_synthesis_test {

using Changes = std::map<std::string, std::string>;

std::unique_ptr<Synthesis> sequences(const Changes& changes = {}) {
  static std::vector<std::unique_ptr<SettingsMap>> kept;
  SettingsMap& map = *kept.emplace_back(std::make_unique<SettingsMap>());
  for (const Parameter& p :
       built_in_catalog().find(PartKind::synthesis, "tokens")->description->parameters) {
    const auto changed = changes.find(std::string(p.key));
    map.set("dataset.synthesize." + std::string(p.key),
            Value::parse(p.type, changed == changes.end() ? p.standard : changed->second).value());
  }
  const PrefixedSettings view(map, "dataset.synthesize.");
  return built_in_catalog().maker(PartKind::synthesis, "tokens").synthesis(view);
}

template <class Token>
std::vector<Token> tokens_of(const Synthesis& synthesis, SampleId id) {
  std::vector<Token> tokens;
  synthesis.make(id, [&](std::span<const std::byte> bytes) {
    tokens.resize(bytes.size() / sizeof(Token));
    std::memcpy(tokens.data(), bytes.data(), bytes.size());
  });
  return tokens;
}

TEST_CASE("synthesis tokens: lengths are log-normal with the mean and spread asked for",
          "[unit][synthesis]") {
  const auto made = sequences({{"samples", "20000"},
                               {"tokens.mean_length", "400"},
                               {"tokens.spread", "0.5"},
                               {"tokens.min_length", "1"},
                               {"tokens.max_length", "100000"}});
  double sum = 0, logs = 0, squares = 0;
  for (SampleId id = 0; id < 4000; ++id) {
    const auto length = static_cast<double>(tokens_of<std::uint16_t>(*made, id).size());
    sum += length, logs += std::log(length), squares += std::log(length) * std::log(length);
  }
  CHECK(sum / 4000 == Approx(400).epsilon(0.03));  // four standard errors of a spread of 0.53
  const double mean_log = logs / 4000;
  CHECK(std::sqrt(squares / 4000 - mean_log * mean_log) == Approx(0.5).epsilon(0.05));
  CHECK(static_cast<double>(made->bytes_estimate()) == Approx(20000 * 400 * 2.0).epsilon(0.05));
}

TEST_CASE("synthesis tokens: lengths stay within their bounds, and without spread all are alike",
          "[unit][synthesis]") {
  const auto bounded = sequences(
      {{"tokens.spread", "2"}, {"tokens.min_length", "100"}, {"tokens.max_length", "300"}});
  bool shortest = false, longest = false;
  for (SampleId id = 0; id < 500; ++id) {
    const std::size_t length = tokens_of<std::uint16_t>(*bounded, id).size();
    REQUIRE(length >= 100);
    REQUIRE(length <= 300);
    shortest |= length == 100, longest |= length == 300;
  }
  CHECK(shortest);
  CHECK(longest);
  const auto alike = sequences({{"tokens.spread", "0"}, {"tokens.mean_length", "333"}});
  for (SampleId id = 0; id < 20; ++id) CHECK(tokens_of<std::uint16_t>(*alike, id).size() == 333);
}

TEST_CASE("synthesis tokens: ids are below the vocabulary and as often as Zipf says",
          "[unit][synthesis]") {
  const auto made = sequences({{"tokens.vocab_size", "1000"},
                               {"tokens.dtype", "int32"},
                               {"tokens.mean_length", "1000"},
                               {"tokens.spread", "0"},
                               {"samples", "300"}});
  CHECK(made->payload() == PayloadSpec{.data = DataKind::tokens, .dtype = DType::int32, .row = {}});
  std::vector<double> times(1000, 0);
  for (SampleId id = 0; id < 300; ++id)
    for (const std::int32_t token : tokens_of<std::int32_t>(*made, id)) {
      REQUIRE(token >= 0);
      REQUIRE(token < 1000);
      times[static_cast<std::size_t>(token)] += 1.0 / 300'000;
    }
  for (const std::size_t token : {0u, 1u, 2u, 9u, 99u})  // log((n + 2) / (n + 1)) / log 1001
    CHECK(times[token] ==
          Approx(std::log((token + 2.0) / (token + 1.0)) / std::log(1001.0)).epsilon(0.12));
  CHECK(*std::ranges::min_element(times) > 0);
}

TEST_CASE("synthesis tokens: the same everywhere and in any order; other seeds give others",
          "[unit][synthesis]") {
  const auto made = sequences({{"samples", "64"}}), again = sequences({{"samples", "64"}}),
             other = sequences({{"samples", "64"}, {"seed", "8"}});
  Digester all;
  for (SampleId id = 0; id < 64; ++id)
    made->make(id, [&](std::span<const std::byte> bytes) { all.add(bytes); });
  CHECK(tokens_of<std::uint16_t>(*again, 63) == tokens_of<std::uint16_t>(*made, 63));
  CHECK(tokens_of<std::uint16_t>(*other, 63) != tokens_of<std::uint16_t>(*made, 63));
  // A change of it is another data set: raise the synthesis version.
  CHECK(all.finish().text() == "c3d377cd7b92e14b1af1e0850182679e");
  CHECK_THROWS_AS(tokens_of<std::uint16_t>(*made, 64), PartError);
}

TEST_CASE("synthesis tokens: bounds the wrong way round and ids that do not fit are refused",
          "[unit][synthesis]") {
  CHECK_THROWS_AS(sequences({{"tokens.min_length", "100"}, {"tokens.max_length", "99"}}),
                  ScenarioError);
  CHECK_THROWS_AS(sequences({{"tokens.vocab_size", "65537"}}), ScenarioError);
  CHECK_NOTHROW(sequences({{"tokens.vocab_size", "65537"}, {"tokens.dtype", "int32"}}));
  const auto full = sequences({{"tokens.vocab_size", "65536"}});
  for (SampleId id = 0; id < 50; ++id) CHECK(tokens_of<std::uint16_t>(*full, id).size() >= 16);
}

}  // namespace benchbench::tokens_synthesis_test
