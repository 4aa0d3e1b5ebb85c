#include "scenarios/formats/columns.h"

#include <fmt/format.h>

namespace benchbench {

std::string with_columns(std::string_view version, const ColumnNames& columns) {
  if (!columns.given()) return std::string(version);
  return fmt::format("{}, columns '{}' '{}' '{}'", version, columns.image, columns.label,
                     columns.name);
}

}  // namespace benchbench
