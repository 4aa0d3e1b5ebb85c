// Memory of jobs that only read, and of volumes: against what such runs took.
#include "harness/plan/price.h"
#include "tests/unit/plan/planning.h"

namespace benchbench::test {
namespace plan_memory {

SettingsMap settings(std::int64_t workers, std::int64_t batch, const std::string& payload) {
  SettingsMap s;
  const auto number = [&](const std::string& key, std::int64_t n) {
    s.set(key, {ParameterType::integer, n});
  };
  number("loader.num_workers", workers);
  number("loader.batch_size", batch);
  number("loader.max_jobs", 2 * workers);
  s.set("loader.use", {ParameterType::text, std::string("native")});
  s.set("trainer.use", {ParameterType::text, std::string("timed")});
  s.set("loader.payload", {ParameterType::choice, payload});
  number("loader.transform.random_patch", 128);
  return s;
}

void add_volume(SettingsMap& s, std::int64_t side) {
  for (const char* key : {"depth", "height", "width"})
    s.set(std::string("dataset.synthesize.volume.") + key, {ParameterType::integer, side});
  s.set("dataset.synthesize.volume.dtype", {ParameterType::choice, std::string("uint8")});
}

double megabytes(const SettingsMap& s) {
  Trial trial;
  trial.settings = s;
  return static_cast<double>(memory_of(trial, context_for())) / 1e6;
}

void check_within_half(double estimate, double took) {
  INFO(estimate << " estimated, " << took << " taken");
  CHECK(estimate < took * 1.5);
  CHECK(estimate > took / 1.5);
}

TEST_CASE("memory: what was seen of jobs as DLIO has them is estimated within a half",
          "[unit][plan]") {
  SettingsMap read = settings(4, 7, "raw_bytes");
  add_volume(read, 200);
  check_within_half(megabytes(read), 57.5);
  SettingsMap pictures = settings(4, 100, "raw_bytes");  // of 115 KB
  check_within_half(megabytes(pictures), 28.3);
  pictures.set("loader.of.use", {ParameterType::text, std::string("native")});
  pictures.set("loader.of.payload", {ParameterType::choice, std::string("raw_bytes")});
  pictures.set("loader.payload", {ParameterType::choice, std::string("stored")});
  // The trainer's trial, whose one batch is of that loader.
  check_within_half(megabytes(pictures), 28.3);
  SettingsMap patches = settings(4, 7, "stored");
  add_volume(patches, 200);
  check_within_half(megabytes(patches), 585.9);
}

TEST_CASE("memory: each of the batches that are repeated in turn is held", "[unit][plan]") {
  SettingsMap s = settings(1, 7, "stored");
  s.set("loader.distinct", {ParameterType::integer, std::int64_t{1}});
  const double one = megabytes(s);
  s.set("loader.distinct", {ParameterType::integer, std::int64_t{11}});
  CHECK(1e6 * (megabytes(s) - one) == Approx(10 * static_cast<double>(batch_bytes_guess(s))));
}

TEST_CASE("memory: a row of a volume is its patch, no larger than the volume", "[unit][plan]") {
  SettingsMap s = settings(1, 1, "stored");
  add_volume(s, 200);
  CHECK(batch_bytes_guess(s) == 4 * 128 * 128 * 128 + 8);
  add_volume(s, 64);
  CHECK(batch_bytes_guess(s) == 4 * 64 * 64 * 64 + 8);
  s.erase("loader.transform.random_patch");
  CHECK(batch_bytes_guess(s) == 4 * 64 * 64 * 64 + 8);
  CHECK(batch_bytes_guess(settings(1, 3, "raw_bytes")) == 3 * 24);
}

}  // namespace plan_memory
}  // namespace benchbench::test
