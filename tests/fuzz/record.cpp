// Records, plans, trials and environments as JSON that somebody means harm with: refused by a
// StoreError, or what was taken is written again the same. The first byte says which.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "harness/core/error.h"
#include "harness/record/trial_record.h"
#include "harness/store/stored_indices.h"

namespace benchbench {
namespace {

// What is written of what was read is read again, and written the same.
template <class Read>
void there_and_back(std::string_view text, Read read) {
  const std::string once = to_json(read(text));
  if (to_json(read(once)) != once) std::abort();
}

Plan checked_plan(std::string_view text) {
  Plan plan = plan_from_json(text);
  check_indices(plan);
  return plan;
}

}  // namespace
}  // namespace benchbench

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace benchbench;
  if (size < 1) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    switch (data[0] % 4) {
      case 0:
        there_and_back(text, record_from_json);
        break;
      case 1:
        there_and_back(text, checked_plan);
        break;
      case 2:
        there_and_back(text, trial_from_json);
        break;
      default:
        there_and_back(text, environment_from_json);
        break;
    }
  } catch (const StoreError&) {
  }
  return 0;
}
