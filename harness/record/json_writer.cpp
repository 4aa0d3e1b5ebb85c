#include "harness/record/json_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "harness/record/setting_type.h"

namespace benchbench {

void JsonWriter::write(std::string_view text) {
  const auto plain = [](char c) { return c >= ' ' && c < 127 && c != '"' && c != '\\'; };
  if (std::all_of(text.begin(), text.end(), plain)) {
    out_ += '"';
    out_ += text;
    out_ += '"';
    return;
  }
  // File names come as bytes of any kind; a line must be UTF-8.
  out_ += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void JsonWriter::write(double value) {
  if (!std::isfinite(value)) {
    out_ += std::isnan(value) ? "\"nan\"" : value > 0 ? "\"inf\"" : "\"-inf\"";
    return;
  }
  const std::string text = fmt::format("{}", value);  // the shortest that reads back equal
  out_ += text;
  // 1.0 stays a real where it is read without a schema.
  if (text.find_first_of(".e") == std::string::npos) out_ += ".0";
}

void JsonWriter::write(const Value& value) {
  if (value.none())
    out_ += "null";
  else if (const auto* yes = std::get_if<bool>(&value.held))
    write(*yes);
  else if (value.type == ParameterType::integer)
    write(std::get<std::int64_t>(value.held));
  else if (value.type == ParameterType::real)
    write(std::get<double>(value.held));
  else
    write(value.text());
}

void JsonWriter::write(const std::array<StageTotal, kStages>& stages) {
  open('{');
  for (std::size_t i = 0; i < kStages; ++i) {
    if (stages[i].ns || stages[i].count) member(name_of(static_cast<Stage>(i)), stages[i]);
  }
  close('}');
}

void JsonWriter::write(const std::pair<std::string, Value>& setting) {
  const auto& [key, value] = setting;
  open('[');
  item(key);
  item(value);
  if (type_without_tag(value) != value.type) item(name_of(value.type));
  close(']');
}

void JsonWriter::settings_members(std::string_view name,
                                  const std::map<std::string, Value, std::less<>>& values) {
  std::map<std::string_view, std::vector<std::string>> tagged;
  key(name);
  open('{');
  for (const auto& [setting, value] : values) {
    member(setting, value);
    if (type_without_tag(value) != value.type) tagged[name_of(value.type)].push_back(setting);
  }
  close('}');
  if (tagged.empty()) return;
  key(std::string(name) + "_types");
  open('{');
  for (const auto& [type, keys] : tagged) member(type, keys);
  close('}');
}

void JsonWriter::member(std::string_view name, const SettingsMap& settings) {
  if (!base_ || name != "settings") return settings_members(name, settings.all());
  std::map<std::string, Value, std::less<>> changed;
  std::vector<std::string> dropped;
  for (const auto& [key, value] : settings.all()) {
    const Value* before = base_->find(key);
    if (!before || !(*before == value)) changed.emplace(key, value);
  }
  for (const auto& [key, value] : base_->all()) {
    if (!settings.has(key)) dropped.push_back(key);
  }
  settings_members("settings_changed", changed);
  member("settings_dropped", dropped);
}

void JsonWriter::key(std::string_view name) {
  separate();
  write(name);
  out_ += ':';
}

namespace {

template <class T>
std::string text_of(const T& value) {
  JsonWriter writer;
  writer.object(value, kRecordVersion);
  return writer.take();
}

}  // namespace

std::string to_json(const TrialRecord& record) { return text_of(record); }
std::string to_json(const Trial& trial) { return text_of(trial); }
std::string to_json(const Environment& environment) { return text_of(environment); }

std::string to_json(const Plan& plan) {
  JsonWriter writer;
  writer.tell_changes_of(plan.scenario.base);
  writer.object(plan, kRecordVersion);
  return writer.take();
}

}  // namespace benchbench
