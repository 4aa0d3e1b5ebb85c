// The measured numbers of a loader in the user's Python by their stored names, units in them: one
// row, and json, csv and `describe` have it.
#pragma once
#include <span>
#include <string_view>

#include "harness/analysis/external/external.h"

namespace benchbench {

struct ExternalField {
  std::string_view name;  // "getitem_ms_per_batch"
  std::optional<double> ExternalPoint::* value;
  std::string_view text;  // a sentence
};
std::span<const ExternalField> external_fields() noexcept;

}  // namespace benchbench
