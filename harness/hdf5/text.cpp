// Strings in data sets, of fixed and of variable length.
#include <cstring>

#include "harness/hdf5/call.h"

namespace benchbench::hdf5 {
namespace {

// The library allocates each string; this gives them back whatever happens.
struct VariableStrings {
  VariableStrings(std::size_t count, hid_t type_of, hid_t space_of)
      : pointers(count), type(type_of), space(space_of) {}
  ~VariableStrings() { H5Dvlen_reclaim(type, space, H5P_DEFAULT, pointers.data()); }
  VariableStrings(const VariableStrings&) = delete;
  VariableStrings& operator=(const VariableStrings&) = delete;
  std::vector<char*> pointers;
  hid_t type, space;
};

}  // namespace

std::vector<std::string> Dataset::read_text() const {
  enter_library();
  const Handle type(check(H5Dget_type(id_.get()), kind_, where_, "read its type"), close_type);
  if (H5Tget_class(type.get()) != H5T_STRING) fail(kind_, where_, "read", "it holds no text");
  if (rows() == 0) return {};
  return check(H5Tis_variable_str(type.get()), kind_, where_, "read its type") ? variable_text()
                                                                               : fixed_text(type.get());
}

std::vector<std::string> Dataset::fixed_text(Id type) const {
  const std::size_t width = H5Tget_size(type);
  const std::uint64_t count = rows() * row_elements();
  std::uint64_t bytes = 0;
  if (width == 0 || __builtin_mul_overflow(count, width, &bytes))
    fail(kind_, where_, "read", "its size is impossible");
  std::vector<char> all(bytes);
  check(H5Dread(id_.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()), kind_, where_, "read");
  std::vector<std::string> values;
  values.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const char* text = all.data() + i * width;
    values.emplace_back(text, strnlen(text, width));
  }
  return values;
}

std::vector<std::string> Dataset::variable_text() const {
  const Handle type(check(H5Dget_type(id_.get()), kind_, where_, "read its type"), close_type);
  const Handle space(check(H5Dget_space(id_.get()), kind_, where_, "read its size"), close_space);
  VariableStrings strings(rows() * row_elements(), type.get(), space.get());
  check(H5Dread(id_.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, strings.pointers.data()), kind_, where_,
        "read");
  std::vector<std::string> values;
  values.reserve(strings.pointers.size());
  for (const char* text : strings.pointers) values.emplace_back(text ? text : "");
  return values;
}

}  // namespace benchbench::hdf5
