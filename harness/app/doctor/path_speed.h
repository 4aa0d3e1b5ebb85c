// How fast bytes come from where data are.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/runtime.h"

namespace benchbench {

struct PathSpeed {
  double one = 0;           // bytes a second with one reader; 0: not measured, here and below
  double many = 0;          // with kReaders
  std::uint64_t bytes = 0;  // read in all
  Nanoseconds first_byte{0};
  // The share of the bytes read that the interfaces received meanwhile; nullopt: not counted.
  std::optional<double> received_share;
  std::string problem;  // why something was not measured; empty where all was
};
constexpr unsigned kReaders = 8;

// Reads from somewhere until `end`, or until there is no more, and returns the bytes. Called by
// several threads at once. Throws nothing.
using ReadUntil = std::function<std::uint64_t(TimePoint end)>;

// Returns the bytes a second of `readers` threads together, over about a second; 0 where none came.
double read_together(Runtime& runtime, unsigned readers, const ReadUntil& read);

// Starts `threads` threads, all at one job.
std::vector<std::unique_ptr<Task>> spawn_alike(Runtime& runtime, std::string_view name, Job& job,
                                               unsigned threads);
inline double seconds_since(const Runtime& runtime, TimePoint start) {
  return to_seconds(runtime.now() - start);
}
// Returns 0 of no times.
Nanoseconds median_time(std::vector<Nanoseconds> times);

}  // namespace benchbench
