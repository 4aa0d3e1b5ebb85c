// What lies at a path, by names and first bytes alone, as the formats' descriptions have them.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>

#include "harness/dataset/dataset_need.h"

namespace benchbench {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxLooks = 1000;  // entries of a folder and those below, until one tells

// The first one in the order of the catalogue.
template <class Fits>
const PartDescription* format_where(const Catalog& catalog, const Fits& fits) {
  for (const PartRow& row : catalog.rows())
    if (row.description->kind == PartKind::sample_format && fits(row.description->on_disk))
      return row.description;
  return nullptr;
}

std::string name_or_nothing(const PartDescription* format) {
  return format ? std::string(format->name) : std::string();
}

bool is_one_of(std::string_view extension, std::span<const std::string_view> known) {
  return !extension.empty() && std::ranges::find(known, extension) != known.end();
}

enum class Place { alone, in_folder };

const PartDescription* format_of_name(const fs::path& path, Place place, const Catalog& catalog) {
  const std::string extension = path.extension().string();
  return format_where(catalog, [&](const OnDisk& d) {
    return is_one_of(extension, d.extensions) &&
           (place == Place::in_folder || d.files != FormatFiles::tree_only);
  });
}

const PartDescription* format_of_bytes(std::string_view head, const Catalog& catalog) {
  const auto begins = [&](const OnDisk& d) { return !d.begins || d.begins(head); };
  if (const auto* format = format_where(catalog, [&](const OnDisk& d) {
        return !d.signature.empty() && head.starts_with(d.signature) && begins(d);
      }))
    return format;
  return format_where(
      catalog, [&](const OnDisk& d) { return d.signature.empty() && d.begins && begins(d); });
}

std::string read_head(const fs::path& path) {
  std::string head(512, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  return head;
}

const PartDescription* format_of_file(const fs::path& path, Place place, const Catalog& catalog) {
  if (const auto* format = format_of_name(path, place, catalog)) return format;
  // A pipe would wait for somebody to write.
  std::error_code failed;
  if (!fs::is_regular_file(path, failed)) return nullptr;
  if (const auto* format = format_of_bytes(read_head(path), catalog)) return format;
  const std::string extension = path.extension().string();
  return format_where(catalog,
                      [&](const OnDisk& d) { return is_one_of(extension, d.weak_extensions); });
}

bool may_lie_at(FormatFiles files, int depth) noexcept {
  return files >= FormatFiles::tree || (files == FormatFiles::shards && depth == 0);
}

// The first file, by the way the file system lists them, that tells.
std::string format_inside(const fs::path& folder, const Catalog& catalog) {
  std::error_code failed;
  int looks = 0;
  for (auto at = fs::recursive_directory_iterator(
           folder, fs::directory_options::skip_permission_denied, failed);
       !failed && at != fs::end(at) && looks < kMaxLooks; at.increment(failed), ++looks) {
    if (at->path().filename().string().starts_with(".") || !at->is_regular_file(failed)) continue;
    const PartDescription* format = format_of_file(at->path(), Place::in_folder, catalog);
    if (format && may_lie_at(format->on_disk.files, at.depth())) return name_or_nothing(format);
  }
  return standard_format(&Holds::images, catalog);
}

}  // namespace

std::string detect_format(const std::string& path, const Catalog& catalog) {
  std::error_code error;
  if (!fs::is_directory(path, error))
    return name_or_nothing(format_of_file(path, Place::alone, catalog));
  const PartDescription* marked = format_where(catalog, [&](const OnDisk& d) {
    return !d.folder_marker.empty() && fs::is_regular_file(fs::path(path) / d.folder_marker, error);
  });
  return marked ? name_or_nothing(marked) : format_inside(path, catalog);
}

std::string format_called(const std::string& word, const Catalog& catalog) {
  const PartDescription* format =
      format_where(catalog, [&](const OnDisk& d) { return !word.empty() && d.alias == word; });
  return format ? std::string(format->name) : word;
}

std::string format_of_extension(const std::string& path, const Catalog& catalog) {
  return name_or_nothing(format_of_name(path, Place::alone, catalog));
}

std::string standard_format(bool Holds::* what, const Catalog& catalog) {
  return name_or_nothing(
      format_where(catalog, [&](const OnDisk& d) { return d.standard_of.*what; }));
}

}  // namespace benchbench
