#include "harness/app/doctor/path_speed.h"

#include <algorithm>
#include <atomic>

namespace benchbench {
namespace {

constexpr std::chrono::seconds kOfEachPass{1};

class Reading final : public Job {
 public:
  Reading(const ReadUntil& read, TimePoint end) : read_(read), end_(end) {}
  void run() override { bytes += read_(end_); }
  std::atomic<std::uint64_t> bytes{0};

 private:
  const ReadUntil& read_;
  const TimePoint end_;
};

}  // namespace

std::vector<std::unique_ptr<Task>> spawn_alike(Runtime& runtime, std::string_view name, Job& job,
                                               unsigned threads) {
  std::vector<std::unique_ptr<Task>> tasks;
  for (unsigned i = 0; i < threads; ++i) tasks.push_back(runtime.spawn(name, job));
  return tasks;
}

double read_together(Runtime& runtime, unsigned readers, const ReadUntil& read) {
  const TimePoint start = runtime.now();
  Reading reading(read, start + kOfEachPass);
  for (const auto& task : spawn_alike(runtime, "reading", reading, readers)) task->join();
  const double seconds = seconds_since(runtime, start);
  return seconds > 0 ? static_cast<double>(reading.bytes) / seconds : 0;
}

Nanoseconds median_time(std::vector<Nanoseconds> times) {
  if (times.empty()) return Nanoseconds{0};
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::ranges::nth_element(times, middle);
  return *middle;
}

}  // namespace benchbench
