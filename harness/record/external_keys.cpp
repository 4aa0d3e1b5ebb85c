#include "harness/record/external_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

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

template <class Number>
std::optional<Number> whole_word(std::string_view word, int base = 10) {
  if (word.starts_with('+')) word.remove_prefix(1);
  Number n{};
  const char* end = word.data() + word.size();
  std::from_chars_result read{};
  if constexpr (std::is_integral_v<Number>)
    read = std::from_chars(word.data(), end, n, base);
  else
    read = std::from_chars(word.data(), end, n);
  if (word.empty() || read.ec != std::errc{} || read.ptr != end) return std::nullopt;
  return n;
}

bool all_digits(std::string_view word) {
  if (word.starts_with('-') || word.starts_with('+')) word.remove_prefix(1);
  return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_free(std::string_view key) {
  return std::ranges::any_of(kFree,
                             [&](std::string_view free) { return key.find(free) != key.npos; });
}

std::string_view standard_of(std::string_view key) {
  for (const Parameter& p : loader_keys())
    if (p.key == key) return p.standard;
  return {};
}

bool is_one_of(std::string_view list, std::string_view word) {
  return fmt::format(",{},", list).find(fmt::format(",{},", word)) != std::string::npos;
}

}  // namespace

bool keeps_own(const SettingsMap& settings, std::string_view key, std::string_view section) {
  const Value* own = settings.find(std::string(section) + std::string(kUsersOwn));
  return own && is_one_of(own->text(), key);
}

ExternalLoaderKeys external_keys_of(const SettingsMap& settings, std::string_view section) {
  const std::string prefix(section);
  const auto gives = [&](std::string_view key) {
    return settings.given(prefix + std::string(key)) && !keeps_own(settings, key, section);
  };
  const auto number = [&](std::string_view key) -> std::optional<std::uint32_t> {
    if (!gives(key)) return std::nullopt;
    return static_cast<std::uint32_t>(settings.integer(prefix + std::string(key)));
  };
  const auto flag = [&](std::string_view key) -> std::optional<bool> {
    if (!gives(key)) return std::nullopt;
    return settings.boolean(prefix + std::string(key));
  };
  ExternalLoaderKeys keys;
  keys.num_workers = number("num_workers");
  keys.batch_size = number("batch_size");
  if (keys.num_workers.value_or(1) > 0) keys.prefetch_factor = number("prefetch_factor");
  keys.in_order = flag("in_order");
  keys.drop_last = flag("drop_last");
  keys.pin_memory = flag("pin_memory");
  if (settings.given(prefix + "access") && !keeps_own(settings, "shuffle", section))
    keys.shuffle = settings.text(prefix + "access") == "random";
  return keys;
}

void drop_what_needs_workers(SettingsMap& settings) {
  if (settings.text_or(kStartMethod) == "none") settings.erase(kStartMethod);
  if (!settings.given(keys::loader.num_workers) || settings.get(keys::loader.num_workers) > 0)
    return;
  if (const auto standard = Value::parse(ParameterType::integer, standard_of("prefetch_factor")))
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

std::optional<Value> yaml_scalar(std::string_view word) {
  for (const bool yes : {true, false})
    for (const std::string_view spelling :
         yes ? std::array<std::string_view, 3>{"true", "True", "TRUE"}
             : std::array<std::string_view, 3>{"false", "False", "FALSE"})
      if (word == spelling) return Value{ParameterType::boolean, yes};
  if (word.starts_with("0x"))
    if (const auto n = whole_word<std::int64_t>(word.substr(2), 16))
      return Value{ParameterType::integer, *n};
  if (word.starts_with("0o"))
    if (const auto n = whole_word<std::int64_t>(word.substr(2), 8))
      return Value{ParameterType::integer, *n};
  if (const auto n = whole_word<std::int64_t>(word)) return Value{ParameterType::integer, *n};
  if (all_digits(word)) return std::nullopt;
  if (const auto x = whole_word<double>(word);
      x && std::isfinite(*x) && word.find_first_of("0123456789") != std::string_view::npos)
    return Value{ParameterType::real, *x};
  return Value{ParameterType::text, std::string(word)};
}

}  // namespace benchbench
