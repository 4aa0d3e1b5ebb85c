// The columns that a user names, as formats keep and use them.
#pragma once
#include <string>
#include <string_view>

#include "harness/part/loader.h"

namespace benchbench {

// Outlives the call that brought the names.
class KeptColumns {
 public:
  explicit KeptColumns(const ColumnNames& names)
      : image_(names.image), label_(names.label), name_(names.name) {}
  // Views into this.
  ColumnNames names() const noexcept { return {image_, label_, name_}; }

 private:
  std::string image_, label_, name_;
};

// The version of an index with the columns that it was made of: `version` itself where none is
// named.
std::string with_columns(std::string_view version, const ColumnNames& columns);

}  // namespace benchbench
