#include "harness/record/kept_run.h"

namespace benchbench {

std::string KeptRun::night() const {
  for (const auto& [key, value] : labels)
    if (key == "night") return value;
  return started_at.substr(0, 10);
}

}  // namespace benchbench
