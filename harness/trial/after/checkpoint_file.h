// A checkpoint as training writes it: a real file, written anew each time and renamed into place.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace benchbench {

// In a folder of its own below the one asked for, which nobody else can write to; both are gone
// with it. Its bytes are random, so that no file system stores them as less than they are. What is
// left out of a real checkpoint is getting the values from the device and putting them in order.
class CheckpointFile {
 public:
  struct Order {
    std::string below;  // a folder; "" for the temporary one
    std::uint64_t bytes = 0;
    bool fsync = true;  // returns when it is on the disk
  };
  explicit CheckpointFile(Order order);
  ~CheckpointFile();
  CheckpointFile(const CheckpointFile&) = delete;
  CheckpointFile& operator=(const CheckpointFile&) = delete;

  // Writes it whole and puts it in the last one's place, which stays where that cannot be done.
  // What went wrong, in words with the place ("No space left on device: /data/..."); nullopt where
  // nothing did.
  std::optional<std::string> write();
  // "" where it could not be made.
  const std::string& folder() const noexcept { return folder_; }

 private:
  int fill(const std::string& path) const;

  static constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;  // bytes
  Order order_;
  std::string folder_;
  std::string cause_;  // why there is no folder
  std::vector<std::uint64_t> piece_;
};

}  // namespace benchbench
