#include "harness/hdf5/dataset.h"

#include <fmt/format.h>

#include <cstring>

#include "harness/hdf5/call.h"

namespace benchbench::hdf5 {
namespace {

// Filters that are part of the library itself.
bool built_in(H5Z_filter_t filter) {
  switch (filter) {
    case H5Z_FILTER_DEFLATE:
    case H5Z_FILTER_SHUFFLE:
    case H5Z_FILTER_FLETCHER32:
    case H5Z_FILTER_SZIP:
    case H5Z_FILTER_NBIT:
    case H5Z_FILTER_SCALEOFFSET:
      return H5Zfilter_avail(filter) > 0;
    default:
      return false;
  }
}

}  // namespace

Handle Dataset::space(std::string_view doing) const {
  return Handle(check(H5Dget_space(id_.get()), where_, doing), H5Sclose);
}

Handle Dataset::type() const {
  return Handle(check(H5Dget_type(id_.get()), where_, "read its type"), H5Tclose);
}

Handle Dataset::properties() const {
  return Handle(check(H5Dget_create_plist(id_.get()), where_, "read its layout"), H5Pclose);
}

std::vector<std::uint64_t> Dataset::extents() const {
  enter_library();
  const Handle space = this->space();
  const int rank = check(H5Sget_simple_extent_ndims(space.get()), where_, "read its size");
  std::vector<hsize_t> extents(static_cast<std::size_t>(rank));
  check(H5Sget_simple_extent_dims(space.get(), extents.data(), nullptr), where_, "read its size");
  return {extents.begin(), extents.end()};
}

std::uint64_t Dataset::rows() const {
  const auto size = extents();
  return size.empty() ? 1 : size.front();
}

std::uint64_t Dataset::row_elements() const {
  std::uint64_t product = 1;
  const auto size = extents();
  for (std::size_t i = 1; i < size.size(); ++i) {
    if (__builtin_mul_overflow(product, size[i], &product))
      fail(where_, "read its size", "its size is not plausible");
  }
  return product;
}

std::optional<Element> Dataset::element() const {
  enter_library();
  const Handle type = this->type();
  if (H5Tget_class(type.get()) == H5T_STRING) return Element::text;
  for (int i = 0; i <= static_cast<int>(Element::float32); ++i)
    if (const auto element = static_cast<Element>(i);
        element != Element::text && H5Tequal(type.get(), memory_type(element)) > 0)
      return element;
  return std::nullopt;
}

Variable Dataset::variable() const {
  enter_library();
  const Handle type = this->type();
  if (H5Tget_class(type.get()) == H5T_STRING)
    return H5Tis_variable_str(type.get()) > 0 ? Variable::text : Variable::none;
  if (H5Tget_class(type.get()) != H5T_VLEN) return Variable::none;
  const Handle of(check(H5Tget_super(type.get()), where_, "read its type"), H5Tclose);
  return H5Tget_class(of.get()) == H5T_INTEGER && H5Tget_size(of.get()) == 1 ? Variable::bytes
                                                                             : Variable::other;
}

std::optional<std::uint64_t> Dataset::opaque_bytes() const {
  enter_library();
  const Handle type = this->type();
  if (H5Tget_class(type.get()) != H5T_OPAQUE) return std::nullopt;
  return H5Tget_size(type.get());
}

std::optional<std::uint64_t> Dataset::contiguous_offset() const {
  enter_library();
  const Handle made = properties();
  if (H5Pget_layout(made.get()) != H5D_CONTIGUOUS || H5Pget_external_count(made.get()) != 0)
    return std::nullopt;
  const haddr_t offset = H5Dget_offset(id_.get());
  if (offset == HADDR_UNDEF) return std::nullopt;
  return offset;
}

void Dataset::require_plain() const {
  enter_library();
  const Handle made = properties();
  if (H5Pget_layout(made.get()) == H5D_VIRTUAL) {
    fail(where_, "use it", "it is a virtual dataset, made of other files");
  }
  if (check(H5Pget_external_count(made.get()), where_, "read its layout") != 0) {
    fail(where_, "use it", "its data are in another file (external storage)");
  }
  for (const Filter& filter : read_filters(made)) {
    check(filter.number, where_, "read its filters");
    if (built_in(filter.number)) continue;
    fail(where_, "use it",
         fmt::format("it is stored with a filter that is not available here ({}{}{})",
                     filter.number, filter.name.empty() ? "" : ", ", filter.name));
  }
  require_inside_file();
}

std::vector<Dataset::Filter> Dataset::read_filters(const Handle& made) const {
  std::vector<Filter> filters(
      static_cast<std::size_t>(check(H5Pget_nfilters(made.get()), where_, "read its filters")));
  for (unsigned i = 0; i < filters.size(); ++i) {
    unsigned flags = 0, config = 0;
    std::size_t values = 0;
    char name[64] = {};
    filters[i].number =
        H5Pget_filter2(made.get(), i, &flags, &values, nullptr, sizeof name, name, &config);
    filters[i].name = name;
  }
  return filters;
}

// A contiguous data set of a file that was cut, or that lies, ends behind the end of the file.
void Dataset::require_inside_file() const {
  const auto offset = contiguous_offset();
  if (!offset) return;
  const Handle type = this->type();
  std::uint64_t end = 0;
  const bool too_large = __builtin_mul_overflow(rows(), row_elements(), &end) ||
                         __builtin_mul_overflow(end, H5Tget_size(type.get()), &end) ||
                         __builtin_add_overflow(end, *offset, &end);
  hsize_t file_bytes = 0;
  const Handle file(check(H5Iget_file_id(id_.get()), where_, "find its file"), H5Fclose);
  check(H5Fget_filesize(file.get(), &file_bytes), where_, "read the file's size");
  if (too_large || end > file_bytes) {
    fail(where_, "use it",
         fmt::format("it extends past the end of the file ({} bytes)", file_bytes));
  }
}

Handle Dataset::rows_selected(std::uint64_t first, std::uint64_t count) const {
  const auto size = extents();
  if (size.empty() ? first + count > 1 : first > size[0] || count > size[0] - first) {
    fail(where_, "reach its rows",
         fmt::format("{} rows from row {} of {} were requested", count, first,
                     size.empty() ? 1 : size[0]));
  }
  Handle space = this->space("select rows");
  if (size.empty()) return space;
  std::vector<hsize_t> start(size.size(), 0), block(size.begin(), size.end());
  start[0] = first;
  block[0] = count;
  check(count == 0 ? H5Sselect_none(space.get())
                   : H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr,
                                         block.data(), nullptr),
        where_, "select rows");
  return space;
}

std::uint64_t Dataset::whole_rows(std::uint64_t elements) const {
  const std::uint64_t row = row_elements();
  if (row == 0) return 0;
  if (elements % row != 0)
    fail(where_, "reach its rows",
         fmt::format("{} elements are not whole rows of {}", elements, row));
  return elements / row;
}

void Dataset::read_rows(std::uint64_t first, Element element, void* into,
                        std::uint64_t count) const {
  enter_library();
  if (count == 0) return;
  const Handle there = rows_selected(first, whole_rows(count));
  const Handle here = flat_space(count);
  check(H5Dread(id_.get(), memory_type(element), here.get(), there.get(), H5P_DEFAULT, into),
        where_, "read");
}

void Dataset::write_elements(std::uint64_t first, Element element, const void* from,
                             std::uint64_t count) {
  enter_library();
  if (count == 0) return;
  const Handle there = rows_selected(first, whole_rows(count));
  const Handle here = flat_space(count);
  check(H5Dwrite(id_.get(), memory_type(element), here.get(), there.get(), H5P_DEFAULT, from),
        where_, "write");
}

}  // namespace benchbench::hdf5
