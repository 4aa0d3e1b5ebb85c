#include "scenarios/formats/folder_scan.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "harness/core/error.h"
#include "harness/core/kernel_files.h"
#include "harness/core/spelling.h"
#include "harness/core/units.h"
#include "harness/part/sample_format.h"
#include "scenarios/formats/ignored_files.h"
#include "scenarios/formats/remark.h"

namespace benchbench {
namespace {

constexpr int kDeepest = 64;
constexpr std::size_t kNamed = 8;  // folders, in a remark
// Entries that are looked at in all, and further ones for each file that is found: ImageNet has
// half a million annotations beside its images, a disk that links lead through has no end.
constexpr std::uint64_t kMostLooks = 1'000'000, kLooksPerFile = 100;

struct Listing {
  std::vector<std::string> folders;
  std::set<std::string, std::less<>> linked;  // those of the folders that are links
  std::vector<std::string> images;
};

struct CloseFolder {
  void operator()(DIR* folder) const noexcept { ::closedir(folder); }
};

enum class Kind { folder, file, other };

Kind kind_of(int folder, const dirent& entry) {
  if (entry.d_type == DT_REG) return Kind::file;
  if (entry.d_type == DT_DIR) return Kind::folder;
  if (entry.d_type != DT_LNK && entry.d_type != DT_UNKNOWN) return Kind::other;
  struct stat found{};
  if (::fstatat(folder, entry.d_name, &found, 0) != 0) return Kind::other;  // a link to nowhere
  return S_ISREG(found.st_mode) ? Kind::file : S_ISDIR(found.st_mode) ? Kind::folder : Kind::other;
}

class Scan {
 public:
  // Looks for files that end in `extension`; empty: in any of an image.
  Scan(int root, const std::string& path, std::string_view extension)
      : root_(root), path_(path), extension_(extension) {}
  const IgnoredFiles& ignored() const noexcept { return ignored_; }

  // `relative` is "" for the top folder. Sorted.
  Listing list(const std::string& relative) {
    const int descriptor = ::openat(root_, relative.empty() ? "." : relative.c_str(),
                                    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    std::unique_ptr<DIR, CloseFolder> folder(descriptor < 0 ? nullptr : ::fdopendir(descriptor));
    if (!folder)
      throw ScenarioError(
          fmt::format("cannot read the folder '{}/{}': {}", path_, relative, std::strerror(errno)));
    Listing listing;
    while (const dirent* entry = ::readdir(folder.get())) {
      const std::string_view name = entry->d_name;
      if (name == "." || name == "..") continue;
      count_look();
      const Kind kind = kind_of(descriptor, *entry);
      if (kind == Kind::folder) {
        listing.folders.emplace_back(name);
        if (entry->d_type != DT_DIR && is_link(descriptor, entry->d_name))
          listing.linked.emplace(name);
      } else if (kind == Kind::file && wanted(name)) {
        listing.images.emplace_back(name);
        ++found_;
      } else if (kind == Kind::other && wanted(name)) {
        ignored_.count_kind(kNoFile);
      } else {
        ignored_.count(name);
      }
    }
    std::ranges::sort(listing.folders);
    std::ranges::sort(listing.images);
    return listing;
  }

  // All images at and below `relative`, by folder. One link may lead out of the top folder; what
  // lies there is taken as it is: `outside`, further links to folders are passed over.
  void gather(const std::string& relative,
              std::map<std::string, std::vector<std::string>>& by_folder, bool outside) {
    if (!enter(relative)) return;
    Listing listing = list(relative);
    for (const std::string& folder : listing.folders) {
      const std::string below = relative + "/" + folder;
      const bool linked = listing.linked.contains(folder);
      if (linked && (outside || is_of_kernel(path_ + "/" + below)))
        ignored_.count(folder);
      else
        gather(below, by_folder, outside || (linked && leads_out(below)));
    }
    if (!listing.images.empty()) by_folder.emplace(relative, std::move(listing.images));
    above_.pop_back();
  }

  // A link at `relative` to a folder that does not lie in the top folder.
  bool leads_out(const std::string& relative) const {
    std::error_code failed;
    const std::string top = std::filesystem::canonical(path_, failed).string(),
                      at = std::filesystem::canonical(path_ + "/" + relative, failed).string();
    return failed || !(at + "/").starts_with(top + "/");
  }

 private:
  static bool is_link(int folder, const char* name) {
    struct stat found{};
    return ::fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(found.st_mode);
  }

  void count_look() {
    if (++looks_ <= kMostLooks + kLooksPerFile * found_) return;
    throw ScenarioError(
        fmt::format(
            "'{}' is too large to be a dataset: {} entries were looked at, and {} of them {} {}",
            path_, looks_ - 1, found_,
            found_ == 1 ? (extension_.empty() ? "is an" : "is a") : "are",
            extension_.empty() ? (found_ == 1 ? "image" : "images") : extension_),
        "give the folder that holds the samples; links to folders are followed, also to other "
        "disks");
  }

  bool wanted(std::string_view name) const noexcept {
    if (extension_.empty()) return has_image_extension(name);
    return name.size() > extension_.size() && name.ends_with(extension_);
  }
  // False where a link leads back to a folder we are in.
  bool enter(const std::string& relative) {
    struct stat found{};
    if (::fstatat(root_, relative.c_str(), &found, 0) != 0) return false;
    const std::pair place{found.st_dev, found.st_ino};
    if (std::ranges::find(above_, place) != above_.end()) return false;
    if (above_.size() >= kDeepest)
      throw ScenarioError(
          fmt::format("'{}/{}' is nested more than {} folders deep", path_, relative, kDeepest));
    above_.push_back(place);
    return true;
  }

  int root_;
  const std::string& path_;
  std::string_view extension_;
  IgnoredFiles ignored_;
  std::vector<std::pair<dev_t, ino_t>> above_;
  std::uint64_t looks_ = 0, found_ = 0;
};

constexpr std::string_view kJpegExtensions[] = {".jpg", ".jpeg", ".jpe", ".jfif"};

// `extension` in lower case, the name in any.
bool has_extension(std::string_view name, std::string_view extension) noexcept {
  return name.size() > extension.size() &&
         std::ranges::equal(
             name.substr(name.size() - extension.size()), extension,
             [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; });
}

[[noreturn]] void refuse_empty(const std::string& path, std::string_view extension,
                               const IgnoredFiles& ignored) {
  const std::string found = ignored.files() == 0 ? std::string("it contains no files")
                                                 : fmt::format("found {} other files ({})",
                                                               ignored.files(), ignored.listed());
  if (!extension.empty())
    throw ScenarioError(
        fmt::format("no {} files in '{}' or its subfolders; {}", extension, path, found),
        "give a folder of such files, preferably with one folder per class");
  throw ScenarioError(fmt::format("no images in '{}': looked for .jpg, .jpeg, .jpe, .jfif, .png "
                                  "files in it and all its subfolders; {}",
                                  path, found),
                      "give a folder of JPEG or PNG files, preferably with one folder per class");
}

// Says which folders are classes although a reader may not expect it: torchvision, too, takes a
// hidden folder for one.
void remark_on_classes(std::string& remark, std::string_view wanted, bool images,
                       const std::vector<std::string>& hidden,
                       const std::vector<std::string>& without) {
  if (!hidden.empty())
    add_remark(remark, fmt::format("{} {} hidden: {}", counted(hidden.size(), "class folder"),
                                   hidden.size() == 1 ? "is" : "are", listed(hidden, kNamed)));
  if (!without.empty())
    add_remark(remark,
               fmt::format("{} without {} {}{}: {}", counted(without.size(), "folder"), wanted,
                           without.size() == 1 ? "is not a class" : "are not classes",
                           images ? ", where torchvision's ImageFolder stops" : "",
                           listed(without, kNamed)));
}

}  // namespace

Descriptor open_folder(const std::string& path) {
  Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder)
    throw ScenarioError(fmt::format("cannot open the folder '{}': {}", path, std::strerror(errno)));
  return folder;
}

bool has_jpeg_extension(std::string_view name) noexcept {
  return std::ranges::any_of(kJpegExtensions,
                             [&](std::string_view one) { return has_extension(name, one); });
}

bool has_image_extension(std::string_view name) noexcept {
  return has_jpeg_extension(name) || has_extension(name, ".png");
}

FoundImages scan_folder(const Descriptor& folder, const std::string& path,
                        std::string_view extension) {
  Scan scan(folder.get(), path, extension);
  const Listing top = scan.list("");
  SampleTable table;
  std::int64_t label = 0;
  std::vector<std::string> hidden, without;
  for (const std::string& name : top.folders) {
    // Sorted by path, as torchvision walks.
    std::map<std::string, std::vector<std::string>> by_folder;
    if (top.linked.contains(name) && is_of_kernel(path + "/" + name)) continue;
    scan.gather(name, by_folder, top.linked.contains(name) && scan.leads_out(name));
    for (const auto& [below, images] : by_folder) {
      for (const std::string& image : images) table.add(below + "/" + image, label, 0, 0);
    }
    if (by_folder.empty()) {
      without.push_back(name);
      continue;
    }
    ++label;
    if (name.starts_with('.')) hidden.push_back(name);
  }
  for (const std::string& image : top.images) table.add(image, label, 0, 0);
  if (table.size() == 0) refuse_empty(path, extension, scan.ignored());
  const std::string wanted = extension.empty() ? "an image" : fmt::format("a {}", extension);
  std::string remark = scan.ignored().remark(wanted);
  remark_on_classes(remark, wanted, extension.empty(), hidden, without);
  if (label == 0) add_remark(remark, kNoLabels);
  return {std::move(table), std::move(remark)};
}

bool is_safe_name(std::string_view name) {
  const std::string padded = fmt::format("/{}/", name);
  return !name.empty() && name.front() != '/' && name.find('\0') == std::string_view::npos &&
         padded.find("/../") == std::string::npos && name.back() != '/';
}

void refuse_unsafe_name(std::string_view name, std::string_view archive) {
  if (!is_safe_name(name))
    throw ScenarioError(
        fmt::format("'{}' holds a sample with an unsafe name: '{}'", archive, name));
}

void refuse_unsafe_names(const SampleTable& table, std::string_view archive) {
  for (SampleId id = 0; id < table.size(); ++id) refuse_unsafe_name(table.name(id), archive);
}

void refuse_bad_labels(const SampleTable& table, std::string_view archive) {
  for (SampleId id = 0; id < table.size(); ++id)
    if (!is_label(table.label(id)))
      throw ScenarioError(
          fmt::format("'{}': label {} of '{}'", archive, table.label(id), table.name(id)),
          "labels start at 0");
}

}  // namespace benchbench
