#include "harness/app/version_text.h"

#include <fmt/format.h>

#include "harness/part/module.h"

namespace benchbench {

std::string version_text() {
  return fmt::format("benchbench {}\ncompiler  {}, {}\nseam      {}\ntorch     {}\n",
                     BENCHBENCH_VERSION, BENCHBENCH_COMPILER, BENCHBENCH_BUILD_TYPE, seam_id(),
                     BENCHBENCH_TORCH_TEXT);
}

}  // namespace benchbench
