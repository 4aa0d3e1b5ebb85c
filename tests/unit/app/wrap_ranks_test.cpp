#include "harness/app/wrap/wrap_ranks.h"

#include <catch2/catch.hpp>

namespace benchbench {
namespace wrap_ranks_test {

TEST_CASE("wrap: a rank's rates are of each round, with what share of F it waits",
          "[unit][app][wrap]") {
  WrapProcess slow, quick;
  slow.hello.rank = 1;
  quick.hello.rank = 0;
  const auto add = [](WrapProcess& to, WrapKind kind, std::uint32_t round, std::int64_t ns,
                      std::int64_t waited) {
    SeenStretch seen;
    seen.stretch.kind = kind;
    seen.stretch.round = round;
    seen.stretch.result.segments = {{0, ns}};
    seen.stretch.result.samples = 400;
    seen.stretch.result.get_ns = {waited};
    to.stretches.push_back(seen);
  };
  add(slow, WrapKind::full, 0, 1'000'000'000, 600'000'000);
  add(slow, WrapKind::full, 0, 1'000'000'000, 200'000'000);  // in two parts
  add(slow, WrapKind::full, 1, 2'000'000'000, 0);
  add(quick, WrapKind::full, 0, 2'000'000'000, 100'000'000);
  add(quick, WrapKind::trainer, 0, 500'000'000, 0);
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
  const auto add = [](WrapProcess& to, WrapKind kind, std::uint32_t round, std::int64_t ns) {
    SeenStretch seen;
    seen.stretch.kind = kind;
    seen.stretch.round = round;
    seen.stretch.result.segments = {{0, ns}};
    seen.stretch.result.samples = 400;
    to.stretches.push_back(seen);
  };
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

}  // namespace wrap_ranks_test
}  // namespace benchbench
