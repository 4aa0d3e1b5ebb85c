#include "harness/trial/readings/utc_now.h"

#include <fmt/chrono.h>

#include <ctime>

namespace benchbench {

std::string utc_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace benchbench
