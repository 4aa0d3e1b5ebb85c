// Tests that a search for other settings is reported later as it was at its end.
#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/unit/app/standard_error.h"
#include "tests/unit/app/wrapped_script.h"

namespace benchbench::wrap_kept_test {
namespace {

constexpr std::int64_t kMs = 1'000'000;

WrapRequest ask_search() {
  WrapRequest request;
  request.order.tune = true;
  request.order.budget = std::chrono::minutes{5};
  request.max_workers = 6;
  return request;
}

std::int64_t count_workers(const std::map<std::string, ExternalValue>& settings) {
  const auto workers = settings.find("num_workers");
  return workers == settings.end() ? 2 : std::get<std::int64_t>(workers->second);
}

// A script whose step waits less the more workers its loader has, and whose settings are searched.
class Searched : public Wrapped {
 public:
  // `refuses`: so many workers and more; `blocked`: the search cannot be stored.
  explicit Searched(std::int64_t refuses = 1000, bool blocked = false)
      : Wrapped(true, ask_search()) {
    plans();
    measures_next(WrapKind::full, 0, {});
    keep();
    if (blocked) std::ofstream(request.folder + "/search") << "in the way";
    WrapState state;
    for (auto next = run.next(::getpid(), state); next; next = run.next(::getpid(), state)) {
      state.refused.clear();
      if (!next->settings.empty() && count_workers(next->settings) >= refuses)
        state.refused = {"there is no memory for its workers"};
      else
        for (const WrapStretchOrder& asked : next->stretches)
          measures_next(asked.kind, asked.round, next->settings);
      keep();
    }
  }
  void plans() {
    Wrapped::plans(true, [](WrapSteady& steady) {
      steady.tunes = true;
      steady.loader.own["prefetch_factor"] = std::int64_t{2};
      steady.fixed = {{"pin_memory", "torch sees no accelerator here"}};
    });
  }
  TuneReport seen() const { return run.tune()->search().report("train.py"); }

 private:
  void measures_next(WrapKind kind, std::uint32_t round,
                     const std::map<std::string, ExternalValue>& settings) {
    measures(kind, round, [&](WrapStretch& stretch) {
      const std::int64_t wait = kind == WrapKind::trainer
                                    ? 0
                                    : 12 * kMs / (1 + count_workers(settings)),
                         step = kind == WrapKind::loader ? 0 : 9 * kMs + round % 3 * 1000;
      stretch.settings = settings;
      stretch.result.segments = {{now_, now_ + 100 * (wait + step)}};
      now_ += 100 * (wait + step) + 7 * kMs;
      stretch.result.get_ns.assign(100, wait);
      if (step > 0) stretch.result.step_ns.assign(100, step);
    });
  }
  std::int64_t now_ = 1000 * kMs;
};

std::string json_of(const TuneReport& report) { return tune_json(report).dump(1); }

}  // namespace

TEST_CASE("wrap: a stored search is reported to the letter as it was", "[unit][app][wrap]") {
  for (const std::int64_t refuses : {1000, 4}) {
    Searched w(refuses);
    REQUIRE(w.seen().records.size() > 10);
    const Journal journal = w.finish();
    const std::optional<ScriptSearch> read = read_search(w.request.folder, journal);
    REQUIRE(read);
    CHECK(tune_text(read->report("train.py")) == tune_text(w.seen()));
    CHECK(json_of(read->report("train.py")) == json_of(w.seen()));
    CHECK(json_of(w.kept.search()->report("train.py")) == json_of(w.seen()));
    CHECK(w.seen().problems.size() == (refuses == 4 ? 1 : 0));
    CHECK((w.seen().result.failed > 0) == (refuses == 4));
    CHECK(journal.records.size() == w.kept.records().size());
    CHECK(journal.records.size() == 6);  // of the script as it is
  }
}

TEST_CASE("wrap: the trials of a search are in their folder as soon as they have come",
          "[unit][app][wrap]") {
  Searched w;
  const Journal script = RunFolder::read(w.request.folder);
  const std::optional<ScriptSearch> killed = read_search(w.request.folder, script);
  REQUIRE(killed);
  CHECK(killed->trials().size() == w.seen().records.size());
  CHECK(killed->asked().budget_seconds == 300);
}

TEST_CASE("wrap: a search of another loop is dropped from the folder", "[unit][app][wrap]") {
  Searched w;
  w.plans();
  w.keep(WrapKind::full);
  CHECK_FALSE(std::filesystem::exists(w.request.folder + "/search"));
  w.finish();
  CHECK_FALSE(w.kept.search());
  CHECK_FALSE(read_search(w.request.folder, RunFolder::read(w.request.folder)));
}

TEST_CASE("wrap: a search that cannot be written is said once, and reported all the same",
          "[unit][app][wrap]") {
  std::optional<Searched> w;
  const std::string told = test::on_standard_error([&] {
    w.emplace(1000, true);
    REQUIRE(w->kept.finish(w->run));
  });
  const std::string_view words = "error: the record was not written: ";
  CHECK(told.find(words) != std::string::npos);
  CHECK(told.find(words, told.find(words) + 1) == std::string::npos);
  CHECK(told.ends_with("benchbench: of 6 records the first 6 can be read: benchbench report " +
                       w->request.folder + "\n"));
  CHECK(w->kept.folder().empty());
  CHECK(json_of(w->kept.search()->report("train.py")) == json_of(w->seen()));
  CHECK_FALSE(read_search(w->request.folder, RunFolder::read(w->request.folder)));
}

}  // namespace benchbench::wrap_kept_test
