#include "harness/record/external_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "harness/core/contains.h"
#include "harness/core/parse_number.h"
#include "harness/core/spelling.h"
#include "harness/record/keys.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

constexpr std::string_view kFree[] = {"loader.args.", "loader.of.args."};  // also below "beside."
constexpr std::array<std::string_view, 6> kCode{"script", "module", "call",
                                                "setup",  "pick",   "python"};

constexpr std::string_view kPrefetch = keys::loader.prefetch_factor,
                           kPersistent = "loader.persistent_workers",
                           kStartMethod = "loader.multiprocessing_context";

// Reads a number that a sign may stand before.
template <class Number, class... Base>
std::optional<Number> number_in(std::string_view word, Base... base) {
  if (word.starts_with('+')) word.remove_prefix(1);
  return parse_number<Number>(word, base...);
}

// "12", "0x1f", "0o17".
std::optional<std::int64_t> whole_number(std::string_view word) {
  for (const auto& [prefix, base] : {std::pair("0x", 16), std::pair("0o", 8)})
    if (word.starts_with(prefix))
      if (const auto n = number_in<std::int64_t>(word.substr(2), base)) return n;
  return number_in<std::int64_t>(word);
}

bool all_digits(std::string_view word) {
  if (word.starts_with('-') || word.starts_with('+')) word.remove_prefix(1);
  return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_free(std::string_view key) {
  return std::ranges::any_of(kFree,
                             [&](std::string_view free) { return key.find(free) != key.npos; });
}

}  // namespace

bool keeps_own(const SettingsMap& settings, std::string_view key, std::string_view section) {
  const Value* own = settings.find(std::string(section) + std::string(kUsersOwn));
  return own && is_listed(own->text(), key);
}

namespace {

// Returns the value of the same key in another section; nullopt where that keeps its own.
template <class T>
std::optional<T> given_in(const SettingsMap& settings, std::string_view section,
                          const SettingKey<T>& key) {
  const std::string whole = fmt::format("{}{}", section, key.below_section());
  if (!settings.given(whole) || keeps_own(settings, key.below_section(), section))
    return std::nullopt;
  if constexpr (std::same_as<T, bool>)
    return settings.boolean(whole);
  else
    return static_cast<T>(settings.integer(whole));
}

}  // namespace

ExternalLoaderKeys external_keys_of(const SettingsMap& settings, std::string_view section) {
  const auto given = [&](const auto& key) { return given_in(settings, section, key); };
  ExternalLoaderKeys o;
  o.num_workers = given(keys::loader.num_workers);
  o.batch_size = given(keys::loader.batch_size);
  if (o.num_workers.value_or(1) > 0) o.prefetch_factor = given(keys::loader.prefetch_factor);
  o.in_order = given(keys::loader.in_order);
  o.drop_last = given(keys::loader.drop_last);
  o.pin_memory = given(keys::loader.pin_memory);
  const std::string access = std::string(section) + "access";
  if (settings.given(access) && !keeps_own(settings, "shuffle", section))
    o.shuffle = settings.text(access) == "random";
  return o;
}

void drop_what_needs_workers(SettingsMap& settings) {
  if (settings.text_or(kStartMethod) == "none") settings.erase(kStartMethod);
  if (!settings.given(keys::loader.num_workers) || settings.get(keys::loader.num_workers) > 0)
    return;
  const Parameter* prefetch = find_parameter(loader_keys(), "prefetch_factor");
  if (const auto standard = Value::parse(prefetch->type, prefetch->standard))
    settings.set(kPrefetch, *standard);
  settings.erase(kPersistent);
  settings.erase(kStartMethod);
}

bool needs_workers(std::string_view key) noexcept {
  return key == kPrefetch || key == kPersistent || key == kStartMethod;
}

std::string code_of(const SettingsMap& settings, std::string_view section) {
  std::string text;
  if (!settings.given(std::string(section) + "call")) return text;
  for (const std::string_view key : kCode)
    if (const std::string whole = std::string(section) + std::string(key); settings.given(whole))
      text += fmt::format("{}={}\n", key, settings.text(whole));
  return text;
}

std::string exact_text(std::string_view key, const Value& value) {
  std::string text = value.text();
  if (!is_free(key) || value.none()) return text;
  if (value.type == ParameterType::real &&
      text.find_first_not_of("-0123456789") == std::string::npos)
    return text + ".0";
  if (value.type != ParameterType::text) return text;
  const auto read = yaml_scalar(text);
  return text.empty() || text == "none" || !read || read->type != ParameterType::text
             ? fmt::format("\"{}\"", text)
             : text;
}

namespace {

std::optional<bool> truth_in(std::string_view word) {
  if (word == "true" || word == "True" || word == "TRUE") return true;
  if (word == "false" || word == "False" || word == "FALSE") return false;
  return std::nullopt;
}

}  // namespace

std::optional<Value> yaml_scalar(std::string_view word) {
  if (const auto yes = truth_in(word)) return Value{ParameterType::boolean, *yes};
  if (const auto n = whole_number(word)) return Value{ParameterType::integer, *n};
  if (all_digits(word)) return std::nullopt;
  const auto x = number_in<double>(word);
  if (x && std::isfinite(*x) && word.find_first_of("0123456789") != word.npos)
    return Value{ParameterType::real, *x};
  return Value{ParameterType::text, std::string(word)};
}

}  // namespace benchbench
