// Bytes of which only some are looked at, so that the images of a file are skipped when its labels
// are gathered.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "harness/core/byte_span.h"
#include "harness/core/files/little_endian.h"
#include "scenarios/storage/read_file.h"

namespace benchbench {

// Thrown where bytes are not what they must be; the caller knows the file.
struct Malformed {
  std::string_view what;
  std::uint64_t at = 0;
};

class LookedBytes {
 public:
  virtual ~LookedBytes() = default;
  virtual std::uint64_t size() const noexcept = 0;
  // Those from `at` on, at most kMaxLook and `max` and as many as there are; valid until the next
  // call.
  virtual ByteSpan look(std::uint64_t at, std::uint64_t max) = 0;
  // A short text; cut at kMaxLook.
  std::string text(std::uint64_t at, std::uint64_t size) {
    return std::string(as_text(look(at, size)));
  }
  static constexpr std::uint64_t kMaxLook = 4096;
};

class MemoryBytes final : public LookedBytes {
 public:
  explicit MemoryBytes(ByteSpan bytes) : bytes_(bytes) {}
  std::uint64_t size() const noexcept override { return bytes_.size(); }
  ByteSpan look(std::uint64_t at, std::uint64_t max) override;

 private:
  ByteSpan bytes_;
};

// Through a window of 4 KiB. Errors as ReadFile's.
class FileBytes final : public LookedBytes {
 public:
  explicit FileBytes(const std::string& path) : path_(path), file_(ReadFile::open(path.c_str())) {}
  std::uint64_t size() const noexcept override { return file_.size(); }
  ByteSpan look(std::uint64_t at, std::uint64_t max) override;
  const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
  ReadFile file_;
  ReadBuffer buffer_;
  std::uint64_t begin_ = 0, end_ = 0;  // what the buffer holds
};

}  // namespace benchbench
