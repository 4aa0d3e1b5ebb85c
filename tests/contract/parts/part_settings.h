// Settings that parts are tested with, made of their descriptions.
#pragma once
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "harness/part/description.h"
#include "harness/record/value.h"
#include "tests/contract/parts/user_script.h"

namespace benchbench::test {

// Parameters that make a part small, by key, whichever part has them.
inline constexpr std::pair<std::string_view, std::string_view> kSmall[] = {
    {"samples", "29"},
    {"height", "12"},
    {"width", "10"},
    {"classes", "5"},
    {"hidden_size", "16"},
    {"vocab_size", "1000"},
    {"d_model", "16"},
    {"dim_feedforward", "32"},
    {"image.mean_width", "64"},
    {"image.mean_height", "48"},
    {"tokens.mean_length", "20"},
    {"tokens.min_length", "3"},
    {"tokens.max_length", "60"},
    {"tokens.vocab_size", "1000"},
    {"volume.depth", "9"},
    {"volume.height", "10"},
    {"volume.width", "11"},
    {"transform.random_resized_crop", "24"},
    {"transform.random_patch", "6"},
    {"transform.max_length", "40"}};

// Values of parameters that have no default.
inline constexpr std::pair<std::string_view, std::string_view> kRequired[] = {
    {"times", "given_by_the_test.csv"}, {"call", "set_with_the_script"}};

// Returns the value that `benchbench contract` was given for a parameter, in lines "loader.size=4".
inline std::optional<std::string> asked_for(PartKind kind, std::string_view key) {
  const char* lines = std::getenv("BENCHBENCH_CONTRACT_SETTINGS");
  const std::string all = std::string("\n") + (lines ? lines : "");
  const std::string begin = "\n" + std::string(name_of(kind)) + "." + std::string(key) + "=";
  const std::size_t at = all.rfind(begin);
  if (at == all.npos) return std::nullopt;
  return all.substr(at + begin.size(), all.find('\n', at + 1) - at - begin.size());
}

inline std::optional<std::string_view> named(
    std::span<const std::pair<std::string_view, std::string_view>> values, std::string_view key) {
  for (const auto& [name, value] : values)
    if (name == key) return value;
  return std::nullopt;
}

inline const Parameter* parameter_of(std::span<const Parameter> parameters, std::string_view key) {
  for (const Parameter& p : parameters)
    if (p.key == key) return &p;
  return nullptr;
}
inline bool has_parameter(const PartDescription& part, std::string_view key) {
  return parameter_of(part.parameters, key) != nullptr;
}

// Why `value` is none that a parameter may have; empty where it may.
inline std::string why_illegal(const Parameter& p, std::string_view value) {
  std::string why;
  const auto parsed = Value::parse(p.type, value, &why);
  if (!parsed) return "it is not " + why;
  if (parsed->none()) return p.standard == "none" ? "" : "the parameter cannot be absent";
  if (p.type == ParameterType::choice)
    return std::ranges::count(p.choices, value) == 1 ? "" : "it is none of the choices";
  double number = 0;
  if (const auto* whole = std::get_if<std::int64_t>(&parsed->held))
    number = static_cast<double>(*whole);
  else if (const auto* real = std::get_if<double>(&parsed->held))
    number = *real;
  else
    return "";
  return p.min <= number && number <= p.max ? "" : "it is out of range";
}

// Every parameter of a part: its default, small where that is one of size, then what is given.
class PartSettings {
 public:
  explicit PartSettings(const PartDescription& part) : part_(part) {
    for (const Parameter& p : part.parameters) {
      const auto asked = asked_for(part.kind, p.key);
      const auto small = named(kSmall, p.key), required = named(kRequired, p.key);
      if (p.standard.empty() && !required && !asked)
        FAIL(part.name << " needs " << p.key << ": name a value for it in kRequired, or give it "
                       << "with --set");
      set(p.key, asked ? *asked : small ? *small : p.standard.empty() ? *required : p.standard);
    }
    if (part.external) name_script();
  }
  PartSettings(const PartSettings&) = delete;
  void set(std::string_view key, std::string_view value) {
    const Parameter* p = parameter_of(part_.parameters, key);
    if (!p) FAIL(part_.name << " has no parameter " << key);
    const std::string why = why_illegal(*p, value);
    if (!why.empty()) FAIL(part_.name << ": " << key << " " << value << ": " << why);
    map_.set(std::string(key), *Value::parse(p->type, value));
  }
  void set_if_there(std::string_view key, std::string_view value) {
    if (has_parameter(part_, key)) set(key, value);
  }
  // Every parameter of that type; returns how many there are.
  int set_all(ParameterType type, std::string_view value) {
    int count = 0;
    for (const Parameter& p : part_.parameters)
      if (p.type == type) set(p.key, value), ++count;
    return count;
  }
  const Settings& view() const noexcept { return view_; }

 private:
  void name_script() {
    set("script", UserScript::one().file(part_.kind));
    set("python", UserScript::interpreter());
    set("call", part_.kind == PartKind::trainer ? "train_step" : "make_data");
    set_if_there("setup", "setup");
  }
  const PartDescription& part_;
  SettingsMap map_;
  PrefixedSettings view_{map_, ""};
};

}  // namespace benchbench::test
