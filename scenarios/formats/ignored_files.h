// What an archive passed over, counted for people.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace benchbench {

class IgnoredFiles {
 public:
  void count(std::string_view name);
  std::uint64_t files() const noexcept { return files_; }
  // "2 .txt, 1 .png", at most 8 kinds; empty where nothing was passed over.
  std::string listed() const;
  // "3 files that are no JPEG image: 2 .txt, 1 .png"; empty where nothing was passed over.
  std::string remark(std::string_view wanted = "JPEG image") const;

 private:
  std::uint64_t files_ = 0;
  std::map<std::string, std::uint64_t, std::less<>> by_extension_;
};

}  // namespace benchbench
