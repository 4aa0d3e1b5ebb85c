// The files that an archive passed over, counted for people.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace benchbench {

// The kind of what has the name of a file to read, and is none.
inline constexpr std::string_view kNoFile = "broken link or device";

class IgnoredFiles {
 public:
  void count(std::string_view name);
  // Counts what has no extension that matters: "folder".
  void count_kind(std::string_view kind);
  std::uint64_t files() const noexcept { return files_; }
  // "2 .txt, 1 .gif", at most 8 kinds; empty where nothing was passed over.
  std::string listed() const;
  // "passed over 3 files that are not an image: 2 .txt, 1 .gif"; empty where nothing was.
  std::string remark(std::string_view wanted = "an image") const;

 private:
  std::uint64_t files_ = 0;
  std::map<std::string, std::uint64_t, std::less<>> by_extension_;
};

}  // namespace benchbench
