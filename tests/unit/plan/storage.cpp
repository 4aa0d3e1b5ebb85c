// A sweep of emulated storage: which trials it shares, and where it can run in virtual time.
#include "harness/plan/price.h"
#include "tests/unit/plan/planning.h"

namespace benchbench::test {
namespace plan_storage {

const std::string kStores =
    "dataset: {synthesize: {samples: 64}}\nloader: {use: native}\n"
    "trainer: {use: timed, step_time: 5ms}\nsweep: {dataset.storage.like: [none, sata_hdd, s3]}\n";

TEST_CASE("played stores: one trainer's trial and one data set for all of them", "[unit][plan]") {
  const Plan plan = plan_text(kStores);
  const auto digest = [&](const char* point, Mode mode) {
    return trial_of(plan, point_named(plan, point), mode).digest;
  };
  for (const char* point : {"storage=sata_hdd", "storage=s3"}) {
    CHECK(digest(point, Mode::trainer) == digest("base", Mode::trainer));
    CHECK(digest(point, Mode::loader) != digest("base", Mode::loader));
    CHECK(digest(point, Mode::pipeline) != digest("base", Mode::pipeline));
  }
  CHECK(digest("storage=s3", Mode::loader) != digest("storage=sata_hdd", Mode::loader));
  CHECK(plan.datasets.size() == 1);
  const Plan base_is_slow = plan_text(
      "dataset: {synthesize: {samples: 64}, storage: {like: sata_hdd}}\n"
      "loader: {use: native}\ntrainer: {use: timed, step_time: 5ms}\n");
  CHECK(trial_of(base_is_slow, base_is_slow.points[0], Mode::trainer).digest ==
        digest("base", Mode::trainer));
}

TEST_CASE("played stores: of mocks too", "[unit][plan]") {
  const Plan plan = plan_text(kMock + "sweep: {dataset.storage.like: [nvme, s3]}\n");
  for (const Mode mode : {Mode::loader, Mode::pipeline})
    CHECK(trial_of(plan, point_named(plan, "storage=s3"), mode)
              .settings.text("dataset.storage.like") == "s3");
  CHECK_FALSE(trial_of(plan, point_named(plan, "storage=s3"), Mode::trainer)
                  .settings.has("dataset.storage.like"));
  CHECK(plan.datasets.empty());
}

TEST_CASE("played stores: a trial without a price waits for a read of each sample",
          "[unit][plan]") {
  const std::string stores =
      "dataset: {synthesize: {samples: 64}}\nloader: {use: native, num_workers: 2, batch_size: "
      "16}\n"
      "trainer: {use: timed}\nsweep: {dataset.storage.like: [none, sata_hdd, s3]}\n";
  PlanContext context = context_for();
  const Plan plan = plan_text(stores, context);
  const auto loader_of = [&](const char* point) -> const Trial& {
    return trial_of(plan, point_named(plan, point), Mode::loader);
  };
  const auto seconds = [&](const char* point) {
    return Pricing(plan, context).seconds_of(loader_of(point));
  };
  // Start, 4 batches ahead and 3 bursts of 2 or a quarter of a window, the window or 3 bursts.
  CHECK(seconds("base") == Approx(0.1 + 4 * 0.03 + 0.25 + 34 * 0.03));
  CHECK(seconds("storage=s3") == Approx(0.1 + (4 + 6) * 0.24 + 6 * 0.24));  // 2 reads at once
  CHECK(seconds("storage=sata_hdd") == Approx(0.1 + (4 + 6) * 0.128 + 8 * 0.128));  // one head
  // A price of another store is not taken for its own.
  context.prices[price_key(loader_of("base"))] = {.startup_seconds = 2, .step_seconds = 0.01};
  CHECK(seconds("base") == Approx(2 + 4 * 0.01 + 0.25 + 1));
  CHECK(seconds("storage=s3") == Approx(2 + (4 + 6) * 0.24 + 6 * 0.24));
}

TEST_CASE("played stores: without one a loader that reads data has no rate in virtual time",
          "[unit][plan]") {
  PartDescription native = *small_catalog().find(PartKind::loader, "native")->description;
  native.simulated = true;
  const auto known = small_catalog().rows();
  std::vector<PartRow> rows(known.begin(), known.end());
  for (PartRow& row : rows)
    if (row.description->kind == PartKind::loader && row.description->name == "native")
      row.description = &native;
  const Catalog catalog(rows);
  PlanContext context = context_for(catalog);
  context.simulated = true;
  const Plan plan = make_plan(load_text(kStores, request_for(""), catalog), context);
  for (const Mode mode : {Mode::loader, Mode::pipeline}) {
    CHECK_FALSE(trial_of(plan, point_named(plan, "storage=s3"), mode).skip);
    REQUIRE(trial_of(plan, point_named(plan, "base"), mode).skip);
    CHECK(*trial_of(plan, point_named(plan, "base"), mode).skip ==
          "loader native takes virtual time only in emulated storage: set dataset.storage");
  }
  CHECK_FALSE(trial_of(plan, point_named(plan, "base"), Mode::trainer).skip);
}

}  // namespace plan_storage
}  // namespace benchbench::test
