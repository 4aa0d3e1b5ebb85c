#include "harness/hdf5/dataset.h"

#include <fmt/format.h>

#include <cstring>

#include "harness/hdf5/call.h"

namespace benchbench::hdf5 {
namespace {

constexpr Element kNumbers[] = {Element::uint8, Element::int32,  Element::uint32,
                                Element::int64, Element::uint64, Element::float64,
                                Element::int16, Element::uint16, Element::float32};

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

Dataset::Dataset(Handle id, std::string where, ErrorKind kind)
    : id_(std::move(id)), where_(std::move(where)), kind_(kind) {}

std::vector<std::uint64_t> Dataset::extents() const {
  enter_library();
  const Handle space(check(H5Dget_space(id_.get()), kind_, where_, "read its size"), close_space);
  const int rank = check(H5Sget_simple_extent_ndims(space.get()), kind_, where_, "read its size");
  std::vector<hsize_t> extents(static_cast<std::size_t>(rank));
  check(H5Sget_simple_extent_dims(space.get(), extents.data(), nullptr), kind_, where_,
        "read its size");
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
      fail(kind_, where_, "read its size", "its size is not plausible");
  }
  return product;
}

std::optional<Element> Dataset::element() const {
  enter_library();
  const Handle type(check(H5Dget_type(id_.get()), kind_, where_, "read its type"), close_type);
  if (H5Tget_class(type.get()) == H5T_STRING) return Element::text;
  for (const Element element : kNumbers) {
    if (H5Tequal(type.get(), memory_type(element)) > 0) return element;
  }
  return std::nullopt;
}

Variable Dataset::variable() const {
  enter_library();
  const Handle type(check(H5Dget_type(id_.get()), kind_, where_, "read its type"), close_type);
  if (H5Tget_class(type.get()) == H5T_STRING)
    return H5Tis_variable_str(type.get()) > 0 ? Variable::text : Variable::none;
  if (H5Tget_class(type.get()) != H5T_VLEN) return Variable::none;
  const Handle of(check(H5Tget_super(type.get()), kind_, where_, "read its type"), close_type);
  return H5Tget_class(of.get()) == H5T_INTEGER && H5Tget_size(of.get()) == 1 ? Variable::bytes
                                                                             : Variable::other;
}

std::optional<std::uint64_t> Dataset::opaque_bytes() const {
  enter_library();
  const Handle type(check(H5Dget_type(id_.get()), kind_, where_, "read its type"), close_type);
  if (H5Tget_class(type.get()) != H5T_OPAQUE) return std::nullopt;
  return H5Tget_size(type.get());
}

std::optional<std::uint64_t> Dataset::contiguous_offset() const {
  enter_library();
  const Handle made(check(H5Dget_create_plist(id_.get()), kind_, where_, "read its layout"),
                    close_properties);
  if (H5Pget_layout(made.get()) != H5D_CONTIGUOUS || H5Pget_external_count(made.get()) != 0)
    return std::nullopt;
  const haddr_t offset = H5Dget_offset(id_.get());
  if (offset == HADDR_UNDEF) return std::nullopt;
  return offset;
}

void Dataset::require_plain() const {
  enter_library();
  const Handle made(check(H5Dget_create_plist(id_.get()), kind_, where_, "read its layout"),
                    close_properties);
  if (H5Pget_layout(made.get()) == H5D_VIRTUAL) {
    fail(kind_, where_, "use it", "it is a virtual dataset, made of other files");
  }
  if (check(H5Pget_external_count(made.get()), kind_, where_, "read its layout") != 0) {
    fail(kind_, where_, "use it", "its data are in another file (external storage)");
  }
  const int filters = check(H5Pget_nfilters(made.get()), kind_, where_, "read its filters");
  for (int i = 0; i < filters; ++i) {
    unsigned flags = 0, config = 0;
    std::size_t values = 0;
    char name[64] = {};
    const auto filter = H5Pget_filter2(made.get(), static_cast<unsigned>(i), &flags, &values,
                                       nullptr, sizeof name, name, &config);
    check(static_cast<int>(filter), kind_, where_, "read its filters");
    if (built_in(filter)) continue;
    fail(kind_, where_, "use it",
         fmt::format("it is stored with a filter that is not available here ({}{}{})",
                     static_cast<int>(filter), *name ? ", " : "", name));
  }
  require_inside_file();
}

// A contiguous data set of a file that was cut, or that lies, ends behind the end of the file.
void Dataset::require_inside_file() const {
  const auto offset = contiguous_offset();
  if (!offset) return;
  const Handle type(check(H5Dget_type(id_.get()), kind_, where_, "read its type"), close_type);
  std::uint64_t end = 0;
  const bool too_large = __builtin_mul_overflow(rows(), row_elements(), &end) ||
                         __builtin_mul_overflow(end, H5Tget_size(type.get()), &end) ||
                         __builtin_add_overflow(end, *offset, &end);
  hsize_t file_bytes = 0;
  const Handle file(check(H5Iget_file_id(id_.get()), kind_, where_, "find its file"), close_file);
  check(H5Fget_filesize(file.get(), &file_bytes), kind_, where_, "read the file's size");
  if (too_large || end > file_bytes) {
    fail(kind_, where_, "use it",
         fmt::format("it extends past the end of the file ({} bytes)", file_bytes));
  }
}

Handle Dataset::rows_selected(std::uint64_t first, std::uint64_t count) const {
  const auto size = extents();
  if (size.empty() ? first + count > 1 : first > size[0] || count > size[0] - first) {
    fail(kind_, where_, "reach its rows",
         fmt::format("{} rows from row {} of {} were requested", count, first,
                     size.empty() ? 1 : size[0]));
  }
  Handle space(check(H5Dget_space(id_.get()), kind_, where_, "select rows"), close_space);
  if (size.empty()) return space;
  std::vector<hsize_t> start(size.size(), 0), block(size.begin(), size.end());
  start[0] = first;
  block[0] = count;
  if (count == 0) {
    check(H5Sselect_none(space.get()), kind_, where_, "select rows");
  } else {
    check(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, block.data(),
                              nullptr),
          kind_, where_, "select rows");
  }
  return space;
}

namespace {

std::uint64_t whole_rows(const Dataset& dataset, ErrorKind kind, std::uint64_t count) {
  const std::uint64_t row = dataset.row_elements();
  if (row == 0) return 0;
  if (count % row != 0) {
    fail(kind, dataset.where(), "reach its rows",
         fmt::format("{} elements are not whole rows of {}", count, row));
  }
  return count / row;
}

Handle flat_space(std::uint64_t count) {
  const hsize_t extent = count;
  return Handle(H5Screate_simple(1, &extent, nullptr), close_space);
}

}  // namespace

void Dataset::read_rows(std::uint64_t first, Element element, void* into,
                        std::uint64_t count) const {
  enter_library();
  if (count == 0) return;
  const Handle there = rows_selected(first, whole_rows(*this, kind_, count));
  const Handle here = flat_space(count);
  check(H5Dread(id_.get(), memory_type(element), here.get(), there.get(), H5P_DEFAULT, into), kind_,
        where_, "read");
}

void Dataset::write_rows(std::uint64_t first, Element element, const void* from,
                         std::uint64_t count) {
  enter_library();
  if (count == 0) return;
  const Handle there = rows_selected(first, whole_rows(*this, kind_, count));
  const Handle here = flat_space(count);
  check(H5Dwrite(id_.get(), memory_type(element), here.get(), there.get(), H5P_DEFAULT, from),
        kind_, where_, "write");
}

void Dataset::grow(std::uint64_t rows) {
  enter_library();
  const auto size = extents();
  std::vector<hsize_t> wanted(size.begin(), size.end());
  if (wanted.empty()) fail(kind_, where_, "make it longer", "it is a single value");
  wanted[0] = rows;
  check(H5Dset_extent(id_.get(), wanted.data()), kind_, where_, "make it longer");
}

void Dataset::set_attribute(const std::string& name, std::string_view text) {
  enter_library();
  write_text_attribute(id_.get(), kind_, where_, name, text);
}

void Dataset::set_attribute(const std::string& name, double value) {
  enter_library();
  write_attribute(id_.get(), kind_, where_, name, H5T_NATIVE_DOUBLE, &value);
}

void Dataset::set_attribute(const std::string& name, std::int64_t value) {
  enter_library();
  write_attribute(id_.get(), kind_, where_, name, H5T_NATIVE_INT64, &value);
}

std::optional<std::string> Dataset::text_attribute(const std::string& name) const {
  enter_library();
  return read_text_attribute(id_.get(), kind_, where_, name);
}

std::optional<std::int64_t> Dataset::integer_attribute(const std::string& name) const {
  enter_library();
  return read_integer_attribute(id_.get(), kind_, where_, name);
}

}  // namespace benchbench::hdf5
