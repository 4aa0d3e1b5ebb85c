#include "harness/app/wrap/wrap_try.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/parse_number.h"
#include "harness/core/spelling.h"

namespace benchbench {
namespace {

struct Tried {
  std::string_view name;
  bool number;
  std::int64_t least = 0, most = 0;
};
constexpr Tried kTried[] = {{"num_workers", true, 0, 1024},
                            {"prefetch_factor", true, 1, 1024},
                            {"pin_memory", false},
                            {"in_order", false}};

struct ChangesMore {
  std::string_view name, why;
};
constexpr ChangesMore kNotTried[] = {
    {"multiprocessing_context",
     "another start method cannot be tried in a process that has started workers"},
    {"persistent_workers",
     "it changes what happens between epochs, of which stretches know nothing; the report has what "
     "an epoch's beginning costs"},
    {"batch_size", "it changes what a step of the script does"},
    {"shuffle", "it changes what the script is trained with"},
    {"drop_last", "it changes what the script is trained with"},
};

const Tried& tried(const std::string& name) {
  const auto found = std::ranges::find(kTried, name, &Tried::name);
  if (found != std::end(kTried)) return *found;
  std::vector<std::string> all;
  for (const Tried& each : kTried) all.emplace_back(each.name);
  const std::string hint = "what can be tried while the script runs: " + listed(all);
  if (const auto known = std::ranges::find(kNotTried, name, &ChangesMore::name);
      known != std::end(kNotTried))
    throw UsageError(fmt::format("--try {}: {}", name, known->why), hint);
  throw UsageError(fmt::format("--try: unknown setting '{}'{}", name, did_you_mean(name, all, "'")),
                   hint);
}

ExternalValue value_of(const Tried& setting, const std::string& text) {
  if (!setting.number) {
    if (text == "true" || text == "True") return true;
    if (text == "false" || text == "False") return false;
    throw UsageError(fmt::format("--try {}={}: expected true or false", setting.name, text));
  }
  const auto value = parse_number<std::int64_t>(text);
  if (!value || *value < setting.least || *value > setting.most)
    throw UsageError(fmt::format("--try {}={}: expected a number from {} to {}", setting.name, text,
                                 setting.least, setting.most));
  return *value;
}

std::string value_words(const ExternalValue& value) {
  if (const bool* yes = std::get_if<bool>(&value)) return *yes ? "True" : "False";
  if (const auto* n = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *n);
  if (const auto* x = std::get_if<double>(&value)) return fmt::format("{:g}", *x);
  if (const auto* text = std::get_if<std::string>(&value)) return fmt::format("'{}'", *text);
  return "None";
}

}  // namespace

TriedSettings settings_to_try(const std::string& text) {
  TriedSettings settings;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string one = text.substr(at, end - at);
    at = end + 1;
    const std::size_t equals = one.find('=');
    if (equals == std::string::npos || equals == 0)
      throw UsageError(fmt::format("--try {}: expected NAME=VALUE, separated by commas", text),
                       "e.g. --try num_workers=4,prefetch_factor=8");
    const Tried& setting = tried(one.substr(0, equals));
    if (!settings.emplace(setting.name, value_of(setting, one.substr(equals + 1))).second)
      throw UsageError(fmt::format("--try {}: {} is there twice", text, setting.name));
  }
  return settings;
}

TriedSettings applied(const TriedSettings& asked, const WrapSteady& steady) {
  TriedSettings found;
  if (!steady.changed) return found;
  for (const auto& [name, value] : asked) {
    const auto now = steady.changed->own.find(name), before = steady.loader.own.find(name);
    const bool same = before != steady.loader.own.end() && before->second == value;
    if (now != steady.changed->own.end() && now->second == value && !same) found.insert(*now);
  }
  return found;
}

std::string settings_words(const TriedSettings& settings) {
  std::string text;
  for (const auto& [name, value] : settings)
    if (!std::holds_alternative<std::monostate>(value))
      text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, value_words(value));
  return text;
}

}  // namespace benchbench
