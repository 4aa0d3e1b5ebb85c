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

// Says why a path cannot be opened in the system's words; the library's are a page long.
void require_regular(const Where& where) {
  struct stat about{};
  if (stat(where.text.c_str(), &about) != 0) fail(where, "open", strerrordesc_np(errno));
  if (!S_ISREG(about.st_mode)) fail(where, "open", "it is not a file");
  if (access(where.text.c_str(), R_OK) != 0) fail(where, "open", strerrordesc_np(errno));
}

Handle with_missing_groups() {
  Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(links.get(), 1);
  H5Pset_char_encoding(links.get(), H5T_CSET_UTF8);
  return links;
}

// Properties to create a data set by, all of which is written.
Handle unfilled() {
  Handle made(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_fill_time(made.get(), H5D_FILL_TIME_NEVER);
  return made;
}

Handle space_of(const std::vector<std::uint64_t>& extents, const Where& where) {
  const std::vector<hsize_t> size(extents.begin(), extents.end());
  return Handle(
      check(H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr), where, "create"),
      H5Sclose);
}

H5L_info_t inspect_link(Id file, const std::string& path, const Where& where) {
  H5L_info_t link{};
  check(H5Lget_info(file, path.c_str(), &link, H5P_DEFAULT), where, "inspect it");
  return link;
}

herr_t collect_name(hid_t, const char* name, const H5L_info_t*, void* into) {
  static_cast<std::vector<std::string>*>(into)->emplace_back(name);
  return 0;
}

}  // namespace

File File::open_readonly(const std::string& path, ErrorKind kind, bool metered) {
  enter_library();
  const Where where{path, kind};
  require_regular(where);
  const Handle access = access_without_lock();
  if (metered) H5Pset_driver(access.get(), metered_driver(), nullptr);
  if (H5Fis_hdf5(path.c_str()) == 0) fail(where, "open", "it is not an HDF5 file");
  return {
      Handle(check(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()), where, "open"), H5Fclose),
      where};
}

File File::create(const std::string& path, ErrorKind kind, Format format) {
  enter_library();
  const Where where{path, kind};
  const Handle access = access_without_lock();
  if (format == Format::newest)
    H5Pset_libver_bounds(access.get(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  return {Handle(check(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), where,
                       "create"),
                 H5Fclose),
          where};
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
  const Handle opened(check(H5Gopen2(id_.get(), group.c_str(), H5P_DEFAULT), at(group), "open"),
                      H5Gclose);
  std::vector<std::string> found;
  hsize_t next = 0;
  check(H5Literate(opened.get(), H5_INDEX_NAME, H5_ITER_INC, &next, collect_name, &found),
        at(group), "list");
  return found;
}

std::vector<File::Entry> File::entries(const std::string& group) const {
  std::vector<Entry> found;
  for (const std::string& name : names(group)) {
    const std::string path = (group == "/" ? group : group + "/") + name;
    const H5L_info_t link = inspect_link(id_.get(), path, at(path));
    if (link.type != H5L_TYPE_HARD) continue;
    const Handle object(check(H5Oopen(id_.get(), path.c_str(), H5P_DEFAULT), at(path), "open"),
                        H5Oclose);
    const H5I_type_t type = H5Iget_type(object.get());
    if (type == H5I_GROUP || type == H5I_DATASET)
      found.push_back({name, type == H5I_GROUP, link.u.address});
  }
  return found;
}

File::Addresses File::addresses() const {
  enter_library();
  const Handle made(check(H5Fget_create_plist(id_.get()), where_, "read its layout"), H5Pclose);
  std::size_t address = 0, size = 0;
  hsize_t base = 0;
  check(H5Pget_sizes(made.get(), &address, &size), where_, "read its layout");
  check(H5Pget_userblock(made.get(), &base), where_, "read its layout");
  return {address, base};
}

void File::require_hard_links(const std::string& name) const {
  for (std::size_t end = name.find('/', 1);; end = name.find('/', end + 1)) {
    const std::string step = name.substr(0, end);
    if (H5Lexists(id_.get(), step.c_str(), H5P_DEFAULT) <= 0) {
      fail(where_, fmt::format("open {}", name), fmt::format("it has no {}", step));
    }
    if (inspect_link(id_.get(), step, at(step)).type != H5L_TYPE_HARD) {
      fail(at(step), "use it", "it is a soft or external link, which may point to another file");
    }
    if (end == std::string::npos) return;
  }
}

Dataset File::dataset(const std::string& name) const {
  enter_library();
  require_hard_links(name);
  return {Handle(check(H5Dopen2(id_.get(), name.c_str(), H5P_DEFAULT), at(name), "open"), H5Dclose),
          at(name)};
}

Dataset File::create(const std::string& name, Id type, Id space, Id properties) {
  const Handle links = with_missing_groups();
  return {Handle(check(H5Dcreate2(id_.get(), name.c_str(), type, space, links.get(), properties,
                                  H5P_DEFAULT),
                       at(name), "create"),
                 H5Dclose),
          at(name)};
}

Dataset File::create_contiguous(const std::string& name, Element element,
                                const std::vector<std::uint64_t>& extents) {
  enter_library();
  const Handle made = unfilled();
  H5Pset_alloc_time(made.get(), H5D_ALLOC_TIME_EARLY);
  return create(name, memory_type(element), space_of(extents, at(name)).get(), made.get());
}

Dataset File::create_row_chunks(const std::string& name, Element element,
                                const std::vector<std::uint64_t>& extents,
                                std::optional<unsigned> gzip_level) {
  enter_library();
  std::vector<hsize_t> chunk(extents.begin(), extents.end());
  chunk.at(0) = 1;
  const Handle made = unfilled();
  check(H5Pset_chunk(made.get(), static_cast<int>(chunk.size()), chunk.data()), at(name), "create");
  if (gzip_level)
    check(H5Pset_deflate(made.get(), *gzip_level), at(name), "create");
  else
    H5Pset_alloc_time(made.get(), H5D_ALLOC_TIME_EARLY);
  return create(name, memory_type(element), space_of(extents, at(name)).get(), made.get());
}

namespace {

std::vector<const char*> pointers_to(std::span<const std::string> values) {
  std::vector<const char*> pointers;
  pointers.reserve(values.size());
  for (const auto& value : values) pointers.push_back(value.c_str());
  return pointers;
}

std::string padded(std::span<const std::string> values, std::size_t width, const Where& where) {
  std::string all(values.size() * width, '\0');
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i].size() > width) {
      fail(where, "write", fmt::format("\"{}\" is longer than {} bytes", values[i], width));
    }
    values[i].copy(all.data() + i * width, width);
  }
  return all;
}

}  // namespace

Dataset File::write_text(const std::string& name, std::span<const std::string> values,
                         std::size_t width) {
  enter_library();
  return write_text_in(name, space_of({values.size()}, at(name)), values, width);
}

Dataset File::write_text(const std::string& name, const std::string& value) {
  enter_library();
  const Handle space(check(H5Screate(H5S_SCALAR), at(name), "create"), H5Sclose);
  return write_text_in(name, space, {&value, 1}, 0);
}

Dataset File::write_text_in(const std::string& name, const Handle& space,
                            std::span<const std::string> values, std::size_t width) {
  const Handle type = text_type(width);
  Dataset made = create(name, type.get(), space.get(), H5P_DEFAULT);
  const auto write = [&](const void* from) {
    check(H5Dwrite(made.id_.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, from), at(name),
          "write");
  };
  if (values.empty()) return made;
  if (width)
    write(padded(values, width, at(name)).data());
  else
    write(pointers_to(values).data());
  return made;
}

void File::close() {
  enter_library();
  check(H5Fflush(id_.get(), H5F_SCOPE_GLOBAL), where_, "write");
  check(id_.reset(), where_, "close");
}

}  // namespace benchbench::hdf5
