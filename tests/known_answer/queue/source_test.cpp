// What a supply owes its users where the loader has workers, a queue and memory of its own.
#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>

#include "harness/record/keys.h"
#include "harness/trial/prototype_batch.h"
#include "tests/known_answer/hand_over.h"
#include "tests/known_answer/queue/own_trial.h"
#include "tests/known_answer/queue/source_loader.h"

namespace benchbench::test {
namespace source_scenes {

constexpr Nanoseconds kMs = std::chrono::milliseconds{1};

struct SourceScene {
  SourceScene(Runtime& its_runtime, const SupplyOptions& options, const SourceBehaviour& behaviour)
      : runtime(its_runtime),
        loader(behaviour),
        device(make_cpu_device()),
        supply(options, loader, sampler, *device, its_runtime) {
    supply.start();
  }
  ~SourceScene() { supply.stop(); }
  Runtime& runtime;
  SourceLoader loader;
  InStorageOrder sampler;
  std::unique_ptr<Device> device;
  Supply supply;
};

SupplyOptions options(std::uint32_t workers, bool in_order = true) {
  return {.num_workers = workers,
          .batch_size = 32,
          .max_jobs = 2 * std::max(1u, workers),
          .in_order = in_order,
          .meters = {}};
}

std::string error_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& e) {
    return std::string(e.message());
  }
  return "nothing was thrown";
}

// How long 100 batches take after the first.
Nanoseconds time_of_100(Runtime& runtime, std::uint32_t workers) {
  SourceScene scene(runtime, options(workers), {.fill_time = 10 * kMs});
  scene.supply.get({});
  const TimePoint begin = runtime.now();
  for (int i = 0; i < 100; ++i) scene.supply.get({});
  return runtime.now() - begin;
}

struct SourceAccounting {
  std::uint64_t delivered = 0, duplicated = 0, missing = 0, epochs = 0, in_flight = 0, issued = 0,
                torn = 0;
  bool sorted = true, measured = false;
};

// 100 batches, three whole epochs of 32 and a rest.
SourceAccounting accounting_after(Runtime& runtime, std::uint32_t workers,
                                  const SourceBehaviour& behaviour, bool in_order = true) {
  SourceScene scene(runtime, options(workers, in_order), behaviour);
  SampleAccounting accounting(scene.supply.stream(), 1024);
  SourceAccounting seen;
  for (BatchNumber b = 0; b < 100; ++b) {
    const BatchLease lease = scene.supply.get({});
    accounting.delivered(lease.epoch(), lease.ids());
    seen.torn += behaviour.knows_ids && !holds_its_ids(lease);
    seen.sorted = seen.sorted && lease.batch() == b;
  }
  scene.supply.stop();
  seen.delivered = accounting.delivered();
  seen.duplicated = accounting.duplicated();
  seen.missing = accounting.missing();
  seen.epochs = accounting.epochs_completed();
  seen.measured = accounting.measured();
  seen.in_flight = scene.supply.in_flight().value;
  seen.issued = scene.supply.counts().issued;
  return seen;
}

}  // namespace source_scenes

using namespace source_scenes;

TEST_CASE("source: a loader's own workers deliver at their own rate", "[known_answer][queue]") {
  CHECK(in_virtual_time([](Runtime& r) { return time_of_100(r, 0); }) == 1000 * kMs);
  CHECK(in_virtual_time([](Runtime& r) { return time_of_100(r, 1); }) == 1000 * kMs);
  CHECK(in_virtual_time([](Runtime& r) { return time_of_100(r, 2); }) == 500 * kMs);
  CHECK(in_virtual_time([](Runtime& r) { return time_of_100(r, 4); }) == 250 * kMs);
}

TEST_CASE("source: every sample exactly once an epoch, whatever the order of batches",
          "[known_answer][queue]") {
  const std::uint32_t workers = GENERATE(0u, 1u, 3u);
  const bool in_order = GENERATE(true, false);
  const bool real = GENERATE(false, true);
  CAPTURE(workers, in_order, real);
  const auto scene = [&](Runtime& r) { return accounting_after(r, workers, {}, in_order); };
  const SourceAccounting seen = real ? on_real_threads(scene) : in_virtual_time(scene);
  CHECK(seen.delivered == 3200);
  CHECK(seen.duplicated == 0);
  CHECK(seen.missing == 0);
  // Out of order a batch of the fourth epoch may come before the third's last.
  if (in_order || workers < 2) CHECK(seen.epochs == 3);
  CHECK(seen.torn == 0);
  CHECK(seen.in_flight == 32u * (workers == 0 ? 0 : 2 * workers));
  CHECK(seen.issued == seen.delivered + seen.in_flight);
  if (in_order) CHECK(seen.sorted);
}

TEST_CASE("source: batches come as they are done where no order is asked for",
          "[known_answer][queue]") {
  const SourceBehaviour one_is_slow{.slow = 5, .slow_time = 20 * kMs};
  const auto order = [&](bool in_order) {
    return in_virtual_time([&](Runtime& runtime) {
      SourceScene scene(runtime, options(2, in_order), one_is_slow);
      std::vector<BatchNumber> got;
      for (int i = 0; i < 9; ++i) got.push_back(scene.supply.get({}).batch());
      return got;
    });
  };
  CHECK(order(true) == std::vector<BatchNumber>{0, 1, 2, 3, 4, 5, 6, 7, 8});
  // 5 is still being made
  CHECK(order(false) == std::vector<BatchNumber>{0, 1, 2, 3, 4, 6, 7, 8, 9});
}

TEST_CASE("source: a batch of the wrong samples is in the books", "[known_answer][queue]") {
  const SourceAccounting seen =
      in_virtual_time([](Runtime& r) { return accounting_after(r, 1, {.repeat = 5}); });
  CHECK(seen.duplicated == 32);
  CHECK(seen.missing == 32);
}

TEST_CASE("source: without ids conservation is not measured, and nothing is missing",
          "[known_answer][queue]") {
  const SourceAccounting seen =
      in_virtual_time([](Runtime& r) { return accounting_after(r, 2, {.knows_ids = false}); });
  CHECK_FALSE(seen.measured);
  CHECK(seen.delivered == 0);
  CHECK(seen.missing == 0);
}

TEST_CASE("source: a batch that is not what was ordered ends the trial", "[known_answer][queue]") {
  const auto run = [](const SourceBehaviour& behaviour) {
    return in_virtual_time(
        [&](Runtime& r) { return error_of([&] { accounting_after(r, 1, behaviour); }); });
  };
  CHECK(run({.short_by_one = 3}).find("batch 3 has 31 samples") != std::string::npos);
  CHECK(run({.swap = 3}).find("batch 4 instead of batch 3") != std::string::npos);
  CHECK(run({}) == "nothing was thrown");
}

TEST_CASE("source: what a worker died of is thrown by get, after the batches before it",
          "[known_answer][queue]") {
  const std::uint32_t workers = GENERATE(0u, 2u);
  const bool real = GENERATE(false, true);
  const auto play = [&](Runtime& runtime) {
    SourceScene scene(runtime, options(workers), {.throw_in = 7});
    return error_of([&] {
      for (int i = 0; i < 100; ++i) scene.supply.get({});
    });
  };
  CHECK((real ? on_real_threads(play) : in_virtual_time(play)) == "the disk is gone");
}

TEST_CASE("source: a stop ends workers in the middle of a batch, and leases outlive it",
          "[known_answer][queue]") {
  OwnSource::given_back_early = 0;
  const auto play = [](Runtime& runtime) {
    SourceScene scene(runtime, options(2), {.fill_time = 5 * kMs});
    BatchLease held = scene.supply.get({});
    scene.supply.stop();
    scene.supply.stop();
    const bool whole = holds_its_ids(held);
    held.drop();
    return whole;
  };
  CHECK(in_virtual_time(play));
  CHECK(on_real_threads(play));
  CHECK(OwnSource::given_back_early == 0);
}

TEST_CASE("source: a trainer may hold what it said and no more", "[known_answer][queue]") {
  const auto error = in_virtual_time([](Runtime& runtime) {
    SupplyOptions held = options(1);
    held.trainer_holds = 2;
    SourceScene scene(runtime, held, {});
    std::vector<BatchLease> leases;
    return error_of([&] {
      for (int i = 0; i < 5; ++i) leases.push_back(scene.supply.get({}));
    });
  });
  CHECK(error.find("more than its holds() declares") != std::string::npos);
}

TEST_CASE("source: what only the harness's own workers could tell is not measured",
          "[known_answer][queue]") {
  const auto unknown = in_virtual_time([](Runtime& runtime) {
    SourceScene scene(runtime, options(2), {});
    for (int i = 0; i < 10; ++i) scene.supply.get({});
    scene.supply.stop();
    const WorkerTimes times = scene.supply.times(runtime.now());
    return std::vector<bool>{!scene.supply.cpu_time().has_value(),
                             scene.supply.each_times(runtime.now()).empty(),
                             times.wall_ns() == 0,
                             scene.supply.queue_facts().seen_ns == 0,
                             scene.supply.slots().bytes() == 0,
                             times.batches >= 10};
  });
  CHECK(unknown == std::vector<bool>(6, true));
  const auto decode = in_virtual_time([](Runtime& runtime) {
    SourceScene scene(runtime, options(2), {});
    for (int i = 0; i < 10; ++i) scene.supply.get({});
    scene.supply.stop();
    const MeterTotals totals = scene.supply.totals();
    return std::pair(totals.stages[static_cast<std::size_t>(Stage::decode)].count,
                     scene.supply.meters());
  });
  CHECK(decode.first >= 10);  // each worker's meter is its own
  CHECK(decode.second == 2);
}

TEST_CASE("source: batches of a loader's own memory are copied to pinned memory, billed to pin",
          "[known_answer][queue]") {
  const std::uint32_t workers = GENERATE(0u, 2u);
  CAPTURE(workers);
  struct Seen {
    bool pinned = true, whole = true, aligned = true, apart = true;
    std::uint64_t pins = 0;
    std::uint32_t meters = 0;
    long on_trainers_track = 0;
  };
  const auto scene = [&](Memory where) {
    return on_real_threads([&](Runtime& runtime) {
      SupplyOptions with = options(workers);
      with.memory = where;
      with.trainer_holds = 1;
      // Pinned memory is an accelerator's; an emulated one gives pages of the host.
      const auto device = make_emulated_device({}, runtime);
      SourceLoader loader(SourceBehaviour{});
      InStorageOrder sampler;
      TraceRecorder recorder(runtime, workers);
      Supply supply(with, loader, sampler, *device, runtime);
      supply.trace(recorder);
      supply.start();
      recorder.start(runtime.now());
      Seen seen;
      BatchLease before;
      for (int i = 0; i < 70; ++i) {
        BatchLease lease = supply.get({});
        seen.pinned = seen.pinned && lease.where() == Memory::pinned;
        seen.whole = seen.whole && holds_its_ids(lease) && (!before || holds_its_ids(before));
        seen.apart = seen.apart && (!before || before.tensors()[0].data != lease.tensors()[0].data);
        for (const TensorView& tensor : lease.tensors())
          seen.aligned = seen.aligned && reinterpret_cast<std::uintptr_t>(tensor.data) % 64 == 0;
        before = std::move(lease);
      }
      before.drop();
      supply.stop();
      seen.pins = supply.totals().stages[static_cast<std::size_t>(Stage::pin)].count;
      seen.meters = supply.meters();
      recorder.stop();
      const std::vector<TraceEvent> events = recorder.events();
      seen.on_trainers_track = std::ranges::count_if(events, [](const TraceEvent& e) {
        return e.track == 0 && e.kind == static_cast<std::int64_t>(Stage::pin);
      });
      return seen;
    });
  };
  const Seen pinned = scene(Memory::pinned);
  CHECK(pinned.pinned);
  CHECK(pinned.whole);
  CHECK(pinned.aligned);
  CHECK(pinned.apart);
  CHECK(pinned.pins == 70);
  CHECK(pinned.on_trainers_track == 70);
  CHECK(pinned.meters == workers + 1);  // and the trainer's thread, which copies
  const Seen host = scene(Memory::host);
  CHECK_FALSE(host.pinned);
  CHECK(host.whole);
  CHECK(host.pins == 0);
}

// --- whole trials
// -----------------------------------------------------------------------------------------------------

namespace source_scenes {

SourceBehaviour trial_behaviour;  // what the loader "own" of the catalogue below does

TrialRecord run_behaving(std::string_view loader, TrialOfMocks::Changes changes,
                         std::string_view prototype = {}) {
  const auto make = [](const LoaderContext&) -> std::unique_ptr<Loader> {
    return std::make_unique<SourceLoader>(trial_behaviour);
  };
  return run_own(make, loader, changes, prototype);
}

}  // namespace source_scenes

TEST_CASE("source: a whole trial of a loader with workers of its own", "[known_answer][queue]") {
  trial_behaviour = {.fill_time = std::chrono::microseconds{200}};
  const TrialRecord record = run_behaving("own", {{"loader.dispatch", "round_robin"}});
  INFO(words_of(record));
  CHECK(record.status == Status::valid);
  const Facts& f = record.facts;
  CHECK(f.window.samples > 0);
  CHECK(f.accounting.delivered > 0);
  CHECK(f.accounting.issued ==
        f.accounting.delivered + f.accounting.dropped + f.accounting.in_flight);
  CHECK(f.accounting.duplicated == 0);
  CHECK(f.accounting.missing == 0);
  CHECK(f.workers.wall_ns == 0);
  CHECK(f.workers.each.empty());
  CHECK(f.window.loop.get_ns > 0);
  CHECK_FALSE(f.window.loop.core_wait_ns.has_value());
  CHECK(f.window.stages[static_cast<std::size_t>(Stage::slot_wait)].count == 0);
  CHECK_FALSE(f.cpu.loader_s.has_value());
  CHECK(f.window.stages[static_cast<std::size_t>(Stage::decode)].count > 0);
  CHECK(words_of(record).find("ignores loader.dispatch") != std::string::npos);
  trial_behaviour.knows_cpu_time = true;
  CHECK(run_behaving("own", {}).facts.cpu.loader_s.has_value());
}

TEST_CASE("source: a trial without ids says that conservation was not measured",
          "[known_answer][queue]") {
  trial_behaviour = {.knows_ids = false};
  const TrialRecord record = run_behaving("own", {});
  CHECK(record.status == Status::valid);
  CHECK(record.facts.accounting.issued == 0);
  CHECK(words_of(record).find("conservation (R01) was not measured") != std::string::npos);
}

TEST_CASE("source: a trial whose loader's worker dies is FAILED with the cause",
          "[known_answer][queue]") {
  trial_behaviour = {.throw_in = 9};
  const std::string workers = GENERATE("0", "2");
  const TrialRecord record = run_behaving("own", {{"loader.num_workers", workers}});
  CHECK(record.status == Status::failed);
  CHECK(words_of(record).find("the disk is gone") != std::string::npos);
}

TEST_CASE("source: mode trainer repeats a batch of a loader with workers of its own",
          "[known_answer][queue]") {
  trial_behaviour = {};
  const TrialRecord record = run_behaving("cached_batch", {}, "own");
  INFO(words_of(record));
  CHECK(record.status == Status::valid);
  CHECK(record.facts.window.samples > 0);
}

}  // namespace benchbench::test
