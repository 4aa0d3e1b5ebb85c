// SettingsMap, and the view of it that a part is made with.
#include <fmt/format.h>

#include <initializer_list>

#include "harness/core/contains.h"
#include "harness/core/error.h"
#include "harness/core/spelling.h"
#include "harness/record/value.h"

namespace benchbench {
namespace {

std::string nearest_key(const SettingsMap& map, std::string_view key) {
  std::vector<std::string> keys;
  for (const auto& [name, value] : map.all()) keys.push_back(name);
  return nearest_spelling(key, keys);
}

template <class T>
const T& held_in(const Value& value, std::string_view key, std::string_view wanted) {
  if (const T* held = std::get_if<T>(&value.held)) return *held;
  throw ScenarioError(fmt::format("{} is {}, which is not {}", key, value.text(), wanted));
}

}  // namespace

bool SettingsMap::has(std::string_view key) const { return find(key) != nullptr; }

const Value* SettingsMap::find(std::string_view key) const { return find_value(values_, key); }

bool SettingsMap::given(std::string_view key) const {
  const Value* value = find(key);
  return value && !value->none();
}

const Value& SettingsMap::at(std::string_view key) const {
  if (const Value* value = find(key)) return *value;
  throw ScenarioError(fmt::format("{} is not set", key), ask_whether(nearest_key(*this, key)));
}

void SettingsMap::set(std::string_view key, Value value) {
  values_.insert_or_assign(std::string(key), std::move(value));
}

void SettingsMap::erase(std::string_view key) {
  if (const auto at = values_.find(key); at != values_.end()) values_.erase(at);
}

void SettingsMap::erase_prefix(std::string_view prefix) {
  const auto prefixed = below(prefix);
  values_.erase(prefixed.begin(), prefixed.end());
}

std::int64_t SettingsMap::integer(std::string_view key) const {
  return held_in<std::int64_t>(at(key), key, "a whole number");
}

double SettingsMap::real(std::string_view key) const {
  const Value& value = at(key);
  if (const auto* n = std::get_if<std::int64_t>(&value.held)) return static_cast<double>(*n);
  return held_in<double>(value, key, "a number");
}

bool SettingsMap::boolean(std::string_view key) const {
  return held_in<bool>(at(key), key, "true or false");
}

std::string SettingsMap::text(std::string_view key) const { return at(key).text(); }

std::string SettingsMap::text_or(std::string_view key, std::string_view otherwise) const {
  return given(key) ? text(key) : std::string(otherwise);
}

std::int64_t SettingsMap::integer_or(std::string_view key, std::int64_t otherwise) const {
  const Value* value = find(key);
  const auto* held = value ? std::get_if<std::int64_t>(&value->held) : nullptr;
  return held ? *held : otherwise;
}

double SettingsMap::real_or(std::string_view key, double otherwise) const {
  return given(key) ? real(key) : otherwise;
}

double SettingsMap::seconds_or_zero(std::string_view key) const {
  const Value* value = find(key);
  const bool is_duration = value && value->type == ParameterType::duration && !value->none();
  return is_duration ? to_seconds(duration(key)) : 0;
}

Nanoseconds SettingsMap::duration(std::string_view key) const {
  const Value& value = at(key);
  if (value.type != ParameterType::duration) {
    throw ScenarioError(fmt::format("{} is {}, which is not a duration", key, value.text()));
  }
  return Nanoseconds{held_in<std::int64_t>(value, key, "a duration")};
}

PrefixedSettings::PrefixedSettings(const SettingsMap& map, std::string prefix)
    : map_(map), prefix_(std::move(prefix)) {}

const Value& PrefixedSettings::value(std::string_view key) const {
  const std::string whole = prefix_ + std::string(key);
  const Value* value = map_.find(whole);
  if (!value)
    throw PartError(
        fmt::format("the part requests {}, which its description does not list", whole));
  if (value->none()) throw PartError(fmt::format("the part requests {}, which is none", whole));
  return *value;
}

// A part that asks for another type than its description says is a bug of ours, reported as such.
template <class T>
const T& PrefixedSettings::asked(std::string_view key, std::string_view wanted,
                                 std::initializer_list<ParameterType> types) const {
  const Value& found = value(key);
  const bool right = types.size() == 0 || contains(types, found.type);
  if (const T* held = std::get_if<T>(&found.held); held && right) return *held;
  throw PartError(
      fmt::format("the part requests {} as {}, but it is {}", key, wanted, found.text()));
}

bool PrefixedSettings::has(std::string_view key) const noexcept {
  return map_.given(prefix_ + std::string(key));
}

bool PrefixedSettings::boolean(std::string_view key) const {
  return asked<bool>(key, "true or false");
}

std::int64_t PrefixedSettings::integer(std::string_view key) const {
  return asked<std::int64_t>(key, "a whole number", {ParameterType::integer});
}

double PrefixedSettings::real(std::string_view key) const {
  if (value(key).type == ParameterType::integer) return static_cast<double>(integer(key));
  return asked<double>(key, "a number", {ParameterType::real});
}

std::string_view PrefixedSettings::text(std::string_view key) const {
  return asked<std::string>(key, "text");
}

Nanoseconds PrefixedSettings::duration(std::string_view key) const {
  return Nanoseconds{asked<std::int64_t>(key, "a duration", {ParameterType::duration})};
}

Bytes PrefixedSettings::bytes(std::string_view key) const {
  return Bytes{static_cast<std::uint64_t>(
      asked<std::int64_t>(key, "a size in bytes", {ParameterType::bytes}))};
}

double PrefixedSettings::rate(std::string_view key) const {
  return asked<double>(key, "a rate", {ParameterType::rate, ParameterType::bandwidth});
}

std::vector<std::string> PrefixedSettings::keys_below(std::string_view prefix) const {
  std::vector<std::string> keys;
  for (const auto& [key, value] : map_.below(prefix_ + std::string(prefix)))
    keys.push_back(key.substr(prefix_.size()));
  return keys;
}

Settings::Kind PrefixedSettings::kind_of(std::string_view key) const noexcept {
  const Value* value = map_.find(prefix_ + std::string(key));
  if (!value || value->none()) return Kind::none;
  switch (value->type) {
    case ParameterType::boolean:
      return Kind::boolean;
    case ParameterType::integer:
      return Kind::integer;
    case ParameterType::real:
      return Kind::real;
    case ParameterType::text:
    case ParameterType::choice:
      return Kind::text;
    default:
      return Kind::other;
  }
}

}  // namespace benchbench
