// Which pairs ran under like conditions.
#include "harness/analysis/compare/clean_pairs.h"

#include <catch2/catch.hpp>
#include <vector>

#include "tests/unit/analysis/made_run.h"

namespace benchbench::clean_pairs_test {
namespace {

using test::judged;

// Its window of 1 s on 64 cores lost that share to other programs, as a thread of it waited.
TrialRecord lost(double share, std::uint32_t round = 0) {
  TrialRecord r;
  r.planned.round = round;
  r.facts = test::good_facts(1000);
  r.environment.cpus_usable = 64;
  r.facts.cpu.user_s = 1, r.facts.cpu.system_s = 0;
  r.facts.cpu.others_s = 60, r.facts.cpu.run_delay_most_s = share;
  return r;
}

enum class Pair { clean, disturbed, neither };

Pair kind_of(const TrialRecord& a, const TrialRecord& b) {
  const JudgedRecord of_a = judged(a), of_b = judged(b);
  CHECK(is_clean_pair(of_a, of_b) == is_clean_pair(of_b, of_a));
  CHECK(is_disturbed_pair(of_a, of_b) == is_disturbed_pair(of_b, of_a));
  if (is_clean_pair(of_a, of_b)) {
    CHECK_FALSE(is_disturbed_pair(of_a, of_b));
    return Pair::clean;
  }
  return is_disturbed_pair(of_a, of_b) ? Pair::disturbed : Pair::neither;
}

}  // namespace

TEST_CASE("clean pairs: other programs cost both sides as much", "[unit][analysis]") {
  REQUIRE(judged(lost(0.02)).status == Status::valid);
  REQUIRE(judged(lost(0.30)).status == Status::noisy);
  CHECK(kind_of(lost(0), lost(0.02)) == Pair::clean);
  CHECK(kind_of(lost(0.30), lost(0.31)) == Pair::clean);
  CHECK(kind_of(lost(0.02), lost(0.04)) == Pair::clean);  // on both sides of R09's limit
  CHECK(kind_of(lost(0.30), lost(0.34)) == Pair::disturbed);
  CHECK(kind_of(lost(0), lost(0.04)) == Pair::disturbed);
}

TEST_CASE("clean pairs: the host's part counts too, and a process on the GPU has no share",
          "[unit][analysis]") {
  TrialRecord stolen = lost(0);
  stolen.facts.cpu.steal_share = 0.02;
  CHECK(kind_of(lost(0), stolen) == Pair::clean);
  CHECK(kind_of(stolen, lost(0.045)) == Pair::clean);
  stolen.facts.cpu.steal_share = 0.05;
  CHECK(kind_of(lost(0), stolen) == Pair::disturbed);
  TrialRecord shared = lost(0);
  shared.facts.gpu.emplace().foreign = 1;
  REQUIRE(judged(shared).status == Status::noisy);
  CHECK(kind_of(shared, shared) == Pair::disturbed);
}

TEST_CASE(
    "clean pairs: a load that comes on within a window is a trend, and is replaced all the same",
    "[unit][analysis]") {
  TrialRecord half = lost(0.24);
  half.facts.window.slope_share = 0.7;
  REQUIRE(judged(half).reasons.size() == 2);  // R06, R09
  CHECK(kind_of(half, lost(0)) == Pair::disturbed);
  CHECK(kind_of(half, lost(0.24)) == Pair::disturbed);
  CHECK(kind_of(half, half) == Pair::disturbed);
}

TEST_CASE("clean pairs: another doubt is not replaced, nor is what cannot be used",
          "[unit][analysis]") {
  TrialRecord unsteady = lost(0), broken = lost(0);
  unsteady.facts.start.steady = false;  // R06
  broken.facts.accounting.duplicated = 1;
  CHECK(kind_of(unsteady, lost(0)) == Pair::neither);
  CHECK(kind_of(unsteady, unsteady) == Pair::neither);
  CHECK(kind_of(broken, lost(0)) == Pair::neither);
  CHECK(kind_of(broken, lost(0.3)) == Pair::neither);
}

TEST_CASE("clean pairs: runs are paired by their round and repeat", "[unit][analysis]") {
  const std::vector<TrialRecord> a{lost(0, 0), lost(0.3, 1), lost(0, 3)},
      b{lost(0.3, 1), lost(0, 0), lost(0, 2)};
  std::vector<JudgedRecord> of_a, of_b;
  for (const TrialRecord& r : a) of_a.push_back(judged(r));
  for (const TrialRecord& r : b) of_b.push_back(judged(r));
  const RunFilter is_clean = clean_runs(of_a, of_b, true);
  CHECK((is_clean(of_a[0]) && is_clean(of_a[1]) && is_clean(of_b[0]) && is_clean(of_b[1])));
  CHECK_FALSE((is_clean(of_a[2]) || is_clean(of_b[2])));
  // Sets have VALID rounds.
  const RunFilter is_valid = clean_runs(of_a, of_b, false);
  CHECK((is_valid(of_a[0]) && is_valid(of_a[2]) && !is_valid(of_a[1])));
}

TEST_CASE("clean pairs: noise comes with a side where chance alone would not put it there",
          "[unit][analysis]") {
  // Ten pairs: A alone is NOISY in the first `noisy_a` of them, B alone in the last `noisy_b`.
  const auto comes = [](std::uint32_t noisy_a, std::uint32_t noisy_b) {
    std::vector<TrialRecord> a, b;
    for (std::uint32_t round = 0; round < 10; ++round) {
      a.push_back(lost(round < noisy_a ? 0.3 : 0, round));
      b.push_back(lost(round >= 10 - noisy_b ? 0.3 : 0, round));
    }
    std::vector<JudgedRecord> of_a, of_b;
    for (const TrialRecord& r : a) of_a.push_back(judged(r));
    for (const TrialRecord& r : b) of_b.push_back(judged(r));
    return comes_noise_with_a_side(of_a, of_b);
  };
  CHECK_FALSE(comes(0, 0));
  CHECK_FALSE(comes(0, 5));  // 2 / 2^5 is 6 %
  CHECK(comes(0, 6));
  CHECK(comes(6, 0));
  CHECK_FALSE(comes(8, 2));  // 2 (1 + 10 + 45) / 2^10 is 11 %
  CHECK(comes(9, 1));
  CHECK_FALSE(comes(10, 10));  // both sides in all
}

}  // namespace benchbench::clean_pairs_test
