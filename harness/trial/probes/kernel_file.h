// A small file of /proc or /sys that is read again and again.
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "harness/core/descriptor.h"

namespace benchbench {

// Opened once and kept open: reading it again costs two preads, the second of nothing, not open,
// read and close. Its text is read at most once a tick, however many probes look at it.
class KernelFile {
 public:
  explicit KernelFile(std::string path);

  // The file's text at this tick; empty where it cannot be read, with the cause in why().
  std::string_view text(std::uint64_t tick);
  const std::string& path() const noexcept { return path_; }
  const std::string& why() const noexcept { return why_; }

 private:
  void read();

  std::string path_;
  std::string why_;
  std::string text_;
  std::size_t length_ = 0;
  std::uint64_t tick_ = 0;  // of what text_ holds; none yet
  Descriptor file_;
};

// The files of all probes, so that those that look at the same one share it. One thread at a time.
class KernelFiles {
 public:
  KernelFile& at(const std::string& path);
  // What was read is old from here on.
  void next_tick() noexcept { ++tick_; }
  std::uint64_t tick() const noexcept { return tick_; }

 private:
  std::map<std::string, std::unique_ptr<KernelFile>> files_;
  std::uint64_t tick_ = 1;
};

// --- what such texts hold
// Gives each line to `take` until it returns false.
template <class Take>
void for_each_line(std::string_view text, Take take) {
  for (bool more = true; more && !text.empty();) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    more = take(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// The number at the text's start, blanks and a colon skipped.
std::optional<std::uint64_t> first_number(std::string_view text) noexcept;
// The number behind `key` at the start of a line.
std::optional<std::uint64_t> number_of(std::string_view text, std::string_view key) noexcept;
// Returns the number times `size`, which is what one of its units counts.
std::optional<std::int64_t> scaled(std::optional<std::uint64_t> number,
                                   std::int64_t size = 1) noexcept;
// The n-th word of the text's first line, from 0; empty where there are fewer.
std::string_view word(std::string_view text, unsigned n) noexcept;

}  // namespace benchbench
