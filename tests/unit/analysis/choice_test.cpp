// The point to use.
#include <algorithm>
#include <catch2/catch.hpp>
#include <span>

#include "tests/unit/analysis/swept_run.h"

namespace benchbench {
namespace choice_test {

using test::six;
using test::Swept;
using test::words;

TEST_CASE(
    "choice: another trainer, or a mock in place of a loader, "
    "is another job and never the one to use",
    "[unit][analysis]") {
  const auto with = [](const Swept& run, const char* key, const char* part) {
    SettingsMap s = run.settings(2);
    s.set("loader.use", words("native"));
    s.set("trainer.use", words("resnet18"));
    s.set(key, words(part));
    return s;
  };
  Swept run;
  run.plan.scenario.mocks = {"loader=synthetic", "trainer=timed"};
  run.add({}, with(run, "loader.use", "native"), six(100));
  run.add({{"trainer", "timed"}}, with(run, "trainer.use", "timed"), six(3000));
  run.add({{"loader", "synthetic"}}, with(run, "loader.use", "synthetic"), six(900));
  Findings f = run.found();
  REQUIRE(f.recommended);
  CHECK(f.recommended->point == 0);
  CHECK(f.recommended->choice == Choice::only_one);
  CHECK(f.recommended->compared == 0);
  CHECK_FALSE(f.best);
  CHECK(f.over_base[1].ratio->value == Approx(30));  // compared all the same
  const auto other_loader =
      run.add({{"loader", "libtorch"}}, with(run, "loader.use", "libtorch"), six(150));
  f = run.found();
  CHECK(f.recommended->point == other_loader);
  CHECK(f.recommended->choice == Choice::faster);
  CHECK(f.recommended->compared == 1);
  CHECK(f.recommended->next == 0u);
}

TEST_CASE("choice: a point is best only where the rounds show it", "[unit][analysis]") {
  Swept run;
  run.workers(2, {100, 110, 90, 100, 105, 95});
  const auto four = run.workers(4, {201, 218, 181, 199, 212, 190});
  Findings f = run.found();
  CHECK(f.best == four);
  REQUIRE(f.recommended);
  CHECK(f.recommended->point == four);
  CHECK(f.recommended->choice == Choice::faster);
  CHECK(f.recommended->over_base.shown == Shown::faster);
  CHECK(f.recommended->compared == 1);
  CHECK(f.recommended->next == 0u);
  CHECK(f.recommended->over_next.shown == Shown::faster);

  Swept noisy;  // the higher mean in three of six rounds
  noisy.workers(2, six(100));
  noisy.workers(4, {200, 80, 150, 85, 140, 90});
  f = noisy.found();
  CHECK_FALSE(f.best);
  CHECK(f.recommended->point == 0);
  CHECK(f.recommended->choice == Choice::no_difference_shown);
  REQUIRE(f.recommended->detectable);
  CHECK(*f.recommended->detectable > 0.3);
  CHECK(f.identity.has_value() == false);
}

TEST_CASE("choice: one round names no winner", "[unit][analysis]") {
  Swept run;
  run.workers(2, {100});
  run.workers(4, {300});
  const Findings f = run.found();
  CHECK_FALSE(f.best);
  CHECK(f.recommended->choice == Choice::no_difference_shown);
  CHECK_FALSE(f.recommended->detectable);
}

TEST_CASE("choice: nothing is best beside a base that cannot be used", "[unit][analysis]") {
  Swept run;
  run.workers(2, six(100));
  run.workers(4, six(200));
  run.axis("loader.num_workers");
  for (TrialRecord& r : run.records)
    if (r.planned.trial == 0) r.facts.accounting.missing = 1;
  const Findings f = run.found();
  CHECK_FALSE(f.best);
  CHECK_FALSE(f.recommended);
  REQUIRE(f.axes.size() == 1);
  CHECK(f.axes[0].outcome == AxisOutcome::invalid);
  CHECK(f.axes[0].why == "1 sample missing from a completed epoch");
  CHECK_FALSE(f.axes[0].best);
}

TEST_CASE("choice: of those shown to be faster the cheapest within 2 % of the fastest",
          "[unit][analysis]") {
  Swept run;
  run.workers(2, six(100));
  const auto eight = run.workers(8, six(300)), four = run.workers(4, six(295));
  run.workers(3, six(290));
  const Findings f = run.found();
  CHECK(f.recommended->fastest == eight);
  CHECK(f.recommended->point == four);
  CHECK(f.recommended->choice == Choice::faster);
  CHECK(f.recommended->over_base.ratio->value == Approx(2.95));
  CHECK(f.recommended->next == four);
  CHECK(f.recommended->over_next.shown == Shown::same);
  CHECK(f.best == four);
}

// Points that differ from the base on so many axes, at these rates beside its 1000: which one is
// used, by its number of changes.
std::size_t changes_of_used(const std::vector<std::pair<std::size_t, double>>& points) {
  constexpr std::pair<const char*, const char*> kAxes[] = {
      {"dataset.format", "tar"}, {"loader.in_order", "false"}, {"loader.pin_memory", "true"}};
  Swept run;
  const auto add = [&](std::size_t changes, double rate) {
    SettingsMap s = run.settings(2);
    // It follows from the others: no change of its own.
    s.set("loader.max_jobs", words(changes == 1 ? "4" : "8"));
    s.set("dataset.format", words("record"));
    decltype(Point::labels) labels;
    for (const auto& [key, value] : std::span(kAxes).first(changes)) {
      s.set(key, words(value));
      labels.emplace_back(key, value);
    }
    run.add(std::move(labels), std::move(s), six(rate));
  };
  add(0, 1000);
  for (const auto& [changes, rate] : points) add(changes, rate);
  const Findings f = run.found();
  return run.plan.points[f.recommended->point].labels.size();
}

TEST_CASE(
    "choice: of those no further apart than half a percent, the one with fewer settings to change",
    "[unit][analysis]") {
  CHECK(changes_of_used({{2, 1500}, {1, 1499}}) == 1);
  CHECK(changes_of_used({{2, 1500}, {1, 1493}}) == 1);
  CHECK(changes_of_used({{2, 1500}, {1, 1492}}) == 2);
  CHECK(changes_of_used({{2, 1499}, {1, 1500}}) == 1);
  CHECK(changes_of_used({{1, 1021}}) == 1);  // the base is no winner
  // Half a percent of the fastest, not of the next one: whatever the order.
  std::vector<std::pair<std::size_t, double>> three{{3, 1500}, {2, 1494}, {1, 1488}};
  std::ranges::sort(three);
  do CHECK(changes_of_used(three) == 2);
  while (std::ranges::next_permutation(three).found);
}

TEST_CASE("choice: of as many changes, no further apart, the one that holds the fewest batches",
          "[unit][analysis]") {
  const auto used = [](std::vector<std::int64_t> prefetch, std::vector<std::int64_t> in_flight,
                       const std::vector<double>& rates) {
    Swept run;
    const auto with = [&](std::int64_t factor, std::int64_t buffers) {
      SettingsMap s = run.settings(2);
      s.set("loader.prefetch_factor", test::whole(factor));
      s.set("trainer.in_flight", test::whole(buffers));
      return s;
    };
    run.add({}, with(1, 1), six(1000));
    for (std::size_t i = 0; i < rates.size(); ++i)
      run.add({{prefetch[i] > 1 ? "loader.prefetch_factor" : "trainer.in_flight",
                std::to_string(std::max(prefetch[i], in_flight[i]))}},
              with(prefetch[i], in_flight[i]), six(rates[i]));
    return run.found().recommended->point;
  };
  CHECK(used({4, 8, 32}, {1, 1, 1}, {1022.8, 1022.9, 1023}) == 1);
  CHECK(used({32, 8, 4}, {1, 1, 1}, {1023, 1022.9, 1022.8}) == 3);
  CHECK(used({2, 4}, {1, 1}, {1020.1, 1030}) == 2);  // a percent is worth a batch
  CHECK(used({1, 1}, {8, 2}, {1300, 1298}) == 2);
  CHECK(used({2, 1}, {1, 3}, {1300, 1299}) == 1);  // 2 workers: 4 ahead and 1, or 2 and 3
  CHECK(used({2, 1}, {1, 2}, {1300, 1299}) == 2);  // 4 and 1, or 2 and 2
}

TEST_CASE("choice: a value that is the base's own is no change", "[unit][analysis]") {
  Swept run;
  const auto with = [&](const char* format, const char* in_order) {
    SettingsMap s = run.settings(2);
    s.set("dataset.format", words(format));
    s.set("loader.in_order", words(in_order));
    return s;
  };
  run.add({}, with("record", "true"), six(1000));
  run.add({{"dataset.format", "tar"}, {"loader.in_order", "false"}}, with("tar", "false"),
          six(1500));
  const auto one = run.add({{"dataset.format", "tar"}, {"loader.in_order", "true"}},
                           with("tar", "true"), six(1499));
  const Findings f = run.found();
  CHECK(f.recommended->point == one);
  CHECK(f.recommended->fastest == 1);
  CHECK(f.recommended->choice == Choice::faster);
}

TEST_CASE("choice: in virtual time 3 % of two rounds are shown", "[unit][analysis]") {
  const auto choice = [](bool simulated) {
    Swept run;
    run.workers(2, {100, 100});
    run.workers(4, {103, 103});
    for (TrialRecord& record : run.records) record.facts.simulated = simulated;
    return run.found().recommended->choice;
  };
  CHECK(choice(false) == Choice::no_difference_shown);
  CHECK(choice(true) == Choice::faster);
}

TEST_CASE("choice: the base stays unless another is shown to be as fast and is cheaper",
          "[unit][analysis]") {
  Swept best;
  best.workers(2, six(100));
  best.workers(4, six(101));
  best.workers(1, six(60));
  CHECK(best.found().recommended->choice == Choice::base_is_best);
  CHECK(best.found().best == 0u);

  Swept cheaper;
  cheaper.workers(2, six(100));
  const auto one = cheaper.workers(1, six(98.5));
  CHECK(cheaper.found().recommended->choice == Choice::cheaper);
  CHECK(cheaper.found().best == one);

  Swept unsure;  // as fast on average, but not known to be
  unsure.workers(2, six(100));
  unsure.workers(1, {90, 110, 92, 108, 97, 103});
  CHECK(unsure.found().recommended->choice == Choice::no_difference_shown);
  CHECK(unsure.found().recommended->point == 0);
}

TEST_CASE("choice: a little less memory is no reason to leave the base", "[unit][analysis]") {
  const auto with_memory = [](std::uint64_t bytes) {
    Swept run;
    run.format("tar", six(100));
    run.plan.points[0].labels.clear();
    run.format("hdf5", six(100));
    for (TrialRecord& r : run.records)
      r.facts.peak_memory_bytes = r.planned.trial == 1 ? bytes : 1000;
    return run.found().recommended->point;
  };
  CHECK(with_memory(901) == 0);
  CHECK(with_memory(899) == 1);
}

TEST_CASE("choice: memory decides only where both have it, and by more than a tenth",
          "[unit][analysis]") {
  const auto used = [](std::optional<std::uint64_t> first, std::optional<std::uint64_t> second) {
    Swept run;
    run.workers(2, six(100));
    run.plan.points[0].labels.clear();
    run.format("tar", six(200));
    run.format("hdf5", six(201));
    for (TrialRecord& r : run.records)
      if (r.planned.trial > 0) r.facts.peak_memory_bytes = r.planned.trial == 1 ? first : second;
    return run.found().recommended->point;
  };
  CHECK(used(899, 1000) == 1);
  CHECK(used(901, 1000) == 2);  // the faster one
  CHECK(used(1000, 899) == 2);
  CHECK(used(1, std::nullopt) == 2);
  CHECK(used(std::nullopt, 1) == 2);
}

TEST_CASE("choice: as good is within 2 % either way", "[unit][analysis]") {
  const auto used = [](double cheaper) {
    Swept run;
    run.workers(4, six(1e6));
    run.workers(8, six(2e6));
    run.workers(2, six(cheaper));
    run.plan.points[2].labels = {{"loader.num_workers", "2"}};
    return run.found().recommended->point;
  };
  CHECK(used(2e6 / 1.0199) == 2);
  CHECK(used(2e6 / 1.0201) == 1);  // 1.97 % slower, but the other is 2.01 % faster

  Swept base;  // the fastest is either faster than the base or the same
  base.workers(2, six(10000));
  base.workers(4, six(10202));
  CHECK(base.found().recommended->point == 1);
  CHECK(base.found().recommended->choice == Choice::faster);
}

TEST_CASE("choice: a repeat of the base is never the setting to use", "[unit][analysis]") {
  Swept run;
  run.workers(2, six(100));
  run.add({{"loader.num_workers", "2 #1"}}, run.settings(2), six(120));
  Findings f = run.found();
  CHECK(f.recommended->point == 0);
  CHECK(f.recommended->choice == Choice::no_difference_shown);
  const auto four = run.workers(4, six(110));
  f = run.found();
  CHECK(f.recommended->point == four);
  CHECK(f.recommended->fastest == four);
  CHECK(f.recommended->next == 0u);

  Swept same;  // nor as the cheaper one
  same.workers(2, six(100));
  same.add({{"loader.num_workers", "2 #1"}}, same.settings(2), six(100));
  for (TrialRecord& r : same.records) r.facts.peak_memory_bytes = r.planned.trial == 1 ? 100 : 1000;
  CHECK(same.found().recommended->point == 0);
}

TEST_CASE("choice: loaders alone are compared by the loaders' rates", "[unit][analysis]") {
  Swept run;
  run.mode = Mode::loader;
  run.axis("loader.num_workers");
  run.workers(2, six(100));
  const auto four = run.workers(4, six(150));
  run.workers(8, {140, 170, 150, 145, 160, 135});
  const Findings f = run.found();
  CHECK(f.recommended->mode == Mode::loader);
  CHECK(f.best == four);
  CHECK(f.recommended->over_next.shown == Shown::not_shown);
  REQUIRE(f.axes.size() == 1);
  CHECK(f.axes[0].outcome == AxisOutcome::gain);
}

TEST_CASE("choice: a run of one point has it as best, a sweep without another usable one has none",
          "[unit][analysis]") {
  Swept run;
  run.workers(2, {100});
  CHECK(run.found().best == 0u);
  CHECK(run.found().recommended->choice == Choice::only_one);
  run.workers(4, {300});
  run.records.back().status = Status::failed;
  CHECK_FALSE(run.found().best);
  CHECK(run.found().recommended->choice == Choice::only_one);
}

}  // namespace choice_test
}  // namespace benchbench
