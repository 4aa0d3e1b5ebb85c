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

void fail(ErrorKind kind, const std::string& where, std::string_view doing, std::string_view why) {
  const bool full = why.find("errno = 28") != std::string_view::npos;
  throw Hdf5Error(kind, fmt::format("{}: cannot {}: {}", where, doing, why),
                  full ? "no space left on the device: free some, or write elsewhere" : "");
}

int close_file(Id id) { return H5Fclose(id); }
int close_dataset(Id id) { return H5Dclose(id); }
int close_space(Id id) { return H5Sclose(id); }
int close_type(Id id) { return H5Tclose(id); }
int close_properties(Id id) { return H5Pclose(id); }
int close_attribute(Id id) { return H5Aclose(id); }
int close_group(Id id) { return H5Gclose(id); }
int close_object(Id id) { return H5Oclose(id); }

hid_t memory_type(Element element) {
  switch (element) {
    case Element::uint8:
      return H5T_NATIVE_UINT8;
    case Element::int32:
      return H5T_NATIVE_INT32;
    case Element::uint32:
      return H5T_NATIVE_UINT32;
    case Element::int64:
      return H5T_NATIVE_INT64;
    case Element::uint64:
      return H5T_NATIVE_UINT64;
    case Element::float64:
      return H5T_NATIVE_DOUBLE;
    case Element::int16:
      return H5T_NATIVE_INT16;
    case Element::uint16:
      return H5T_NATIVE_UINT16;
    case Element::float32:
      return H5T_NATIVE_FLOAT;
    case Element::text:
      break;
  }
  return H5I_INVALID_HID;
}

Handle text_type(std::size_t width) {
  Handle type(H5Tcopy(H5T_C_S1), close_type);
  H5Tset_size(type.get(), width ? width : H5T_VARIABLE);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  H5Tset_strpad(type.get(), width ? H5T_STR_NULLPAD : H5T_STR_NULLTERM);
  return type;
}

void write_attribute(Id object, ErrorKind kind, const std::string& where, const std::string& name,
                     hid_t type, const void* value) {
  const std::string doing = fmt::format("write attribute {}", name);
  const Handle space(check(H5Screate(H5S_SCALAR), kind, where, doing), close_space);
  const Handle attribute(
      check(H5Acreate2(object, name.c_str(), type, space.get(), H5P_DEFAULT, H5P_DEFAULT), kind,
            where, doing),
      close_attribute);
  check(H5Awrite(attribute.get(), type, value), kind, where, doing);
}

void write_text_attribute(Id object, ErrorKind kind, const std::string& where,
                          const std::string& name, std::string_view text) {
  const std::string owned(text);
  const char* pointer = owned.c_str();
  const Handle type = text_type(0);
  write_attribute(object, kind, where, name, type.get(), &pointer);
}

namespace {

// Not valid where there is none, or it has several values.
Handle open_single_attribute(Id object, ErrorKind kind, const std::string& where,
                             const std::string& name, const std::string& doing) {
  if (check(H5Aexists(object, name.c_str()), kind, where, doing) == 0) return {};
  Handle attribute(check(H5Aopen(object, name.c_str(), H5P_DEFAULT), kind, where, doing),
                   close_attribute);
  const Handle space(check(H5Aget_space(attribute.get()), kind, where, doing), close_space);
  return H5Sget_simple_extent_npoints(space.get()) == 1 ? std::move(attribute) : Handle{};
}

}  // namespace

std::optional<std::int64_t> read_integer_attribute(Id object, ErrorKind kind,
                                                   const std::string& where,
                                                   const std::string& name) {
  const std::string doing = fmt::format("read attribute {}", name);
  const Handle attribute = open_single_attribute(object, kind, where, name, doing);
  if (!attribute.valid()) return std::nullopt;
  const Handle stored(check(H5Aget_type(attribute.get()), kind, where, doing), close_type);
  if (H5Tget_class(stored.get()) != H5T_INTEGER) return std::nullopt;
  std::int64_t value = 0;
  check(H5Aread(attribute.get(), H5T_NATIVE_INT64, &value), kind, where, doing);
  return value;
}

std::optional<std::string> read_text_attribute(Id object, ErrorKind kind, const std::string& where,
                                               const std::string& name) {
  const std::string doing = fmt::format("read attribute {}", name);
  const Handle attribute = open_single_attribute(object, kind, where, name, doing);
  if (!attribute.valid()) return std::nullopt;
  const Handle stored(check(H5Aget_type(attribute.get()), kind, where, doing), close_type);
  if (H5Tget_class(stored.get()) != H5T_STRING) return std::nullopt;
  if (H5Tis_variable_str(stored.get()) <= 0) {
    std::string text(H5Tget_size(stored.get()), '\0');
    check(H5Aread(attribute.get(), stored.get(), text.data()), kind, where, doing);
    return std::string(text.c_str());
  }
  char* pointer = nullptr;
  check(H5Aread(attribute.get(), stored.get(), &pointer), kind, where, doing);
  std::string text(pointer ? pointer : "");
  if (pointer) H5free_memory(pointer);
  return text;
}

}  // namespace benchbench::hdf5
