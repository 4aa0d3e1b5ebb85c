// How long a tune's windows are.
#include "harness/app/tune/tune_windows.h"

#include <catch2/catch.hpp>

namespace benchbench::tune_windows_test {
namespace {

Trial trial_of(Mode mode, std::int64_t workers, std::int64_t batches) {
  Trial t;
  t.mode = mode;
  t.digest = "as it was";
  t.settings.set("loader.num_workers", {ParameterType::integer, workers});
  t.settings.set("measure.window_batches", {ParameterType::integer, batches});
  return t;
}

std::int64_t batches_of(const Trial& t) { return t.settings.integer("measure.window_batches"); }

}  // namespace

TEST_CASE("tune windows: two batches of every worker, or what is asked for where that is more",
          "[unit][app]") {
  std::vector<Trial> trials{trial_of(Mode::pipeline, 32, 16), trial_of(Mode::loader, 9, 16),
                            trial_of(Mode::pipeline, 8, 16), trial_of(Mode::trainer, 32, 16)};
  lengthen_windows(trials);
  CHECK(batches_of(trials[0]) == 64);
  CHECK(batches_of(trials[1]) == 18);
  CHECK(batches_of(trials[2]) == 16);
  CHECK(batches_of(trials[3]) == 16);
  CHECK(trials[0].digest != "as it was");
  CHECK(trials[2].digest == "as it was");
}

TEST_CASE("tune windows: loaders without workers stay as they are", "[unit][app]") {
  std::vector<Trial> trials{Trial{}};
  lengthen_windows(trials);
  CHECK(trials[0].settings.all().empty());
}

}  // namespace benchbench::tune_windows_test
