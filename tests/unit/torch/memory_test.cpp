// Trainers leave nothing behind in a process that makes one for each trial.
#include <malloc.h>
#include <unistd.h>

#include <fstream>

#include "tests/skip.h"
#include "tests/unit/torch/training_job.h"

namespace benchbench::test {
namespace {

// Bytes that the process has in memory.
double read_resident() {
  malloc_trim(0);
  std::ifstream in("/proc/self/statm");
  double pages = 0;
  in >> pages >> pages;
  return pages * static_cast<double>(sysconf(_SC_PAGESIZE));
}

}  // namespace

TEST_CASE("torch: fifty trainers of one process leave no memory behind", "[unit][torch][.all]") {
  BENCHBENCH_NEEDS_TORCH();
  const std::string trainer = GENERATE("mlp", "resnet18");
  double after_five = 0;
  for (int trial = 1; trial <= 50; ++trial) {
    TrainingJob({.trainer = trainer, .settings = {{"precision", "bf16-mixed"}}}).loss_after(3);
    if (trial == 5) after_five = read_resident();
  }
  const double after_fifty = read_resident();
  CAPTURE(trainer, after_five, after_fifty);
  CHECK(after_fifty < 1.01 * after_five);
}

}  // namespace benchbench::test
