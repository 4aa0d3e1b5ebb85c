// A setting's dotted key with the type of its value, so that a read names no type and no text.
#pragma once
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "harness/core/units.h"
#include "harness/part/description.h"

namespace benchbench {

template <class T>
constexpr ParameterType setting_type() noexcept {
  if constexpr (std::same_as<T, bool>)
    return ParameterType::boolean;
  else if constexpr (std::integral<T>)
    return ParameterType::integer;
  else if constexpr (std::same_as<T, double>)
    return ParameterType::real;
  else if constexpr (std::same_as<T, Nanoseconds>)
    return ParameterType::duration;
  else
    return ParameterType::text;
}

// T is bool, an unsigned integer, double, Nanoseconds or std::string (text and choices). A key is
// also its own text, which ends with a null character.
template <class T>
struct SettingKey : std::string_view {
  ParameterType type;

  constexpr explicit SettingKey(const char* name, ParameterType held = setting_type<T>()) noexcept
      : std::string_view(name), type(held) {}
  operator std::string() const { return std::string(data(), size()); }
  // Returns the key without its section: "num_workers".
  constexpr std::string_view below_section() const noexcept { return substr(find('.') + 1); }
};

}  // namespace benchbench
