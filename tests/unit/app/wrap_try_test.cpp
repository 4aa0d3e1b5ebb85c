#include "harness/app/wrap/wrap_try.h"

#include <catch2/catch.hpp>

#include "harness/app/wrap/wrap_options.h"
#include "harness/app/wrap/wrap_plan.h"
#include "harness/app/wrap/wrap_words.h"
#include "harness/core/error.h"

namespace benchbench {
namespace wrap_try_test {

using Catch::Matchers::Contains;

std::string complaint_of(const std::string& text) {
  try {
    settings_to_try(text);
  } catch (const UsageError& e) {
    return std::string(e.message()) + " | " + std::string(e.hint());
  }
  return "";
}

TEST_CASE("wrap --try: settings as DataLoader has them", "[unit][app][wrap]") {
  const TriedSettings settings =
      settings_to_try("num_workers=4,prefetch_factor=8,pin_memory=True,in_order=false");
  CHECK(settings.size() == 4);
  CHECK(settings_words(settings) ==
        "in_order=False, num_workers=4, pin_memory=True, prefetch_factor=8");
  CHECK(settings_to_try("num_workers=0").at("num_workers") == ExternalValue(std::int64_t{0}));
}

TEST_CASE("wrap --try: what cannot be tried is refused with the reason or the nearest name",
          "[unit][app][wrap]") {
  CHECK_THAT(complaint_of("num_worker=4"),
             Contains("did you mean 'num_workers'?") && Contains("pin_memory, in_order"));
  CHECK_THAT(complaint_of("multiprocessing_context=spawn"), Contains("another start method"));
  CHECK_THAT(complaint_of("batch_size=8"), Contains("it changes what a step of the script does"));
  CHECK_THAT(complaint_of("num_workers=many"), Contains("expected a number from 0 to 1024"));
  CHECK_THAT(complaint_of("prefetch_factor=0"), Contains("expected a number from 1 to 1024"));
  CHECK_THAT(complaint_of("pin_memory=1"), Contains("expected true or false"));
  CHECK_THAT(complaint_of("num_workers=1,num_workers=2"), Contains("is there twice"));
  for (const char* text :
       {"", "num_workers", "=4", "num_workers=4,", "num_workers=4,,in_order=true"})
    CHECK_THAT(complaint_of(text), Contains("expected NAME=VALUE"));
}

WrapRequest requested(const std::vector<std::string>& tried, const std::string& with = "") {
  Arguments arguments;
  arguments.set_positional({"python", "train.py"});
  arguments.add("--try", tried);
  if (!with.empty()) arguments.add(with, {""});
  return wrap_request(arguments);
}

TEST_CASE("wrap --try: for now once, and where batches may be exchanged", "[unit][app][wrap]") {
  CHECK(requested({"num_workers=4"}).order.other.size() == 1);
  CHECK_THROWS_WITH(requested({"num_workers=4", "num_workers=8"}),
                    Contains("--try can be given once, for now"));
  CHECK_THROWS_WITH(requested({"num_workers=4"}, "--keep-going"), Contains("exclude each other"));
  CHECK_THROWS_WITH(requested({"num_workers=4"}, "--check"), Contains("exclude each other"));
}

WrapPlanned planned_with(TriedSettings changed) {
  WrapPlanned planned;
  planned.rounds = 3;
  planned.stretch = std::chrono::seconds{1};
  planned.loader.name = "train_loader";
  planned.loader.own = {{"num_workers", std::int64_t{2}},
                        {"prefetch_factor", std::int64_t{2}},
                        {"batch_size", std::int64_t{4}},
                        {"pin_memory", false},
                        {"in_order", true}};
  planned.changed = planned.loader;
  for (auto& [name, value] : changed) planned.changed->own[name] = value;
  return planned;
}

Plan plan_of(const std::string& tried, TriedSettings changed) {
  WrapHello process;
  process.interpreter = "/usr/bin/python3";
  return wrap_plan(requested({tried}), process, planned_with(std::move(changed)),
                   observe_environment());
}

TEST_CASE("wrap --try: the changed copy is a second point, whose trainer is the script's own",
          "[unit][app][wrap]") {
  const Plan plan =
      plan_of("num_workers=4,prefetch_factor=8",
              {{"num_workers", std::int64_t{4}}, {"prefetch_factor", std::int64_t{8}}});
  REQUIRE(plan.points.size() == 2);
  CHECK(plan.points[1].name() == "num_workers=4 prefetch_factor=8");
  CHECK(plan.trials.size() == 5);
  CHECK(trial_of(plan, WrapKind::changed_full).mode == Mode::pipeline);
  CHECK(trial_of(plan, WrapKind::changed_full).index != trial_of(plan, WrapKind::full).index);
  CHECK(trial_of(plan, WrapKind::changed_loader).mode == Mode::loader);
  CHECK(trial_of(plan, WrapKind::changed_loader).index != trial_of(plan, WrapKind::loader).index);
  CHECK(trial_of(plan, WrapKind::trainer).points == std::vector<std::uint32_t>{0, 1});
}

TEST_CASE("wrap --try: the second point has what was applied", "[unit][app][wrap]") {
  const Plan plan =
      plan_of("num_workers=0,prefetch_factor=8",
              {{"num_workers", std::int64_t{0}}, {"prefetch_factor", std::monostate{}}});
  REQUIRE(plan.points.size() == 2);
  CHECK(plan.points[1].name() == "num_workers=0");
  CHECK(plan_of("in_order=false,pin_memory=true", {{"in_order", false}, {"pin_memory", true}})
            .points.at(1)
            .name() == "in_order=false pin_memory=true");
  // The script's own num_workers is 2 already.
  CHECK(plan_of("num_workers=2,prefetch_factor=8",
                {{"num_workers", std::int64_t{2}}, {"prefetch_factor", std::int64_t{8}}})
            .points.at(1)
            .name() == "prefetch_factor=8");
}

TEST_CASE(
    "wrap --try: what is measured is said with the settings, "
    "and what is not applied with the reason",
    "[unit][app][wrap]") {
  WrapPlanned planned = planned_with({{"num_workers", std::int64_t{4}}});
  planned.dropped = {"in_order false is not applied: this torch has none"};
  const WrapRequest request = requested({"num_workers=4,in_order=false"});
  const std::string text = planned_words(request, planned);
  CHECK_THAT(text, Contains("3 rounds of 5 stretches") && Contains("with num_workers=4 in turns") &&
                       Contains("--try: in_order false is not applied: this torch has none\n"));
  planned.changed.reset();
  CHECK_THAT(planned_words(request, planned),
             Contains("3 rounds of 3 stretches") && !Contains("in turns"));
}

}  // namespace wrap_try_test
}  // namespace benchbench
