#include "harness/hdf5/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/hdf5/call.h"
#include "harness/hdf5/probing_driver.h"

namespace benchbench::hdf5 {
namespace {

// The library's own lock fails on read-only and network file systems; a run folder has a lock of
// its own.
Handle access_without_lock() {
  Handle access(H5Pcreate(H5P_FILE_ACCESS), close_properties);
  H5Pset_file_locking(access.get(), false, true);
  H5Pset_fclose_degree(access.get(), H5F_CLOSE_WEAK);
  return access;
}

// Says why a path cannot be opened in the system's words; the library's are a page long.
void require_regular(const std::string& path, ErrorKind kind) {
  struct stat about{};
  if (stat(path.c_str(), &about) != 0) fail(kind, path, "open", strerrordesc_np(errno));
  if (!S_ISREG(about.st_mode)) fail(kind, path, "open", "it is not a file");
  if (access(path.c_str(), R_OK) != 0) fail(kind, path, "open", strerrordesc_np(errno));
}

Handle with_missing_groups() {
  Handle links(H5Pcreate(H5P_LINK_CREATE), close_properties);
  H5Pset_create_intermediate_group(links.get(), 1);
  H5Pset_char_encoding(links.get(), H5T_CSET_UTF8);
  return links;
}

herr_t collect_name(hid_t, const char* name, const H5L_info_t*, void* into) {
  static_cast<std::vector<std::string>*>(into)->emplace_back(name);
  return 0;
}

}  // namespace

File::File(Handle id, std::string path, ErrorKind kind)
    : id_(std::move(id)), path_(std::move(path)), kind_(kind) {}

File File::open_readonly(const std::string& path, ErrorKind kind) {
  return open(path, kind, false);
}
File File::open_metered(const std::string& path, ErrorKind kind) { return open(path, kind, true); }

File File::open(const std::string& path, ErrorKind kind, bool metered) {
  enter_library();
  require_regular(path, kind);
  const Handle access = access_without_lock();
  if (metered) H5Pset_driver(access.get(), metered_driver(), nullptr);
  if (H5Fis_hdf5(path.c_str()) == 0) fail(kind, path, "open", "it is not an HDF5 file");
  const hid_t id = check(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()), kind, path, "open");
  return File(Handle(id, close_file), path, kind);
}

File File::create(const std::string& path, ErrorKind kind, Format format) {
  enter_library();
  const Handle access = access_without_lock();
  if (format == Format::newest)
    H5Pset_libver_bounds(access.get(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  const hid_t id = check(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), kind,
                         path, "create");
  return File(Handle(id, close_file), path, kind);
}

bool File::has(const std::string& name) const {
  enter_library();
  for (std::size_t slash = name.find('/', 1); slash != std::string::npos;
       slash = name.find('/', slash + 1)) {
    if (H5Lexists(id_.get(), name.substr(0, slash).c_str(), H5P_DEFAULT) <= 0) return false;
  }
  return H5Lexists(id_.get(), name.c_str(), H5P_DEFAULT) > 0;
}

std::vector<std::string> File::names(const std::string& group) const {
  enter_library();
  if (group != "/") require_hard_links(group);
  const Handle opened(
      check(H5Gopen2(id_.get(), group.c_str(), H5P_DEFAULT), kind_, where(group), "open"),
      close_group);
  std::vector<std::string> found;
  hsize_t at = 0;
  check(H5Literate(opened.get(), H5_INDEX_NAME, H5_ITER_INC, &at, collect_name, &found), kind_,
        where(group), "list");
  return found;
}

std::vector<File::Entry> File::entries(const std::string& group) const {
  std::vector<Entry> found;
  for (const std::string& name : names(group)) {
    const std::string path = (group == "/" ? group : group + "/") + name;
    H5L_info_t link{};
    check(H5Lget_info(id_.get(), path.c_str(), &link, H5P_DEFAULT), kind_, where(path),
          "inspect it");
    if (link.type != H5L_TYPE_HARD) continue;
    const Handle object(
        check(H5Oopen(id_.get(), path.c_str(), H5P_DEFAULT), kind_, where(path), "open"),
        close_object);
    const H5I_type_t type = H5Iget_type(object.get());
    if (type == H5I_GROUP || type == H5I_DATASET)
      found.push_back({name, type == H5I_GROUP, link.u.address});
  }
  return found;
}

File::Addresses File::addresses() const {
  enter_library();
  const Handle made(check(H5Fget_create_plist(id_.get()), kind_, path_, "read its layout"),
                    close_properties);
  std::size_t address = 0, size = 0;
  hsize_t base = 0;
  check(H5Pget_sizes(made.get(), &address, &size), kind_, path_, "read its layout");
  check(H5Pget_userblock(made.get(), &base), kind_, path_, "read its layout");
  return {address, base};
}

void File::require_hard_links(const std::string& name) const {
  for (std::size_t end = name.find('/', 1);; end = name.find('/', end + 1)) {
    const std::string step = name.substr(0, end);
    if (H5Lexists(id_.get(), step.c_str(), H5P_DEFAULT) <= 0) {
      fail(kind_, path_, fmt::format("open {}", name), fmt::format("it has no {}", step));
    }
    H5L_info_t link{};
    check(H5Lget_info(id_.get(), step.c_str(), &link, H5P_DEFAULT), kind_, where(step),
          "inspect it");
    if (link.type != H5L_TYPE_HARD) {
      fail(kind_, where(step), "use it",
           "it is a soft or external link, which may point to another file");
    }
    if (end == std::string::npos) return;
  }
}

Dataset File::dataset(const std::string& name) const {
  enter_library();
  require_hard_links(name);
  const hid_t id =
      check(H5Dopen2(id_.get(), name.c_str(), H5P_DEFAULT), kind_, where(name), "open");
  return Dataset(Handle(id, close_dataset), where(name), kind_);
}

Dataset File::create_contiguous(const std::string& name, Element element,
                                const std::vector<std::uint64_t>& extents) {
  enter_library();
  const std::vector<hsize_t> size(extents.begin(), extents.end());
  const Handle space(check(H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr),
                           kind_, where(name), "create"),
                     close_space);
  const Handle made(H5Pcreate(H5P_DATASET_CREATE), close_properties);
  H5Pset_alloc_time(made.get(), H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(made.get(), H5D_FILL_TIME_NEVER);
  const Handle links = with_missing_groups();
  const hid_t id = check(H5Dcreate2(id_.get(), name.c_str(), memory_type(element), space.get(),
                                    links.get(), made.get(), H5P_DEFAULT),
                         kind_, where(name), "create");
  return Dataset(Handle(id, close_dataset), where(name), kind_);
}

Dataset File::create_row_chunks(const std::string& name, Element element,
                                const std::vector<std::uint64_t>& extents,
                                std::optional<unsigned> gzip_level) {
  enter_library();
  const std::vector<hsize_t> size(extents.begin(), extents.end());
  std::vector<hsize_t> chunk = size;
  chunk.at(0) = 1;
  const int rank = static_cast<int>(size.size());
  const Handle space(
      check(H5Screate_simple(rank, size.data(), nullptr), kind_, where(name), "create"),
      close_space);
  const Handle made(H5Pcreate(H5P_DATASET_CREATE), close_properties);
  check(H5Pset_chunk(made.get(), rank, chunk.data()), kind_, where(name), "create");
  if (gzip_level)
    check(H5Pset_deflate(made.get(), *gzip_level), kind_, where(name), "create");
  else
    H5Pset_alloc_time(made.get(), H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(made.get(), H5D_FILL_TIME_NEVER);
  const Handle links = with_missing_groups();
  const hid_t id = check(H5Dcreate2(id_.get(), name.c_str(), memory_type(element), space.get(),
                                    links.get(), made.get(), H5P_DEFAULT),
                         kind_, where(name), "create");
  return Dataset(Handle(id, close_dataset), where(name), kind_);
}

Dataset File::create_extendible(const std::string& name, Element element, std::uint64_t chunk_rows,
                                const std::vector<std::uint64_t>& row) {
  enter_library();
  std::vector<hsize_t> size{0}, max{H5S_UNLIMITED}, chunk{chunk_rows};
  for (auto* extents : {&size, &max, &chunk})
    extents->insert(extents->end(), row.begin(), row.end());
  const Handle space(check(H5Screate_simple(static_cast<int>(size.size()), size.data(), max.data()),
                           kind_, where(name), "create"),
                     close_space);
  const Handle made(H5Pcreate(H5P_DATASET_CREATE), close_properties);
  check(H5Pset_chunk(made.get(), static_cast<int>(chunk.size()), chunk.data()), kind_, where(name),
        "create");
  const Handle links = with_missing_groups();
  const hid_t id = check(H5Dcreate2(id_.get(), name.c_str(), memory_type(element), space.get(),
                                    links.get(), made.get(), H5P_DEFAULT),
                         kind_, where(name), "create");
  return Dataset(Handle(id, close_dataset), where(name), kind_);
}

namespace {

std::vector<const char*> pointers_to(std::span<const std::string> values) {
  std::vector<const char*> pointers;
  pointers.reserve(values.size());
  for (const auto& value : values) pointers.push_back(value.c_str());
  return pointers;
}

std::string padded(std::span<const std::string> values, std::size_t width, ErrorKind kind,
                   const std::string& where) {
  std::string all(values.size() * width, '\0');
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i].size() > width) {
      fail(kind, where, "write", fmt::format("\"{}\" is longer than {} bytes", values[i], width));
    }
    values[i].copy(all.data() + i * width, width);
  }
  return all;
}

}  // namespace

Dataset File::write_text(const std::string& name, std::span<const std::string> values,
                         std::size_t width) {
  enter_library();
  const hsize_t extent = values.size();
  const Handle space(check(H5Screate_simple(1, &extent, nullptr), kind_, where(name), "create"),
                     close_space);
  return write_text_in(name, space, values, width);
}

Dataset File::write_text(const std::string& name, const std::string& value) {
  enter_library();
  const Handle space(check(H5Screate(H5S_SCALAR), kind_, where(name), "create"), close_space);
  return write_text_in(name, space, {&value, 1}, 0);
}

Dataset File::write_text_in(const std::string& name, const Handle& space,
                            std::span<const std::string> values, std::size_t width) {
  const Handle type = text_type(width), links = with_missing_groups();
  Handle id(check(H5Dcreate2(id_.get(), name.c_str(), type.get(), space.get(), links.get(),
                             H5P_DEFAULT, H5P_DEFAULT),
                  kind_, where(name), "create"),
            close_dataset);
  if (values.empty()) return Dataset(std::move(id), where(name), kind_);
  const auto pointers = width ? std::vector<const char*>{} : pointers_to(values);
  const std::string bytes = width ? padded(values, width, kind_, where(name)) : std::string{};
  const void* from = width ? static_cast<const void*>(bytes.data()) : pointers.data();
  check(H5Dwrite(id.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, from), kind_, where(name),
        "write");
  return Dataset(std::move(id), where(name), kind_);
}

void File::set_attribute(const std::string& name, std::string_view text) {
  enter_library();
  write_text_attribute(id_.get(), kind_, path_, name, text);
}

void File::set_attribute(const std::string& name, std::int64_t value) {
  enter_library();
  write_attribute(id_.get(), kind_, path_, name, H5T_NATIVE_INT64, &value);
}

std::optional<std::string> File::text_attribute(const std::string& name) const {
  enter_library();
  return read_text_attribute(id_.get(), kind_, path_, name);
}

void File::close() {
  enter_library();
  check(H5Fflush(id_.get(), H5F_SCOPE_GLOBAL), kind_, path_, "write");
  check(id_.reset(), kind_, path_, "close");
}

}  // namespace benchbench::hdf5
