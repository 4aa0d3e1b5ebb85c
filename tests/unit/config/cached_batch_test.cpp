// The keys of a loader that repeats another's batch.
#include "tests/unit/config/loading.h"

namespace benchbench::test {
namespace config_cached_batch {

const std::string kStep = "trainer: {use: timed}\n";
const std::string kData = "dataset: {synthesize: {samples: 8}}\n";

TEST_CASE("cached batch: keys below `of` are the named loader's", "[unit][config]") {
  const Scenario s = load_text(
      kData + "loader: {use: cached_batch, of: {use: native, residency: host}}\n" + kStep);
  CHECK(s.base.text("loader.of.use") == "native");
  CHECK(s.base.text("loader.of.residency") == "host");
  CHECK(s.base.text("loader.of.transform.normalize") == "imagenet");
  CHECK_FALSE(s.base.has("loader.height"));
  require_refused(
      kData + "loader: {use: cached_batch, of: {use: native, residence: host}}\n" + kStep, 2, 47,
      "residence", "unknown key loader.of.residence; did you mean loader.of.residency?");
  require_refused(kData + "loader: {use: cached_batch, of: {use: natve}}\n" + kStep, 2, 39, "natve",
                  "did you mean native?");
}

TEST_CASE("cached batch: what its maker needs is asked for", "[unit][config]") {
  require_refused("loader: {use: cached_batch, of: {use: native}}\n" + kStep, 1, 15, "cached_batch",
                  "loader native reads a dataset: set dataset.path or dataset.synthesize");
  require_refused("loader: {use: cached_batch, of: {use: words}}\ntrainer: {use: resnet18}\n", 2,
                  16, "resnet18", "trainer resnet18 takes images, but loader words makes tokens");
}

TEST_CASE("cached batch: a shape is synthetic's, and a cached batch is of something else",
          "[unit][config]") {
  CHECK(load_text("loader: {use: cached_batch, height: 64}\n" + kStep)
            .base.integer("loader.height") == 64);
  require_refused("loader: {use: cached_batch, height: 64, of: {use: synthetic}}\n" + kStep, 1, 29,
                  "height",
                  "loader.height is for a batch of synthetic images, and this one is of "
                  "loader.of.use: synthetic");
  require_refused("loader: {use: cached_batch, of: {use: cached_batch}}\n" + kStep, 1, 39,
                  "cached_batch", "repeats what another loader makes");
}

}  // namespace config_cached_batch
}  // namespace benchbench::test
