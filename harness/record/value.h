// A setting's value, typed and in its base unit, with one canonical text that digests and stores
// use.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/core/units.h"
#include "harness/part/description.h"
#include "harness/part/settings.h"

namespace benchbench {

// Durations are held in ns and bytes as integers, rates and bandwidths as reals per second.
struct Value {
  ParameterType type = ParameterType::text;
  std::variant<std::monostate, bool, std::int64_t, double, std::string> held;  // monostate: none

  bool none() const noexcept { return held.index() == 0; }
  // Canonical: "12ms", "64KiB", "true", "0.5", "none"; equal values have equal text.
  std::string text() const;
  bool operator==(const Value&) const = default;

  // The value of `text` as a parameter of this description says; nullopt and `why` filled ("a
  // duration such as 12ms") where it is none. Does not check range or choices.
  static std::optional<Value> parse(ParameterType type, std::string_view text,
                                    std::string* why = nullptr);
};

// Resolved settings by dotted key ("loader.num_workers"), in key order. A value type.
class SettingsMap {
 public:
  bool has(std::string_view key) const;
  const Value* find(std::string_view key) const;
  bool given(std::string_view key) const;       // there, and not `none`
  const Value& at(std::string_view key) const;  // throws ScenarioError naming the key
  void set(std::string_view key, Value value);
  void erase(std::string_view key);
  void erase_prefix(std::string_view prefix);
  // Typed reads of keys known to be there.
  std::int64_t integer(std::string_view key) const;
  double real(std::string_view key) const;
  bool boolean(std::string_view key) const;
  std::string text(std::string_view key) const;  // canonical text of any value
  Nanoseconds duration(std::string_view key) const;
  const std::map<std::string, Value, std::less<>>& all() const noexcept { return values_; }
  bool operator==(const SettingsMap&) const = default;

 private:
  std::map<std::string, Value, std::less<>> values_;
};

// The part's view of a SettingsMap: keys below `prefix` ("trainer."). The map must outlive it.
class PrefixedSettings final : public Settings {
 public:
  PrefixedSettings(const SettingsMap& map, std::string prefix);
  bool has(std::string_view key) const noexcept override;
  bool boolean(std::string_view key) const override;
  std::int64_t integer(std::string_view key) const override;
  double real(std::string_view key) const override;
  std::string_view text(std::string_view key) const override;
  Nanoseconds duration(std::string_view key) const override;
  Bytes bytes(std::string_view key) const override;
  double rate(std::string_view key) const override;
  std::vector<std::string> keys_below(std::string_view prefix) const override;
  Kind kind_of(std::string_view key) const noexcept override;

 private:
  const Value& value(std::string_view key) const;
  const SettingsMap& map_;
  std::string prefix_;
};

}  // namespace benchbench
