// A setting's value, typed and in its base unit, with one canonical text that digests and stores
// use.
#pragma once
#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "harness/core/units.h"
#include "harness/part/description.h"
#include "harness/part/settings.h"
#include "harness/record/setting_key.h"

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
  // Returns the value of a setting; throws ScenarioError naming it if it is absent.
  template <class T>
  T get(const SettingKey<T>& key) const;
  // Returns nothing if the setting is absent, `none` or of another type ("auto").
  template <class T>
  std::optional<T> get_if(const SettingKey<T>& key) const;
  // Sets `value` to what get_if() finds; returns false where that is nothing.
  template <class T, class Held>
  bool take(const SettingKey<T>& key, Held& value) const {
    const std::optional<T> found = get_if(key);
    if (found) value = *found;
    return found.has_value();
  }
  template <class T>
  void set(const SettingKey<T>& key, std::type_identity_t<T> value);
  // Typed reads of a part's own parameters, known to be there.
  std::int64_t integer(std::string_view key) const;
  double real(std::string_view key) const;
  bool boolean(std::string_view key) const;
  std::string text(std::string_view key) const;  // canonical text of any value
  Nanoseconds duration(std::string_view key) const;
  // Return `otherwise` if the setting is absent or `none`; integer_or() also if it holds no whole
  // number ("auto").
  std::string text_or(std::string_view key, std::string_view otherwise = {}) const;
  std::int64_t integer_or(std::string_view key, std::int64_t otherwise) const;
  double real_or(std::string_view key, double otherwise) const;
  // Returns 0 if the setting is no duration.
  double seconds_or_zero(std::string_view key) const;
  // Returns the settings whose keys begin with `prefix`: a view of pairs, good until one of the map
  // is set or erased.
  auto below(std::string_view prefix) const {
    const auto first = values_.lower_bound(prefix);
    return std::ranges::subrange(first, std::find_if(first, values_.end(), [&](const auto& pair) {
                                   return !pair.first.starts_with(prefix);
                                 }));
  }
  const std::map<std::string, Value, std::less<>>& all() const noexcept { return values_; }
  bool operator==(const SettingsMap&) const = default;

 private:
  std::map<std::string, Value, std::less<>> values_;
};

template <class T>
T SettingsMap::get(const SettingKey<T>& key) const {
  if constexpr (std::same_as<T, bool>)
    return boolean(key);
  else if constexpr (std::integral<T>)
    return static_cast<T>(integer(key));
  else if constexpr (std::same_as<T, double>)
    return real(key);
  else if constexpr (std::same_as<T, Nanoseconds>)
    return duration(key);
  else
    return text(key);
}

template <class T>
std::optional<T> SettingsMap::get_if(const SettingKey<T>& key) const {
  const Value* value = find(key);
  if (!value || value->none()) return std::nullopt;
  if constexpr (std::same_as<T, std::string>) return value->text();
  const bool whole = std::holds_alternative<std::int64_t>(value->held);
  const bool right = std::same_as<T, bool> ? std::holds_alternative<bool>(value->held)
                     : std::same_as<T, double>
                         ? whole || std::holds_alternative<double>(value->held)
                         : whole;
  return right ? std::optional(get(key)) : std::nullopt;
}

template <class T>
void SettingsMap::set(const SettingKey<T>& key, std::type_identity_t<T> value) {
  if constexpr (std::same_as<T, Nanoseconds>)
    set(key, Value{key.type, std::int64_t{value.count()}});
  else if constexpr (std::integral<T> && !std::same_as<T, bool>)
    set(key, Value{key.type, static_cast<std::int64_t>(value)});
  else
    set(key, Value{key.type, std::move(value)});
}

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
  template <class T>
  const T& asked(std::string_view key, std::string_view wanted,
                 std::initializer_list<ParameterType> types = {}) const;
  const SettingsMap& map_;
  std::string prefix_;
};

}  // namespace benchbench
