// The bytes of a fuzzer as a file, for what opens its input by name.
#pragma once
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace benchbench::fuzz {

// One a process; in memory where the system has room for it there.
class InputFile {
 public:
  explicit InputFile(const char* extension)
      : path_(std::string(::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp") +
              "/benchbench-fuzz-" + std::to_string(::getpid()) + extension) {}
  ~InputFile() { ::unlink(path_.c_str()); }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& hold(const std::uint8_t* data, std::size_t size) const {
    std::FILE* const file = std::fopen(path_.c_str(), "wb");
    if (!file || std::fwrite(data, 1, size, file) != size || std::fclose(file) != 0) std::abort();
    return path_;
  }

 private:
  std::string path_;
};

}  // namespace benchbench::fuzz
