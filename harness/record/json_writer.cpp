// The record's types as JSON text, members in the order of fields.h: nlohmann's document, and
// nlohmann's text of it but for reals (decisions/json-reals.md).
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "harness/record/fields.h"
#include "harness/record/setting_type.h"

namespace benchbench {
namespace {

using Json = nlohmann::ordered_json;
using SettingValues = std::map<std::string, Value, std::less<>>;

class JsonWriter {
 public:
  // Settings called "settings" are told as what they change in `base`, which must outlive the
  // writer; null: whole.
  explicit JsonWriter(const SettingsMap* base = nullptr) : base_(base) {}

  template <HasFields T>
  Json of(const T& value) const {
    return with_fields(Json::object(), value);
  }
  template <HasFields T>
  Json with_fields(Json object, const T& value) const {
    visit_fields(value,
                 [&](std::string_view name, const auto& field) { add(object, name, field); });
    return object;
  }

 private:
  template <class T>
  void add(Json& object, std::string_view name, const T& value) const {
    object.emplace(name, of(value));
  }
  void add(Json& object, std::string_view name, const SettingsMap& settings) const {
    if (!base_ || name != "settings")
      return add_settings(object, std::string(name), settings.all());
    SettingValues changed;
    std::vector<std::string> dropped;
    for (const auto& [key, value] : settings.all()) {
      const Value* before = base_->find(key);
      if (!before || !(*before == value)) changed.emplace(key, value);
    }
    for (const auto& [key, value] : base_->all()) {
      if (!settings.has(key)) dropped.push_back(key);
    }
    add_settings(object, "settings_changed", changed);
    add(object, "settings_dropped", dropped);
  }
  void add_settings(Json& object, const std::string& name, const SettingValues& values) const {
    std::map<std::string_view, std::vector<std::string>> tagged;
    Json held = Json::object();
    for (const auto& [setting, value] : values) {
      add(held, setting, value);
      if (type_without_tag(value) != value.type) tagged[name_of(value.type)].push_back(setting);
    }
    object.emplace(name, std::move(held));
    if (tagged.empty()) return;
    Json types = Json::object();
    for (const auto& [type, keys] : tagged) add(types, type, keys);
    object.emplace(name + "_types", std::move(types));
  }

  template <class T>
    requires std::integral<T> || std::convertible_to<T, std::string_view>
  Json of(const T& value) const {
    return value;
  }
  template <class E>
    requires std::is_enum_v<E>
  Json of(E value) const {
    return name_of(value);
  }
  Json of(double value) const {
    if (std::isnan(value)) return "nan";
    return std::isfinite(value) ? Json(value) : Json(value > 0 ? "inf" : "-inf");
  }
  Json of(const Ablation& ablation) const { return ablation.text(); }
  Json of(const CacheState& state) const { return state.text(); }
  Json of(const Value& value) const {
    if (value.none()) return nullptr;
    if (const auto* yes = std::get_if<bool>(&value.held)) return *yes;
    if (value.type == ParameterType::integer) return std::get<std::int64_t>(value.held);
    if (value.type == ParameterType::real) return of(std::get<double>(value.held));
    return value.text();
  }
  Json of(const std::array<StageTotal, kStages>& stages) const {
    Json object = Json::object();
    for (std::size_t i = 0; i < kStages; ++i) {
      if (stages[i].ns || stages[i].count) add(object, name_of(static_cast<Stage>(i)), stages[i]);
    }
    return object;
  }
  Json of(const std::pair<std::string, Value>& setting) const {
    const auto& [key, value] = setting;
    Json list = Json::array({key, of(value)});
    if (type_without_tag(value) != value.type) list.push_back(name_of(value.type));
    return list;
  }
  template <class T>
  Json of(const std::optional<T>& value) const {
    return value ? of(*value) : Json();
  }
  template <class A, class B>
  Json of(const std::pair<A, B>& pair) const {
    return Json::array({of(pair.first), of(pair.second)});
  }
  template <class T>
  Json of(const std::vector<T>& values) const {
    Json list = Json::array();
    for (const auto& value : values) list.push_back(of(value));
    return list;
  }

  const SettingsMap* base_;
};

void put(std::string& out, const Json& json);

void put_real(std::string& out, double value) {
  const std::string text = fmt::format("{}", value);  // the shortest that reads back equal
  out += text;
  // 1.0 stays a real where it is read without a schema.
  if (text.find_first_of(".e") == std::string::npos) out += ".0";
}

void put_parts(std::string& out, const Json& json) {
  out += json.is_object() ? '{' : '[';
  const char* separator = "";
  for (const auto& part : json.items()) {
    out += std::exchange(separator, ",");
    if (json.is_object()) {
      put(out, part.key());
      out += ':';
    }
    put(out, part.value());
  }
  out += json.is_object() ? '}' : ']';
}

void put(std::string& out, const Json& json) {
  if (json.is_structured()) return put_parts(out, json);
  if (json.is_number_float()) return put_real(out, json.get<double>());
  // File names come as bytes of any kind; a line must be UTF-8.
  out += json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

template <class T>
std::string text_of(const T& value, const SettingsMap* base = nullptr) {
  std::string text;
  put(text, JsonWriter(base).with_fields({{"version", kRecordVersion}}, value));
  return text;
}

}  // namespace

std::string to_json(const TrialRecord& record) { return text_of(record); }
std::string to_json(const Trial& trial) { return text_of(trial); }
std::string to_json(const Environment& environment) { return text_of(environment); }
std::string to_json(const Plan& plan) { return text_of(plan, &plan.scenario.base); }

}  // namespace benchbench
