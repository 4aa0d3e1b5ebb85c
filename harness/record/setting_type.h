// Inside harness/record only: a setting's type by name, and the type its JSON value alone would be read as.
#pragma once
#include <optional>
#include <string_view>

#include "harness/record/value.h"

namespace benchbench {

std::string_view name_of(ParameterType type) noexcept;
std::optional<ParameterType> parameter_type_from(std::string_view name) noexcept;

// "12ms" is a duration, "shared" a text: see "Settings" in results/README.md.
ParameterType type_of_text(std::string_view text);
ParameterType type_without_tag(const Value& value);

}  // namespace benchbench
