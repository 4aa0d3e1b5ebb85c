#include "harness/app/wrap/wrap_ranks.h"

#include <unistd.h>
#include <catch2/catch.hpp>

#include <algorithm>

#include "harness/store/series_file.h"
#include "tests/unit/app/wrapped_script.h"

namespace benchbench::wrap_ranks_test {
namespace {

using wrap_kept_test::Wrapped;

// A stretch of 400 samples.
WrapStretch make_stretch(WrapKind kind, std::uint32_t round, std::int64_t ns,
                         std::vector<std::int64_t> waits = {}) {
  WrapStretch stretch;
  stretch.kind = kind;
  stretch.round = round;
  stretch.result.segments = {{0, ns}};
  stretch.result.samples = 400;
  stretch.result.get_ns = std::move(waits);
  return stretch;
}

void add(WrapProcess& to, WrapKind kind, std::uint32_t round, std::int64_t ns,
         std::vector<std::int64_t> waits = {}) {
  to.stretches.emplace_back().stretch = make_stretch(kind, round, ns, std::move(waits));
}

}  // namespace

TEST_CASE("wrap: a rank's rates are of each round, with what share of F it waits",
          "[unit][app][wrap]") {
  WrapProcess slow, quick;
  slow.hello.rank = 1;
  quick.hello.rank = 0;
  add(slow, WrapKind::full, 0, 1'000'000'000, {600'000'000});
  add(slow, WrapKind::full, 0, 1'000'000'000, {200'000'000});  // in two parts
  add(slow, WrapKind::full, 1, 2'000'000'000, {0});
  add(quick, WrapKind::full, 0, 2'000'000'000, {100'000'000});
  add(quick, WrapKind::trainer, 0, 500'000'000, {0});
  CHECK(slowest_of({&quick, &slow}) == &slow);
  const std::vector<RankRates> ranks = rank_rates({&slow, &quick}, &slow);
  REQUIRE(ranks.size() == 2);
  CHECK(ranks[0].rank == 0);
  CHECK(ranks[0].trainer == std::vector<double>{800});
  CHECK(*ranks[0].waited_share == Approx(0.05));
  CHECK(ranks[1].pipeline == std::vector<double>{400, 200});
  CHECK(*ranks[1].waited_share == Approx(0.2));
  CHECK(ranks[1].reported);
}

TEST_CASE(
    "wrap: which rank is the slowest goes by the mean that the report has, "
    "not by the sum of its rounds",
    "[unit][app][wrap]") {
  WrapProcess even, uneven, watched, unseen;
  even.hello.rank = watched.hello.rank = 1;
  uneven.hello.rank = unseen.hello.rank = 0;
  for (const std::uint32_t round : {0u, 1u}) add(even, WrapKind::loader, round, 1'000'000'000);
  add(uneven, WrapKind::loader, 0, 2'000'000'000);  // 200 and 1000 samples/s: 447, but 333 in all
  add(uneven, WrapKind::loader, 1, 400'000'000);
  CHECK(slowest_of({&uneven, &even}) == &even);
  add(watched, WrapKind::full, 0, 1'000'000'000);
  // It waits for nothing, but of the other nothing is known.
  CHECK(slowest_of({&unseen, &watched}) == &watched);
  // Without L, too.
  for (const auto& pair : {std::vector<const WrapProcess*>{&even, &unseen}, {&unseen, &even}})
    CHECK(slowest_of(pair) == &even);
  WrapProcess equal = even, empty;
  equal.hello.rank = 0, empty.hello.rank = 3;
  for (const auto& pair : {std::vector<const WrapProcess*>{&even, &equal}, {&equal, &even}})
    CHECK(slowest_of(pair) == &equal);
  add(empty, WrapKind::loader, 0, 0);  // no time, and below no samples
  empty.stretches.push_back(even.stretches.front());
  empty.stretches.back().stretch.round = 1, empty.stretches.back().stretch.result.samples = 0;
  CHECK(rates_of(empty.stretches, WrapKind::loader).empty());
}

// Two ranks, of which the second one's loader is slower over both rounds, but not in the first.
TEST_CASE(
    "wrap: of ranks that train together one is kept, whose loader is the slowest over all rounds",
    "[unit][app][wrap]") {
  Wrapped w;
  WrapRun run(w.request, *w.runtime);
  WrapKept kept(w.request, observe_environment());
  for (const std::uint32_t rank : {0u, 1u}) {
    WrapHello hello;
    hello.pid = ::getpid() + static_cast<int>(rank);  // of the second only the number is used
    hello.interpreter = "/usr/bin/python3";
    WrapSteady steady;
    steady.loader.own = {{"num_workers", std::int64_t{2}}, {"batch_size", std::int64_t{4}}};
    steady.rank = rank;
    steady.world = 2;
    steady.loader.trains = true;
    run.connected(hello);
    CHECK(run.steady(hello.pid, steady));
  }
  const auto measures = [&](int rank, std::uint32_t round, std::int64_t batch_ns) {
    WrapStretch stretch = make_stretch(WrapKind::loader, round, 100 * batch_ns,
                                       std::vector<std::int64_t>(100, batch_ns));
    stretch.result.steps = 100;
    run.finished(::getpid() + rank, stretch);
  };
  measures(0, 0, 5'000'000);
  measures(1, 0, 4'000'000);
  kept.keep(run);
  CHECK(run.shown() == run.lead());
  measures(0, 1, 3'000'000);
  measures(1, 1, 6'000'000);
  kept.keep(run);
  CHECK(w.count_records() == 2);
  CHECK(run.shown()->hello.rank == 1u);
  REQUIRE(kept.finish(run));
  const Journal journal = RunFolder::read(w.request.folder);
  REQUIRE(journal.records.size() == 2);
  const auto& ranks = journal.plan.ranks;
  REQUIRE(ranks.size() == 2);
  CHECK(ranks[0].rank == 0);
  CHECK_FALSE(ranks[0].reported);
  REQUIRE(ranks[0].loader.size() == 2);
  CHECK(ranks[0].loader[0] == Approx(800));
  CHECK(ranks[0].loader[1] == Approx(1333.33));
  CHECK(ranks[1].rank == 1);
  CHECK(ranks[1].reported);
  REQUIRE(ranks[1].loader.size() == 2);
  CHECK(ranks[1].loader[0] == Approx(1000));
  CHECK(ranks[1].trainer.empty());
  CHECK(ranks[1].pipeline.empty());
  CHECK_FALSE(ranks[1].waited_share);
  for (const std::size_t round : {0u, 1u}) {
    const std::int64_t batch_ns = round == 0 ? 4'000'000 : 6'000'000;
    CHECK(journal.records[round].facts.window.ns == 100 * batch_ns);
    const auto& series = journal.records[round].series;
    const auto waits = std::ranges::find(series, "get_blocked", &SeriesFile::name);
    REQUIRE(waits != series.end());
    CHECK(read_series(kept.folder(), *waits).at(0) == batch_ns);
  }
}

TEST_CASE("wrap: of one process there are no ranks to compare", "[unit][app][wrap]") {
  Wrapped w;
  w.measures_round(0);
  CHECK(w.finish().plan.ranks.empty());
}

}  // namespace benchbench::wrap_ranks_test
