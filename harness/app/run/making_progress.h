// The line that stands on the screen while data are made.
#pragma once
#include <chrono>
#include <cstdint>
#include <string>

namespace benchbench {

// Goes to standard error: one line drawn over and over on a terminal, else a line every five
// seconds.
class MakingProgress {
 public:
  // "making tar from photos"
  explicit MakingProgress(std::string doing);
  ~MakingProgress();
  MakingProgress(const MakingProgress&) = delete;
  MakingProgress& operator=(const MakingProgress&) = delete;
  void show(std::uint64_t done, std::uint64_t all, std::uint64_t bytes);
  void print(const std::string& line);

 private:
  using Clock = std::chrono::steady_clock;
  std::string doing_;
  bool terminal_;
  bool shown_ = false;
  Clock::time_point start_ = Clock::now(), last_;
};

}  // namespace benchbench
