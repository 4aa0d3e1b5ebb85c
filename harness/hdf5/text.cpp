// Strings in data sets, of fixed and of variable length.
#include <algorithm>
#include <cstring>

#include "harness/hdf5/call.h"

namespace benchbench::hdf5 {
namespace {

// Texts of a fixed width may be mostly room that was never written: they are taken piece by piece.
constexpr std::uint64_t kPieceBytes = 16 << 20, kMaxRowBytes = 256 << 20;

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
  const Handle type = this->type();
  if (H5Tget_class(type.get()) != H5T_STRING) fail(where_, "read", "it does not hold text");
  if (rows() == 0) return {};
  return check(H5Tis_variable_str(type.get()), where_, "read its type") ? variable_text(type.get())
                                                                        : fixed_text(type.get());
}

std::vector<std::string> Dataset::fixed_text(Id type) const {
  const std::size_t width = H5Tget_size(type);
  const std::uint64_t count = rows() * row_elements();
  const std::uint64_t in_row = row_elements();
  std::uint64_t row_bytes = 0;
  if (width == 0 || __builtin_mul_overflow(in_row, width, &row_bytes) || row_bytes == 0 ||
      row_bytes > kMaxRowBytes)
    fail(where_, "read", "its size is not plausible");
  const std::uint64_t at_once = std::max<std::uint64_t>(1, kPieceBytes / row_bytes);
  std::vector<char> piece(std::min(at_once, rows()) * row_bytes);
  std::vector<std::string> values;
  values.reserve(count);
  for (std::uint64_t row = 0; row < rows(); row += at_once) {
    const std::uint64_t some = std::min(at_once, rows() - row);
    const std::uint64_t elements = some * in_row;
    const Handle there = rows_selected(row, some);
    const Handle here = flat_space(elements);
    check(H5Dread(id_.get(), type, here.get(), there.get(), H5P_DEFAULT, piece.data()), where_,
          "read");
    for (std::uint64_t i = 0; i < elements; ++i) {
      const char* text = piece.data() + i * width;
      values.emplace_back(text, strnlen(text, width));
    }
  }
  return values;
}

std::vector<std::string> Dataset::variable_text(Id type) const {
  const Handle space = this->space();
  VariableStrings strings(rows() * row_elements(), type, space.get());
  check(H5Dread(id_.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, strings.pointers.data()), where_,
        "read");
  std::vector<std::string> values;
  values.reserve(strings.pointers.size());
  for (const char* text : strings.pointers) values.emplace_back(text ? text : "");
  return values;
}

}  // namespace benchbench::hdf5
