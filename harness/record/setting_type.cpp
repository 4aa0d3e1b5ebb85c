#include "harness/record/setting_type.h"

#include "harness/core/characters.h"

namespace benchbench {
namespace {

constexpr ParameterType kQuantities[] = {ParameterType::duration, ParameterType::bytes,
                                         ParameterType::rate, ParameterType::bandwidth};

}  // namespace

ParameterType type_of_text(std::string_view text) {
  const char first = text.empty() ? ' ' : text.front();
  // Most are words: no need to try.
  if (first != '-' && !is_digit(first)) return ParameterType::text;
  for (const ParameterType type : kQuantities) {
    const auto value = Value::parse(type, text);
    if (value && value->text() == text) return type;
  }
  return ParameterType::text;
}

ParameterType type_without_tag(const Value& value) {
  if (std::holds_alternative<bool>(value.held)) return ParameterType::boolean;
  if (value.none()) return ParameterType::text;
  if (value.type == ParameterType::integer || value.type == ParameterType::real) return value.type;
  return type_of_text(value.text());
}

}  // namespace benchbench
