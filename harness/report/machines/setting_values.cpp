#include "harness/report/machines/setting_values.h"

#include <nlohmann/json.hpp>

#include "harness/core/words.h"
#include "harness/part/description.h"

namespace benchbench {
namespace {

nlohmann::ordered_json held_by(const Value& value) {
  return std::visit(
      []<class T>(const T& held) -> nlohmann::ordered_json {
        if constexpr (std::is_same_v<T, std::monostate>)
          return nullptr;
        else
          return held;
      },
      value.held);
}

const char* unit_of_type(ParameterType type) noexcept {
  switch (type) {
    case ParameterType::duration:
      return "ns";
    case ParameterType::bytes:
      return "bytes";
    case ParameterType::rate:
      return "1/s";
    case ParameterType::bandwidth:
      return "bytes/s";
    default:
      return nullptr;
  }
}

}  // namespace

nlohmann::ordered_json setting_values(const SettingsMap& settings) {
  auto all = nlohmann::ordered_json::object();
  for (const auto& [key, value] : settings.all()) {
    all[key] = {{"type", name_of(value.type)}, {"value", held_by(value)}};
    if (const char* unit = unit_of_type(value.type)) all[key]["unit"] = unit;
  }
  return all;
}

}  // namespace benchbench
