// Tests the sentences of `benchbench wrap` about what the script's own side noticed.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "harness/report/external/external_words.h"
#include "tests/unit/report/told_script.h"
#include "tests/unit/report/values_of.h"

namespace benchbench::wrapped_noticed_test {

using test::exactly;
using told_script::has;
using told_script::Script;
using told_script::Told;

// The script's own side noticed it in all of its rounds.
struct Noticing : Script {
  explicit Noticing(ExternalNoticed seen, std::uint32_t of_rounds = 5) : Script(of_rounds) {
    for (TrialRecord& r : records)
      if (r.trial.mode == Mode::pipeline) r.facts.external->noticed = {seen};
  }
  const ExternalFinding* found(ExternalFault fault) {
    all = findings();
    const auto at = std::ranges::find(all.external.findings, fault, &ExternalFinding::fault);
    return at == all.external.findings.end() ? nullptr : &*at;
  }
  Findings all;
};

// Workers that hold 2 GiB between passes over their loader, which began within `begins_ms` in
// all, in a job of 1 s.
Noticing validating(std::uint64_t passes, double begins_ms) {
  Noticing stay({"workers that stay", "validation", "train.py:9", 2, 2u << 30, 0});
  const ExternalSpent steps{.state = "step", .loader = "train", .trains = true, .ns = 990'000'000};
  ExternalSpent first{.state = "first", .loader = "validation", .made = "train.py:9"};
  first.ns = static_cast<std::int64_t>(1e6 * begins_ms), first.count = passes;
  for (TrialRecord& r : stay.records)
    if (r.trial.mode == Mode::pipeline)
      r.facts.external->ledger = ExternalLedger{100, false, {steps, first}};
  return stay;
}

TEST_CASE("wrapped report: workers that stay are no finding where each pass would start them again",
          "[unit][report][wrap]") {
  CHECK(validating(1, 15).found(ExternalFault::workers_stay));
  CHECK(validating(2, 8).found(ExternalFault::workers_stay));
  CHECK_FALSE(validating(1, 25).found(ExternalFault::workers_stay));
  CHECK_FALSE(validating(12, 8).found(ExternalFault::workers_stay));
  // How often it passes is not known.
  Noticing other = validating(1, 15);
  for (TrialRecord& r : other.records)
    if (auto& ledger = r.facts.external->ledger) ledger->rows.back().loader = "test";
  CHECK_FALSE(other.found(ExternalFault::workers_stay));
  CHECK_FALSE(Noticing({"workers that stay", "validation", "train.py:9", 2, 2u << 30, 0})
                  .found(ExternalFault::workers_stay));
}

TEST_CASE("wrapped report: what a script's own side noticed, with what it costs and what to change",
          "[unit][report][wrap]") {
  Noticing snapshots({"snapshots", "Samples", "train.py:9", 2, 0, 4'000'000});
  const ExternalFinding* found = snapshots.found(ExternalFault::snapshots);
  REQUIRE(found);
  CHECK(found->ms->value == Approx(2));  // two workers tell states side by side
  CHECK(finding_words(*found) ==
        "With each batch Samples tells its state, which costs at least 2 ms of each 20 ms step: "
        "pass snapshot_every_n_steps=100 "
        "(train.py:9) to StatefulDataLoader, or as often as a checkpoint is written.");
  Noticing slow({"snapshots", "Samples", "train.py:9", 2, 0, 60'000'000});
  found = slow.found(ExternalFault::snapshots);
  REQUIRE(found);
  CHECK(found->ms->value == Approx(15).epsilon(0.05));  // of 30 a step, what is waited
  Noticing threads({"fork after threads", "watcher", "train.py:8", 1, 0, 0});
  found = threads.found(ExternalFault::fork_beside_threads);
  REQUIRE(found);
  CHECK(
      finding_words(*found) ==
      "Workers were forked (train.py:8) while 1 thread held a lock (watcher): that stays locked "
      "in a "
      "worker, which hangs at it; start threads after the workers (persistent_workers=True keeps "
      "these), or pass multiprocessing_context=\"forkserver\", for which the training has to stand "
      "under if __name__ == \"__main__\".");
  ExternalNoticed known{"fork after threads", "watcher", "train.py:8", 1, 0, 0};
  known.numbers = {{"guarded", 1}, {"kept", 1}};
  CHECK(finding_words(*Noticing(known).found(ExternalFault::fork_beside_threads))
            .ends_with("; start threads after the workers, or pass "
                       "multiprocessing_context=\"forkserver\"."));
  Noticing stay = validating(1, 10);
  found = stay.found(ExternalFault::workers_stay);
  REQUIRE(found);
  CHECK(found->bytes->value == 2u << 30);
  // The share of the machine's memory, by which findings are ranked.
  CHECK(found->share == Approx(2.0 / 16));
  CHECK(finding_words(*found) ==
        "2 workers of validation (train.py:9) stay while the script trains, and hold 2 GiB; "
        "pass persistent_workers=False there, which ends them after each pass.");
  Noticing device({"device tensors", "cuda:0", "train.py:9", 2, 0, 0});
  found = device.found(ExternalFault::on_device);
  REQUIRE(found);
  CHECK(finding_words(*found) ==
        "The workers (train.py:9) make batches on cuda:0, so that each of them uses the device "
        "and holds memory of it: make them on the CPU, and move them in the training process.");
}

TEST_CASE("wrapped report: an iterator for each step, with its place, its parts and what is wasted",
          "[unit][report][wrap]") {
  ExternalNoticed seen{"iterator each step", "loader", "train.py:9", 40, 0, 17'000'000};
  seen.numbers = {{"iter_ns", 9'000'000},
                  {"first_batch_ns", 5'000'000},
                  {"shutdown_ns", 3'000'000},
                  {"thrown_batches", 3}};
  Noticing each(seen);
  const ExternalFinding* found = each.found(ExternalFault::iterator_each_step);
  REQUIRE(found);
  CHECK(found->ms->value == Approx(17));
  CHECK(each.all.external.findings.front().fault == ExternalFault::iterator_each_step);
  CHECK(finding_words(*found) ==
        "Each step makes an iterator of loader (train.py:9), which costs up to 17 ms of each 20 ms "
        "step (starting 2 workers 9 ms, the first batch 5 ms, ending them 3 ms), and 3 batches "
        "that were asked for are thrown away each time: keep the iterator, and make another one "
        "only where it ends; persistent_workers=True alone leaves out the start, but not what is "
        "thrown away.");
  CHECK(name_of(remedy_for(*found)) == "kept_iterator");
  seen.numbers.emplace_back("kept", 1);
  CHECK(finding_words(*Noticing(seen).found(ExternalFault::iterator_each_step))
            .ends_with("only where it ends."));
  CHECK(external_values(each.all)["findings"][0]["arguments"]["shutdown_ns"] == 3'000'000);
  CHECK(each.all.conclusion.next.kind != NextKind::more_workers);
  seen.ns = 300'000;
  CHECK_FALSE(Noticing(seen).found(ExternalFault::iterator_each_step));
}

TEST_CASE("wrapped report: batches that are kept and come again without a fetch",
          "[unit][report][wrap]") {
  ExternalNoticed seen{
      "batches without a fetch", "itertools.cycle", "train.py:9", 0, 236u << 20, 0};
  seen.numbers = {{"last_fetch_step", 120}, {"steps_since", 0}, {"held_batches", 120}};
  Noticing before(seen);
  const ExternalFinding* found = before.found(ExternalFault::without_fetch);
  REQUIRE(found);
  CHECK(finding_words(*found) ==
        "itertools.cycle keeps each batch (train.py:9), 120 batches so far, 236 MiB, and from its "
        "second pass on none is fetched; iterate the loader again for each epoch, as `while True: "
        "yield from loader` does.");
  CHECK(name_of(remedy_for(*found)) == "iterated_again");
  CHECK(before.all.conclusion.next.kind != NextKind::more_workers);
  seen.numbers = {{"last_fetch_step", 300}, {"steps_since", 3000}, {"held_batches", 300}};
  CHECK(has(finding_words(*Noticing(seen).found(ExternalFault::without_fetch)),
            "300 batches so far, 236 MiB: no fetch since step 300, 3,000 steps since; iterate"));
  seen.numbers = {{"last_fetch_step", 30}, {"steps_since", 99}, {"held_batches", 0}};
  seen.bytes = 0;
  CHECK(has(finding_words(*Noticing(seen).found(ExternalFault::without_fetch)),
            "No fetch since step 30, 99 steps since (train.py:9); iterate"));
}

TEST_CASE(
    "wrapped report: a step that reads values of the device, "
    "and a pinning thread that waits for Python",
    "[unit][report][wrap]") {
  Noticing copies({"host copies", "item", "train.py:31", 2, 0, 4'000'000});
  const ExternalFinding* found = copies.found(ExternalFault::host_copies);
  REQUIRE(found);
  CHECK(found->ms->value == Approx(4));
  CHECK(finding_words(*found) ==
        "Each step reads values of the device on the CPU, 2 times, above all in .item() "
        "(train.py:31), which waits for all that the device "
        "has to do, and takes up to 4 ms longer for it: read them once in 100 steps, or add them "
        "up on the device until then.");
  Noticing most({"host copies", "__float__", "", 1, 0, 15'000'000});
  found = most.found(ExternalFault::host_copies);
  REQUIRE(found);
  CHECK(found->ms->value == Approx(5).margin(0.1));  // the rest of the step
  CHECK(has(finding_words(*found, 1), "on the CPU, in float(), and takes up to 5"));
  Noticing waits({"host copies", "synchronize", "train.py:8", 1, 0, 4'000'000});
  found = waits.found(ExternalFault::host_copies);
  REQUIRE(found);
  CHECK(has(finding_words(*found, 1),
            "synchronizes with the device, in .synchronize() (train.py:8)"));
  Noticing masks({"host copies", "__getitem__", "train.py:7", 1, 0, 4'000'000});
  found = masks.found(ExternalFault::host_copies);
  REQUIRE(found);
  CHECK(has(finding_words(*found, 1), "how many values there are, in a mask (train.py:7)"));
  Noticing pins({"pin thread", "", "train.py:9", 30, 0, 3'000'000});
  found = pins.found(ExternalFault::pin_thread);
  REQUIRE(found);
  CHECK(found->ms->value == Approx(3));
  CHECK(finding_words(*found) ==
        "While the script trains, the thread that pins batches waits longer, as for Python's lock, "
        "which a loop that computes in Python "
        "keeps: up to 3 ms of each 20 ms step; do less in Python in the training loop, or compare "
        "pin_memory=False (train.py:9).");
  Noticing more({"pin thread", "", "train.py:9", 30, 0, 300'000'000});
  found = more.found(ExternalFault::pin_thread);
  REQUIRE(found);
  CHECK(found->ms->value == Approx(15).margin(0.1));  // the wait
}

TEST_CASE("wrapped report: what is too little to matter is not named", "[unit][report][wrap]") {
  CHECK_FALSE(Noticing({"snapshots", "Samples", "train.py:9", 2, 0, 500'000})
                  .found(ExternalFault::snapshots));
  CHECK_FALSE(Noticing({"host copies", "item", "train.py:9", 2, 0, 300'000})
                  .found(ExternalFault::host_copies));
  CHECK_FALSE(
      Noticing({"pin thread", "", "train.py:9", 2, 0, 300'000}).found(ExternalFault::pin_thread));
  Noticing small = validating(1, 10);
  for (TrialRecord& r : small.records)
    if (r.trial.mode == Mode::pipeline) r.facts.external->noticed.front().bytes = 1u << 30;
  CHECK_FALSE(small.found(ExternalFault::workers_stay));
  CHECK_FALSE(Noticing({"fork after threads", "", "train.py:9", 0, 0, 0})
                  .found(ExternalFault::fork_beside_threads));
  Noticing nothing({});
  for (const ExternalFault fault :
       {ExternalFault::snapshots, ExternalFault::fork_beside_threads, ExternalFault::workers_stay,
        ExternalFault::on_device, ExternalFault::host_copies, ExternalFault::pin_thread,
        ExternalFault::iterator_each_step, ExternalFault::without_fetch})
    CHECK_FALSE(nothing.found(fault));
}

TEST_CASE("wrapped report: how workers are started is said where it is not by fork",
          "[unit][report][wrap]") {
  Script script(5);
  for (TrialRecord& r : script.records)
    r.facts.external->start_method = "forkserver",
    r.facts.external->versions = "Python 3.14.0, torch 2.10.0";
  CHECK(has(script.printed("terminal"),
            "Starting 2 workers by forkserver, "
            "the default since Python 3.14, costs 300 ms in each epoch"));
  CHECK(has(script.printed("terminal"),
            "and multiprocessing_context=\"fork\" where no threads run before"));
  for (TrialRecord& r : script.records) r.facts.external->versions = "Python 3.13.2, torch 2.10.0";
  CHECK(has(script.printed("terminal"),
            "Starting 2 workers by forkserver costs 300 ms in each epoch"));
  for (TrialRecord& r : script.records)
    r.facts.external->start_method = "spawn",
    r.facts.external->versions = "Python 3.14.0, torch 2.10.0";
  CHECK(has(script.printed("terminal"), "Starting 2 workers by spawn costs 300 ms in each epoch"));
  for (TrialRecord& r : script.records) r.facts.external->start_method = "forkserver";
  for (TrialRecord& r : script.records) r.facts.external->versions = "Python 3.11.2, torch 2.10.0";
  CHECK(has(script.printed("terminal"),
            "Starting 2 workers by forkserver costs 300 ms in each epoch"));
  for (TrialRecord& r : script.records) r.facts.external->start_method = "fork";
  CHECK(has(script.printed("terminal"), "Starting 2 workers costs 300 ms in each epoch"));
}

}  // namespace benchbench::wrapped_noticed_test
