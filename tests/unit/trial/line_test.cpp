// Queue, pool, credits and slots together, under many mixes of times and settings in virtual time.
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "harness/core/random.h"
#include "tests/unit/trial/virtual_line.h"

namespace benchbench::test {
namespace line {

// Random times that depend on the batch alone.
std::function<std::int64_t(std::uint64_t)> random_times(std::uint64_t seed, std::uint64_t below) {
  return [=](std::uint64_t k) {
    return static_cast<std::int64_t>(Random(mix_seed(seed, k)).below(below));
  };
}

// One line of every kind: workers, credits, order, dispatch, unit, epochs shorter than what is in
// flight, leases held.
Line any_line(std::uint64_t seed) {
  Random random(mix_seed(99, seed));
  Line line;
  SupplyOptions& o = line.options;
  o.num_workers = static_cast<std::uint32_t>(random.below(6));
  o.max_jobs = 1 + static_cast<std::uint32_t>(random.below(2 * o.num_workers + 2));
  o.batch_size = 1 + static_cast<std::uint32_t>(random.below(6));
  o.in_order = random.below(2) == 0;
  o.drop_last = random.below(2) == 0;
  o.work_unit = random.below(3) == 0 ? WorkUnit::sample : WorkUnit::batch;
  if (o.work_unit == WorkUnit::batch) o.dispatch = static_cast<Dispatch>(random.below(3));
  o.seed = seed;
  line.shuffled = random.below(2) == 0;
  line.samples = o.batch_size + random.below(40);
  line.batches = 150;
  line.hold = static_cast<std::uint32_t>(random.below(3));
  line.make = random_times(mix_seed(seed, 1), 1 + random.below(60));
  line.step = random_times(mix_seed(seed, 2), 1 + random.below(30));
  return line;
}

bool in_order(const Outcome& out) {
  for (std::size_t k = 0; k < out.got.size(); ++k)
    if (out.got[k].batch != k) return false;
  return true;
}

// Every epoch that was got whole, by its ids in the order of its batches.
std::map<Epoch, std::vector<SampleId>> epochs_of(const Outcome& out) {
  std::map<BatchNumber, const Got*> by_batch;
  for (const Got& got : out.got) by_batch[got.batch] = &got;
  std::map<Epoch, std::vector<SampleId>> epochs;
  for (const auto& [batch, got] : by_batch)
    epochs[got->epoch].insert(epochs[got->epoch].end(), got->ids.begin(), got->ids.end());
  return epochs;
}

}  // namespace line
using namespace line;

TEST_CASE("line: exactly once an epoch, books in order, nothing torn, whatever the settings",
          "[unit][trial]") {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const Line l = any_line(seed);
    const Outcome out = simulate(l);
    INFO("seed " << seed << ": " << l.options.num_workers << " workers, " << l.options.max_jobs
                 << " tokens, batches of " << l.options.batch_size << " of " << l.samples
                 << ", in order " << l.options.in_order << ", holds " << l.hold << ", dispatch "
                 << static_cast<int>(l.options.dispatch) << ", unit "
                 << static_cast<int>(l.options.work_unit));
    REQUIRE(message_of(out.error) == "");
    REQUIRE(out.got.size() == l.batches);
    REQUIRE(out.requests.issued == out.delivered + out.requests.dropped + out.in_flight);
    REQUIRE(out.duplicated == 0);
    REQUIRE(out.missing == 0);
    REQUIRE(out.wrong_bytes == 0);
    REQUIRE(out.changed_while_held == 0);
    REQUIRE(out.most_outstanding <= l.options.max_jobs);
    REQUIRE(out.max_expected <= l.options.max_jobs);
    REQUIRE((!l.options.in_order || in_order(out)));
    REQUIRE(out.slots == l.options.max_jobs + l.hold + 1);
    for (const auto& [epoch, ids] : epochs_of(out)) {
      const std::set<SampleId> distinct(ids.begin(), ids.end());
      REQUIRE(distinct.size() == ids.size());
      REQUIRE(*distinct.rbegin() < l.samples);
    }
  }
}

TEST_CASE("line: tokens are all used, and never one more", "[unit][trial]") {
  // A trainer that takes for ever: the workers run as far ahead as they may.
  for (const std::uint32_t max_jobs : {1u, 2u, 5u, 16u}) {
    Line l{.options = {.num_workers = 4, .max_jobs = max_jobs, .meters = {}}, .batches = 20};
    l.make = [](BatchNumber) { return 1; };
    l.step = [](std::uint64_t) { return 1000; };
    const Outcome out = simulate(l);
    CHECK(out.most_outstanding == max_jobs);
    CHECK(out.in_flight == max_jobs);
  }
}

TEST_CASE("line: every worker wakes for the token it waits for", "[unit][trial]") {
  // Worker k of round robin waits for its own batches: waking another one would leave all of them
  // asleep, which the simulated runtime reports as a deadlock.
  for (const Dispatch dispatch : {Dispatch::shared, Dispatch::round_robin, Dispatch::least_loaded})
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      Line l{.options = {.num_workers = 7,
                         .max_jobs = 3,
                         .in_order = seed % 2 == 0,
                         .dispatch = dispatch,
                         .meters = {}},
             .batches = 200,
             .make = random_times(seed, 20),
             .step = random_times(seed + 1000, 20)};
      CHECK(simulate(l).got.size() == 200);
    }
}

TEST_CASE("line: what a worker throws ends the line with its cause", "[unit][trial]") {
  for (const std::uint32_t workers : {0u, 1u, 4u})
    for (const bool in_order : {true, false}) {
      Line l{.options = {.num_workers = workers, .max_jobs = 4, .in_order = in_order, .meters = {}},
             .batches = 100,
             .make = random_times(5, 30),
             .throw_in = 17};
      const Outcome out = simulate(l);
      INFO(workers << " workers");
      REQUIRE(message_of(out.error) == "the disk is gone");
      CHECK(out.got.size() < 100);
      try {
        std::rethrow_exception(out.error);
      } catch (const Error& error) {
        CHECK(std::string(error.context()).find("batch 17") != std::string::npos);
      }
      CHECK(out.requests.issued == out.delivered + out.requests.dropped + out.in_flight);
      CHECK(out.slots_free + out.in_flight == out.slots);  // no slot is lost; one sample a batch
    }
}

TEST_CASE("line: the workers' times are the line's, from the start on and for each of them",
          "[unit][trial]") {
  for (const std::uint32_t workers : {1u, 2u, 5u})
    for (const std::int64_t open : {0, 17, 1000}) {
      Line l{.options = {.num_workers = workers, .max_jobs = 3, .meters = {}},
             .batches = 30,
             .make = random_times(1, 30),
             .step = random_times(2, 10),
             .open = open};
      const Outcome out = simulate(l);
      INFO(workers << " workers, made in " << open << " ns");
      REQUIRE(message_of(out.error) == "");
      CHECK(out.workers.wall_ns() == workers * out.end);
    }
}

TEST_CASE("line: a stop leaves no slot behind", "[unit][trial]") {
  Line l{.options = {.num_workers = 3, .batch_size = 1, .max_jobs = 6, .meters = {}},
         .batches = 50,
         .make = random_times(7, 100),
         .step = random_times(8, 10),
         .hold = 1};
  const Outcome out = simulate(l);
  CHECK(out.slots_free + out.in_flight == out.slots);
  CHECK(out.in_flight == 6);
}

TEST_CASE("line: a trainer that keeps more batches than it said is told so", "[unit][trial]") {
  Line l{.options = {.num_workers = 1, .max_jobs = 2, .meters = {}}, .batches = 10};
  std::string message;
  l.at_step = [&](std::uint64_t, Supply& supply) {
    std::vector<BatchLease> leases;
    try {
      for (int i = 0; i < 4; ++i) leases.push_back(supply.get({}));
    } catch (const std::exception& e) {
      message = e.what();
    }
    leases.clear();
    throw PartError("enough");
  };
  CHECK(message_of(simulate(l).error) == "enough");
  CHECK(message == "all 3 batch slots are in use");
}

TEST_CASE("line: augmentation seeds depend on seed, epoch and sample, not on who does the work",
          "[unit][trial]") {
  using Seeds = std::set<std::pair<SampleId, std::uint64_t>>;
  // Two epochs are got; what is beyond them is in flight, more or less of it.
  const auto seeds_of = [](std::uint32_t workers, WorkUnit unit, std::uint64_t seed) {
    Line l{.options = {.num_workers = workers,
                       .batch_size = 4,
                       .max_jobs = 6,
                       .work_unit = unit,
                       .seed = seed,
                       .meters = {}},
           .samples = 40,
           .batches = 20,
           .shuffled = true,
           .make = random_times(workers, 50)};
    const auto seeds = simulate(l).seeds;
    return Seeds(seeds.begin(), seeds.end());
  };
  const Seeds alone = seeds_of(0, WorkUnit::batch, 3);
  CHECK(alone.size() == 80);  // other seeds in the second epoch
  for (const std::uint32_t workers : {1u, 3u, 8u})
    for (const WorkUnit unit : {WorkUnit::batch, WorkUnit::sample}) {
      const Seeds many = seeds_of(workers, unit, 3);
      CHECK(std::includes(many.begin(), many.end(), alone.begin(), alone.end()));
    }
  const Seeds other = seeds_of(0, WorkUnit::batch, 4);
  CHECK_FALSE(std::includes(other.begin(), other.end(), alone.begin(), alone.end()));
}

TEST_CASE("line: batches of a data set smaller than one", "[unit][trial]") {
  Line l{.options = {.num_workers = 2, .batch_size = 8, .max_jobs = 4, .meters = {}},
         .samples = 5,
         .batches = 6};
  CHECK(message_of(simulate(l).error).find("an epoch of 5 samples has no full batch of 8") == 0);
  l.options.drop_last = false;
  const Outcome out = simulate(l);
  REQUIRE(out.got.size() == 6);
  for (const Got& got : out.got) CHECK(got.ids.size() == 5);
  CHECK(out.epochs == 6);
}

TEST_CASE("line: a straggling batch holds up the order, not the others", "[unit][trial]") {
  Line l{.options = {.num_workers = 4, .max_jobs = 8, .in_order = true, .meters = {}},
         .batches = 12};
  l.make = [](BatchNumber b) { return b == 2 ? 100 : 10; };
  const Outcome ordered = simulate(l);
  CHECK(ordered.got[1].at == 10);
  CHECK(ordered.got[2].at == 100);
  CHECK(ordered.got[3].at == 100);
  l.options.in_order = false;
  const Outcome free = simulate(l);
  CHECK(free.got[2].at == 10);
  CHECK(free.got[2].batch == 3);
}

}  // namespace benchbench::test
