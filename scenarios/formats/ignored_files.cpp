#include "scenarios/formats/ignored_files.h"

#include <fmt/format.h>

#include "harness/part/sample_format.h"

namespace benchbench {
namespace {

constexpr std::size_t kMaxKinds = 8;

std::string_view extension_of(std::string_view name) {
  const std::string_view file = name.substr(name.rfind('/') + 1);
  const std::size_t dot = file.rfind('.');
  return dot == std::string_view::npos || dot == 0 ? "without an extension" : file.substr(dot);
}

}  // namespace

void IgnoredFiles::count(std::string_view name) { count_kind(extension_of(name)); }

void IgnoredFiles::count_kind(std::string_view kind) {
  ++files_;
  const auto found = by_extension_.find(kind);
  if (found != by_extension_.end())
    ++found->second;
  else if (by_extension_.size() < kMaxKinds)
    by_extension_.emplace(kind, 1);
}

std::string IgnoredFiles::listed() const {
  std::string text;
  std::uint64_t told = 0;
  for (const auto& [extension, count] : by_extension_) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, extension);
    told += count;
  }
  if (told < files_) text += fmt::format(", {} others", files_ - told);
  return text;
}

std::string IgnoredFiles::remark(std::string_view wanted) const {
  if (files_ == 0) return {};
  const bool folders = by_extension_.contains("folder");
  return fmt::format("{}{} {} not {}: {}", kPassedOver, files_,
                     files_ == 1 ? (folders ? "entry that is" : "file that is")
                                 : (folders ? "entries that are" : "files that are"),
                     wanted, listed());
}

}  // namespace benchbench
