// The columns of data that a user names.
#pragma once
#include <string>

namespace benchbench {

// The columns that hold the samples, their labels and their names: columns of a table, features of
// a record, data sets or members of a file, ends of keys. Empty: the names that are customary.
struct ColumnNames {
  std::string image, label, name;
  bool given() const noexcept { return !image.empty() || !label.empty() || !name.empty(); }
  // "columns 'img' 'cls' ''", in what is kept of data; empty where none is named.
  std::string text() const {
    return given() ? "columns '" + image + "' '" + label + "' '" + name + "'" : "";
  }
};

}  // namespace benchbench
