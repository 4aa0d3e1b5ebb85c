#include "harness/report/html/settings_yaml.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "harness/part/external.h"
#include "harness/record/external_keys.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

std::vector<std::string_view> parts_of(std::string_view key) {
  std::vector<std::string_view> parts;
  for (std::size_t dot; (dot = key.find('.')) != std::string_view::npos; key.remove_prefix(dot + 1))
    parts.push_back(key.substr(0, dot));
  parts.push_back(key);
  return parts;
}

std::string scalar(const std::string& text) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./+-";
  if (!text.empty() && text.front() != '-' && text.find_first_not_of(kPlain) == std::string::npos)
    return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else
      out += c;
  }
  return out + '"';
}

// True of keys that are not set or that a look at the user's code found, and of those of
// checkpoints that are never written.
bool is_left_out(const SettingsMap& settings, const std::string& key, const Value& value) {
  return value.none() || key.ends_with("." + std::string(kUsersOwn)) ||
         key == "trainer." + std::string(kOwnBatch) ||
         (key.starts_with("trainer.checkpoint.") &&
          !settings.given(keys::trainer.checkpoint.every));
}

}  // namespace

std::string settings_yaml(const SettingsMap& settings) {
  std::string out;
  std::vector<std::string_view> open;
  for (const auto& [key, value] : settings.all()) {
    if (is_left_out(settings, key, value)) continue;
    const std::vector<std::string_view> parts = parts_of(key);
    const auto differs = std::ranges::mismatch(open, std::vector(parts.begin(), parts.end() - 1));
    open.erase(differs.in1, open.end());
    for (std::size_t depth = open.size(); depth + 1 < parts.size(); ++depth) {
      out += fmt::format("{:{}}{}:\n", "", 2 * depth, parts[depth]);
      open.push_back(parts[depth]);
    }
    out += fmt::format("{:{}}{}: {}\n", "", 2 * open.size(), parts.back(), scalar(value.text()));
  }
  return out;
}

}  // namespace benchbench
