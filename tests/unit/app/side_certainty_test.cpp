#include "harness/app/wrap/schedule/side_certainty.h"

#include <catch2/catch.hpp>

namespace benchbench {
namespace side_certainty_test {

constexpr std::int64_t kSecond = 1'000'000'000;

WrapStretch stretch_of(WrapKind kind, std::uint32_t round, std::uint64_t samples,
                       std::int64_t waited_ns = kSecond / 2) {
  WrapStretch stretch;
  stretch.kind = kind, stretch.round = round;
  stretch.result.segments = {{0, kSecond}};
  stretch.result.samples = samples, stretch.result.steps = samples / 10;
  stretch.result.get_ns = {waited_ns};
  return stretch;
}

ResourceUse others_took(std::optional<double> cores) {
  ResourceUse used;
  used.shared.emplace();
  used.shared->span_s = 1, used.shared->others_s = cores;
  return used;
}

struct Measured : SideCertainty {
  using SideCertainty::SideCertainty;
  void add_round(std::uint32_t round, std::uint64_t loader, std::uint64_t trainer,
                 std::uint64_t full, std::optional<double> others = 0.0) {
    add(stretch_of(WrapKind::full, round, full), others_took(others));
    add(stretch_of(WrapKind::trainer, round, trainer), others_took(others));
    add(stretch_of(WrapKind::loader, round, loader), others_took(others));
  }
};

TEST_CASE("side of a script: a round settles it where L and T are far apart", "[unit][app][wrap]") {
  Measured far(true), near(true);
  CHECK_FALSE(far.is_settled());
  far.add_round(0, 1000, 3000, 980);
  CHECK(far.is_settled());
  near.add_round(0, 1000, 1050, 980);
  CHECK_FALSE(near.is_settled());
}

TEST_CASE("side of a script: a round without all three settles nothing", "[unit][app][wrap]") {
  SideCertainty side(true);
  side.add(stretch_of(WrapKind::full, 0, 980), others_took(0));
  side.add(stretch_of(WrapKind::loader, 0, 1000), others_took(0));
  CHECK_FALSE(side.is_settled());
  side.add(stretch_of(WrapKind::trainer, 1, 3000), others_took(0));
  CHECK_FALSE(side.is_settled());
}

TEST_CASE("side of a script: programs that take a core make one round less certain",
          "[unit][app][wrap]") {
  for (const auto& [others, settled] :
       {std::pair{std::optional(0.1), true}, {0.3, false}, {std::nullopt, false}}) {
    Measured side(true);
    side.add_round(0, 1000, 2000, 980, others);
    CHECK(side.is_settled() == settled);
  }
}

TEST_CASE("side of a script: what others took is of the stretch, not of all the time around it",
          "[unit][app][wrap]") {
  for (const auto& [span_s, settled] : {std::pair{1.0, false}, {3.0, true}, {0.4, false}}) {
    Measured side(true);
    ResourceUse used = others_took(0.3);
    used.shared->span_s = span_s;
    side.add(stretch_of(WrapKind::full, 0, 980), used);
    side.add(stretch_of(WrapKind::trainer, 0, 2000), used);
    side.add(stretch_of(WrapKind::loader, 0, 1000), used);
    CHECK(side.is_settled() == settled);
  }
}

TEST_CASE("side of a script: rounds go on where others may have cost what neither side takes",
          "[unit][app][wrap]") {
  for (const auto& [others, settled] : {std::pair(0.1, true), {0.5, false}}) {
    Measured side(true);
    side.add_round(0, 1000, 1100, 300, others);
    CHECK(side.is_settled() == settled);
  }
}

TEST_CASE("side of a script: without workers one round is enough", "[unit][app][wrap]") {
  Measured side(false);
  side.add_round(0, 1000, 1050, 512, {});
  CHECK(side.is_settled());
}

TEST_CASE("side of a script: a step that never waits needs no far loader", "[unit][app][wrap]") {
  Measured side(true);
  side.add(stretch_of(WrapKind::full, 0, 1000, 0), others_took(0));
  side.add(stretch_of(WrapKind::trainer, 0, 1005), others_took(0));
  side.add(stretch_of(WrapKind::loader, 0, 1300), others_took(0));
  CHECK(side.is_settled());
}

}  // namespace side_certainty_test
}  // namespace benchbench
