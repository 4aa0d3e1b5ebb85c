// Reads files of ours: a named pipe is not waited for, a device or a hole is not read for ever.
#pragma once
#include <cstdint>
#include <string>

namespace benchbench {

constexpr std::uint64_t kMostOfAFile = std::uint64_t{1} << 30;
// A file that people write, or could.
constexpr std::uint64_t kMostOfASmallFile = std::uint64_t{1} << 20;

// Throws StoreError with the path where it cannot be read, is not a regular file (links are
// followed) or has over `most` bytes.
std::string read_whole(const std::string& path, std::uint64_t most = kMostOfAFile);

// False where there is none, as of a name that no file system holds. Throws StoreError where that
// cannot be told: links that lead round in circles, a folder that may not be entered.
bool is_there(const std::string& path);

}  // namespace benchbench
