#include "harness/app/wrap/wrap_tune.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <set>

#include "harness/app/exit_code.h"
#include "harness/app/tune/tune_told.h"

namespace benchbench {
namespace wrap_tune_test {

constexpr std::int64_t kSecond = 1'000'000'000;

// A script whose loader gives 100 samples/s a worker, and whose step takes `most`.
struct Script {
  explicit Script(double most = 1000) : limit(most) {
    planned.tunes = true;
    planned.loader.own = {{"num_workers", std::int64_t{1}},
                          {"prefetch_factor", std::int64_t{2}},
                          {"pin_memory", false}};
    planned.fixed = {{"pin_memory", "torch sees no accelerator here"}};
    tune.planned(planned);
  }
  double rate(const std::map<std::string, ExternalValue>& settings) const {
    const auto workers = settings.find("num_workers");
    const double count = workers == settings.end()
                             ? 1.0
                             : static_cast<double>(std::get<std::int64_t>(workers->second));
    return std::min(limit, 100 * std::max(0.5, count));
  }
  WrapStretch stretch(WrapKind kind, double samples_a_second,
                      std::map<std::string, ExternalValue> settings = {}) {
    WrapStretch made;
    made.kind = kind;
    made.settings = std::move(settings);
    made.result.segments = {{now, now + 2 * kSecond}};
    made.result.samples = static_cast<std::uint64_t>(
        2 * samples_a_second * (1 + 0.004 * std::sin(static_cast<double>(now / kSecond))));
    now += 3 * kSecond;
    return made;
  }
  void first_rounds() {
    tune.finished(stretch(WrapKind::full, rate({})));
    tune.finished(stretch(WrapKind::trainer, limit));
    tune.finished(stretch(WrapKind::loader, rate({})));
  }
  // Until it is enough; `refuses`: numbers of workers there is no memory for.
  std::size_t search(std::int64_t refuses = 1000) {
    std::vector<std::string> refused;
    for (std::size_t asked = 0; asked < 500; ++asked) {
      const auto next = tune.next(refused);
      if (!next) return asked;
      refused.clear();
      const auto workers = next->settings.find("num_workers");
      if (workers != next->settings.end() && std::get<std::int64_t>(workers->second) >= refuses)
        refused = {"there is no memory for its workers"};
      else
        tune.finished(stretch(next->own ? WrapKind::full : WrapKind::changed_full,
                              rate(next->settings), next->settings));
    }
    return 500;
  }
  double limit;
  std::int64_t now = kSecond;
  WrapPlanned planned;
  WrapTune tune{std::chrono::minutes{60}, 8};
};

// The same, where 400 samples/s are enough.
struct ScriptWithTarget : Script {
  explicit ScriptWithTarget(double target) : asked(std::chrono::minutes{60}, 8, target) {
    asked.planned(planned);
  }
  TuneResult result() {
    asked.finished(stretch(WrapKind::full, rate({})));
    asked.finished(stretch(WrapKind::trainer, limit));
    asked.finished(stretch(WrapKind::loader, rate({})));
    for (auto next = asked.next({}); next; next = asked.next({}))
      asked.finished(stretch(next->own ? WrapKind::full : WrapKind::changed_full,
                             rate(next->settings), next->settings));
    return asked.search().report("train.py").result;
  }
  WrapTune asked;
};

TEST_CASE("wrap: a target that is reached ends the search, one that is out of reach is said",
          "[unit][app][wrap]") {
  const TuneResult reached = ScriptWithTarget(400).result(),
                   missed = ScriptWithTarget(5000).result();
  CHECK(reached.target_met == true);
  CHECK(reached.stop == Stop::target_met);
  CHECK(reached.rate->value == Approx(400).epsilon(0.03));
  CHECK(missed.target_met == false);
  CHECK(missed.rate->value > 780);
}

TEST_CASE(
    "wrap: of an IterableDataset the report says that workers change the order of the samples",
    "[unit][app][wrap]") {
  Script script;
  script.first_rounds();
  script.search();
  CHECK(tune_text(script.tune.search().report("train.py"))
            .find("num_workers changes the order of the samples") == std::string::npos);
  Script streams;
  streams.planned.loader.streams = true;
  streams.tune.planned(streams.planned);
  streams.first_rounds();
  streams.search();
  CHECK(tune_text(streams.tune.search().report("train.py"))
            .find("num_workers changes the order of the samples") != std::string::npos);
}

TEST_CASE(
    "wrap: the search of a running script finds the settings that are fastest, "
    "and compares them with its own",
    "[unit][app][wrap]") {
  Script script;
  script.first_rounds();
  CHECK(script.search() < 300);
  const TuneReport report = script.tune.search().report("train.py");
  CHECK(report.result.advice == TuneAdvice::change);
  CHECK(line_to_paste(report).find("DataLoader(..., num_workers=8") == 0);
  REQUIRE_FALSE(report.result.gains.empty());
  CHECK(report.result.gains.front().ratio->value == Approx(8).epsilon(0.05));
  CHECK(
      tune_text(report).find("Not tried: pin_memory (torch sees no accelerator here); in_order") !=
      std::string::npos);
  CHECK(report.present->loader == Approx(100).epsilon(0.02));
}

TEST_CASE("wrap: a search that is not finished has the exit code of a budget that ended",
          "[unit][app][wrap]") {
  Script script;
  script.first_rounds();
  // One round of it.
  for (int asked = 0; asked < 5; ++asked) {
    const auto next = script.tune.next({});
    REQUIRE(next);
    script.tune.finished(script.stretch(next->own ? WrapKind::full : WrapKind::changed_full,
                                        script.rate(next->settings), next->settings));
  }
  const TuneReport early = script.tune.search().report("train.py");
  CHECK(early.result.advice == TuneAdvice::not_finished);
  CHECK(exit_code_of(early, false) == kBudgetEnded);
  // Pairs from none to much are too noisy to say, but of a gain that is refused.
  TuneReport noisy = early;
  const PointId present = noisy.problem.space.canonical(noisy.problem.present);
  noisy.result.gains = {{present, Estimate{1.06, 0.98, 1.15, 12}}};
  CHECK(exit_code_of(noisy, false) == kInconclusive);
  noisy.result.gains.front().refused = true;
  CHECK(exit_code_of(noisy, false) == kBudgetEnded);
  script.search();
  const TuneReport whole = script.tune.search().report("train.py");
  CHECK(whole.result.advice == TuneAdvice::change);
  CHECK(exit_code_of(whole, false) == kDone);
}

TEST_CASE("wrap: the search knows what the step waited in each of its stretches",
          "[unit][app][wrap]") {
  Script script;
  script.first_rounds();
  const auto next = script.tune.next({});
  REQUIRE(next);
  WrapStretch stretch = script.stretch(next->own ? WrapKind::full : WrapKind::changed_full,
                                       script.rate(next->settings), next->settings);
  stretch.result.get_ns = {1'000'000, 3'000'000}, stretch.result.step_ns = {6'000'000, 6'000'000};
  script.tune.finished(stretch);
  REQUIRE(script.tune.search().trials().size() == 1);
  CHECK(*script.tune.search().trials()[0].waited == Approx(0.25));  // 2 of 8 ms
}

TEST_CASE("wrap: nothing but the loader's settings is asked for", "[unit][app][wrap]") {
  Script script;
  script.first_rounds();
  std::set<std::string> names;
  std::vector<std::string> refused;
  for (auto next = script.tune.next({}); next; next = script.tune.next({})) {
    CHECK(next->own == next->settings.empty());
    for (const auto& [name, value] : next->settings) names.insert(name);
    script.tune.finished(script.stretch(next->own ? WrapKind::full : WrapKind::changed_full,
                                        script.rate(next->settings), next->settings));
  }
  CHECK(names == std::set<std::string>{"num_workers", "prefetch_factor"});
}

TEST_CASE("wrap: where the step binds there is nothing to tune", "[unit][app][wrap]") {
  Script script(100);
  script.first_rounds();
  script.search();
  CHECK(script.tune.search().report("train.py").result.stop == Stop::trainer_binds);
}

TEST_CASE("wrap: settings that are refused are not advised, and said", "[unit][app][wrap]") {
  Script script;
  script.first_rounds();
  CHECK(script.search(4) < 300);
  const TuneReport report = script.tune.search().report("train.py");
  CHECK(line_to_paste(report).find("DataLoader(..., num_workers=3") == 0);
  CHECK(report.result.failed > 0);
  REQUIRE(report.problems.size() == 1);
  CHECK(report.problems[0].text ==
        "settings that were refused: there is no memory for its workers");
}

TEST_CASE(
    "wrap: a stretch of the script's own that comes in place of an answer is no trial of the copy",
    "[unit][app][wrap]") {
  Script script;
  script.first_rounds();
  std::optional<TriedRound> next = script.tune.next({});
  while (next && next->own) {
    script.tune.finished(script.stretch(WrapKind::full, 100));
    next = script.tune.next({});
  }
  REQUIRE(next);
  const std::size_t before = script.tune.search().trials().size();
  script.tune.finished(script.stretch(WrapKind::full, 100));
  CHECK(script.tune.search().trials().size() == before);
  CHECK(script.tune.next({})->settings == next->settings);
  script.tune.finished(script.stretch(WrapKind::changed_full, 200, next->settings));
  CHECK(script.tune.search().trials().size() == before + 1);
}

TEST_CASE("wrap: before the first rounds are over there is no search to report",
          "[unit][app][wrap]") {
  Script script;
  CHECK(script.tune.search().problem() == nullptr);
  script.first_rounds();
  CHECK(script.tune.search().problem() == nullptr);
  script.tune.next({});
  CHECK(script.tune.search().problem() != nullptr);
}

}  // namespace wrap_tune_test
}  // namespace benchbench
