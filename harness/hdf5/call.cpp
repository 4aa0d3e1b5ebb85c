#include "harness/hdf5/call.h"

#include <fmt/format.h>

#include "harness/hdf5/file.h"

namespace benchbench::hdf5 {
namespace {

bool set_up_once() {
  // Its exit handler crashed in 23 of 97 runs on a full disk; handles close what they hold
  // themselves.
  H5dont_atexit();
  H5open();
  // A file can name a filter, and the library would load whatever shared object HDF5_PLUGIN_PATH
  // holds for it.
  H5PLset_loading_state(0);
  return true;
}

struct StackEnds {
  std::string outer, inner;
};

// Descriptions come from the library and may hold line breaks and trailing blanks.
std::string one_line(const char* text) {
  std::string line(text ? text : "");
  for (char& c : line) c = c == '\n' || c == '\r' || c == '\t' ? ' ' : c;
  while (!line.empty() && (line.back() == ' ' || line.back() == '.')) line.pop_back();
  return line;
}

herr_t keep_ends(unsigned n, const H5E_error2_t* error, void* into) {
  auto& ends = *static_cast<StackEnds*>(into);
  const std::string text = one_line(error->desc);
  if (n == 0) ends.outer = fmt::format("{}: {}", error->func_name ? error->func_name : "?", text);
  ends.inner = text;
  return 0;
}

}  // namespace

void enter_library() {
  static const bool set_up = set_up_once();
  (void)set_up;
  thread_local const bool quiet = H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr) >= 0;
  (void)quiet;
}

bool library_is_thread_safe() {
  enter_library();
  hbool_t safe = false;
  return H5is_library_threadsafe(&safe) >= 0 && safe;
}

void require_thread_safe(ErrorKind kind, const std::string& where, bool safe) {
  if (safe) return;
  throw Hdf5Error(kind,
                  fmt::format("{}: it must be read by the HDF5 library, and this build of the "
                              "library is not thread-safe",
                              where),
                  "use a library built with --enable-threadsafe, or contiguous data "
                  "(hdf5_contiguous), which is read without it");
}

std::string error_line() {
  StackEnds ends;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, keep_ends, &ends);
  H5Eclear2(H5E_DEFAULT);
  if (ends.outer.empty()) return "the HDF5 library gives no reason";
  return ends.outer.ends_with(ends.inner) ? ends.outer
                                          : fmt::format("{} ({})", ends.outer, ends.inner);
}

void fail(const Where& where, std::string_view doing, std::string_view why) {
  const bool full = why.find("errno = 28") != std::string_view::npos;
  throw Hdf5Error(where.kind, fmt::format("{}: cannot {}: {}", where.text, doing, why),
                  full ? "no space left on the device: free some, or write elsewhere" : "");
}

Handle access_without_lock() {
  Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_file_locking(access.get(), false, true);
  H5Pset_fclose_degree(access.get(), H5F_CLOSE_WEAK);
  return access;
}

hid_t memory_type(Element element) {
  // In the order of Element.
  static const hid_t types[] = {
      H5T_NATIVE_UINT8,  H5T_NATIVE_INT32, H5T_NATIVE_UINT32, H5T_NATIVE_INT64,  H5T_NATIVE_UINT64,
      H5T_NATIVE_DOUBLE, H5I_INVALID_HID,  H5T_NATIVE_INT16,  H5T_NATIVE_UINT16, H5T_NATIVE_FLOAT};
  return types[static_cast<std::size_t>(element)];
}

Handle flat_space(std::uint64_t elements) {
  const hsize_t extent = elements;
  return Handle(H5Screate_simple(1, &extent, nullptr), H5Sclose);
}

Handle text_type(std::size_t width) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.get(), width ? width : H5T_VARIABLE);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  H5Tset_strpad(type.get(), width ? H5T_STR_NULLPAD : H5T_STR_NULLTERM);
  return type;
}

namespace {

void write_attribute(Id object, const Where& where, const std::string& name, hid_t type,
                     const void* value) {
  const std::string doing = fmt::format("write attribute {}", name);
  const Handle space(check(H5Screate(H5S_SCALAR), where, doing), H5Sclose);
  const Handle attribute(
      check(H5Acreate2(object, name.c_str(), type, space.get(), H5P_DEFAULT, H5P_DEFAULT), where,
            doing),
      H5Aclose);
  check(H5Awrite(attribute.get(), type, value), where, doing);
}

struct Attribute {
  Handle id, type;
  std::string doing;  // for messages

  void read(hid_t as, void* into, const Where& where) const {
    check(H5Aread(id.get(), as, into), where, doing);
  }
};
// Nothing where there is none of this class, or it has several values.
std::optional<Attribute> open_attribute(Id object, const Where& where, const std::string& name,
                                        H5T_class_t wanted) {
  enter_library();
  std::string doing = fmt::format("read attribute {}", name);
  if (check(H5Aexists(object, name.c_str()), where, doing) == 0) return std::nullopt;
  Handle id(check(H5Aopen(object, name.c_str(), H5P_DEFAULT), where, doing), H5Aclose);
  const Handle space(check(H5Aget_space(id.get()), where, doing), H5Sclose);
  if (H5Sget_simple_extent_npoints(space.get()) != 1) return std::nullopt;
  Handle type(check(H5Aget_type(id.get()), where, doing), H5Tclose);
  if (H5Tget_class(type.get()) != wanted) return std::nullopt;
  return Attribute{std::move(id), std::move(type), std::move(doing)};
}

}  // namespace

void Object::set_attribute(const std::string& name, std::string_view text) {
  enter_library();
  const std::string owned(text);
  const char* pointer = owned.c_str();
  write_attribute(id_.get(), where_, name, text_type(0).get(), &pointer);
}

void Object::set_attribute(const std::string& name, std::int64_t value) {
  enter_library();
  write_attribute(id_.get(), where_, name, H5T_NATIVE_INT64, &value);
}

std::optional<std::int64_t> Object::integer_attribute(const std::string& name) const {
  const auto attribute = open_attribute(id_.get(), where_, name, H5T_INTEGER);
  if (!attribute) return std::nullopt;
  std::int64_t value = 0;
  attribute->read(H5T_NATIVE_INT64, &value, where_);
  return value;
}

std::optional<std::string> Object::text_attribute(const std::string& name) const {
  const auto attribute = open_attribute(id_.get(), where_, name, H5T_STRING);
  if (!attribute) return std::nullopt;
  const Id type = attribute->type.get();
  if (H5Tis_variable_str(type) <= 0) {
    std::string text(H5Tget_size(type), '\0');
    attribute->read(type, text.data(), where_);
    return std::string(text.c_str());
  }
  char* pointer = nullptr;
  attribute->read(type, &pointer, where_);
  std::string text(pointer ? pointer : "");
  if (pointer) H5free_memory(pointer);
  return text;
}

}  // namespace benchbench::hdf5
