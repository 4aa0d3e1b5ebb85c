// What is seen of other processes, against processes that do a known thing.
#include <fmt/format.h>
#include <signal.h>

#include <algorithm>

#include <catch2/catch.hpp>

#include "harness/core/process_tree.h"
#include "harness/trial/external/tree_watch.h"
#include "tests/at_most.h"
#include "tests/hang.h"
#include "tests/unit/trial/outside_process.h"

namespace benchbench::tree_watch_test {
namespace {

using test::OutsideProcess;

constexpr std::int64_t kMs = 1'000'000, kMiB = 1 << 20;

class Watched {
 public:
  Watched() : watch(*runtime, python.pid(), std::chrono::milliseconds{1}) {}
  int add_worker() {
    workers.push_back(python.number("worker()"));
    watch.workers(workers);
    return workers.back();
  }
  const std::unique_ptr<Runtime> runtime = make_real_runtime(Nanoseconds{0});
  OutsideProcess python;
  std::vector<int> workers;
  TreeWatch watch;
};

class HandClock final : public Runtime {
 public:
  TimePoint now() const noexcept override { return time; }
  void spend_until(TimePoint deadline, Spend) override { time = deadline; }
  bool park(Waiter&, TimePoint) override { return false; }
  void unpark(Waiter&) override {}
  void yield() override {}
  std::unique_ptr<Task> spawn(std::string_view, Job&) override { return nullptr; }
  Nanoseconds thread_cpu_time() const noexcept override { return Nanoseconds{0}; }
  bool simulated() const noexcept override { return true; }
  TimePoint time{std::chrono::hours{1}};
};

}  // namespace

TEST_CASE(
    "tree watch: CPU time within segments is billed to the worker that used it, "
    "and to the main process",
    "[unit][trial]") {
  Watched w;
  w.add_worker();
  w.python.ask("burn(0.05)");  // before the first segment
  w.watch.begin_segment();
  w.python.ask("burn(0.2)");
  w.python.ask("w0:burn(0.1)");
  w.watch.end_segment();
  w.python.ask("w0:burn(0.1)");  // between two
  w.watch.begin_segment();
  w.python.ask("w0:burn(0.1)");
  w.watch.end_segment();
  const TreeSeen& seen = w.watch.seen();
  CHECK(seen.main_cpu_ns > 195 * kMs);
  CHECK(seen.main_cpu_ns < 240 * kMs);
  REQUIRE(seen.main_ran_ns);  // of its one thread, up to one tick late
  CHECK(std::abs(*seen.main_ran_ns - seen.main_cpu_ns) < 30 * kMs);
  CHECK(seen.workers_cpu_ns > 195 * kMs);
  CHECK(seen.workers_cpu_ns < 230 * kMs);
  CHECK(seen.user_ticks + seen.system_ticks >= 30);
  CHECK(seen.observed.count() >= 400 * kMs);
}

TEST_CASE(
    "tree watch: what a worker starts is its own, "
    "and one that ends in the window is billed up to the last look",
    "[unit][trial]") {
  Watched w;
  w.add_worker();
  w.watch.begin_segment();
  w.python.ask("w0:worker()");
  w.python.ask("w0:workers[0][0].write('burn(0.15)\\n'); workers[0][1].readline()");
  w.runtime->spend(std::chrono::milliseconds{1100}, Spend::sleep);  // until it is looked for
  w.watch.look();
  w.python.ask("w0:workers[0][0].close(); os.wait()");
  w.watch.end_segment();
  CHECK(w.watch.seen().workers_cpu_ns > 145 * kMs);
  CHECK(w.watch.seen().workers_cpu_ns < 200 * kMs);
  CHECK(w.watch.seen().main_cpu_ns < 50 * kMs);
}

TEST_CASE("tree watch: what it spent has those that began and ended between two looks",
          "[unit][trial]") {
  Watched w;
  w.add_worker();
  w.python.ask("burn(0.05)");
  const std::int64_t before = w.watch.read_spent_ns();
  CHECK(before > 45 * kMs);  // the whole of what is found
  w.python.ask("w0:burn(0.1)");
  w.python.ask("burn(0.05)");
  CHECK(w.watch.spent_ns() == before);  // as far as it was read
  const std::int64_t after = w.watch.read_spent_ns();
  CHECK(after - before > 145 * kMs);
  CHECK(after - before < 200 * kMs);
  // Nobody looked at this one: its parent waited for it.
  w.python.ask("w0:worker()");
  w.python.ask("w0:workers[0][0].write('burn(0.2)\\n'); workers[0][1].readline()");
  w.python.ask("w0:workers[0][0].close(); os.wait()");
  const std::int64_t with_ended = w.watch.read_spent_ns();
  CHECK(with_ended - after > 175 * kMs);
  CHECK(with_ended - after < 300 * kMs);
  // One that ends takes nothing away.
  w.python.ask("workers[0][0].close(); os.wait()");
  CHECK(w.watch.read_spent_ns() >= with_ended);
  CHECK(w.watch.read_spent_ns() < with_ended + 100 * kMs);
}

TEST_CASE("tree watch: what it spent has processes that began after the first reading",
          "[unit][trial]") {
  HandClock clock;
  OutsideProcess python;
  TreeWatch watch(clock, python.pid(), Nanoseconds{0});
  watch.read_spent_ns();
  python.ask("worker()");
  python.ask("w0:burn(0.1)");
  const std::int64_t before = watch.read_spent_ns();  // a search is not due again
  clock.time += std::chrono::seconds{1};
  const std::int64_t after = watch.read_spent_ns();
  CHECK(after - before > 95 * kMs);
  python.ask("w0:burn(0.1)");
  watch.begin_segment();
  clock.time += std::chrono::seconds{1};
  CHECK(watch.read_spent_ns() - after > 95 * kMs);
}

TEST_CASE("tree watch: threads that run are counted, those that sleep are not", "[unit][trial]") {
  Watched w;
  w.add_worker();
  // On a busy machine a worker that starts waits for a core, which the first looks see.
  double least = 1e9;
  for (int tries = 0; tries < 50 && least > 0.5; ++tries) {
    w.watch.begin_segment();
    for (int i = 0; i < 5; ++i) {
      w.watch.look();
      w.runtime->spend(std::chrono::milliseconds{3}, Spend::sleep);
    }
    w.watch.end_segment();
    const TreeSeen seen = w.watch.take();
    REQUIRE(seen.runnable_mean);
    least = std::min(least, *seen.runnable_mean);
  }
  CHECK(least <= 0.5);

  Watched busy;
  busy.add_worker();
  busy.python.ask(
      "import threading; threading.Thread(target=burn, args=(1000,), daemon=True).start()");
  busy.watch.begin_segment();
  for (int i = 0; i < 5; ++i) {
    busy.watch.look();
    busy.runtime->spend(std::chrono::milliseconds{3}, Spend::sleep);
  }
  busy.watch.end_segment();
  REQUIRE(busy.watch.seen().runnable_max);
  CHECK(*busy.watch.seen().runnable_max >= 1);
  CHECK(*busy.watch.seen().runnable_mean > 0.5);
  // It is of the main process. A worker that starts runs in one look at most.
  CHECK(*busy.watch.seen().runnable_workers_mean < 0.5);
}

TEST_CASE("tree watch: threads of workers that run are counted apart", "[unit][trial]") {
  Watched w;
  w.add_worker();
  w.python.ask("w0:exec('import threading')");
  w.python.ask("w0:threading.Thread(target=burn, args=(1000,), daemon=True).start()");
  w.watch.begin_segment();
  for (int i = 0; i < 5; ++i) {
    w.watch.look();
    w.runtime->spend(std::chrono::milliseconds{3}, Spend::sleep);
  }
  w.watch.end_segment();
  const TreeSeen seen = w.watch.take();
  REQUIRE(seen.runnable_workers_mean);
  CHECK(*seen.runnable_workers_mean > 0.5);
  CHECK(*seen.runnable_workers_mean <= *seen.runnable_mean);
  w.watch.begin_segment();
  w.watch.end_segment();
  CHECK_FALSE(w.watch.seen().runnable_workers_mean);  // no look since
}

TEST_CASE("tree watch: threads of what workers start are not the workers' own", "[unit][trial]") {
  Watched w;
  w.add_worker();
  w.python.ask("w0:worker()");
  w.python.ask("w0:workers[0][0].write('burn(1000)\\n')");
  w.watch.begin_segment();
  for (int i = 0; i < 5; ++i) {
    w.watch.look();
    w.runtime->spend(std::chrono::milliseconds{3}, Spend::sleep);
  }
  w.watch.end_segment();
  CHECK(*w.watch.seen().runnable_mean > 0.5);
  CHECK(*w.watch.seen().runnable_workers_mean < 0.5);
  w.python.ask("w0:os.kill(workers[0][2], 9); os.wait()");
}

TEST_CASE("tree watch: where the probes are off nothing is looked at within segments",
          "[unit][trial]") {
  Watched w;
  TreeWatch off(*w.runtime, w.python.pid(), Nanoseconds{0});
  off.begin_segment();
  off.look();
  w.python.ask("burn(0.05)");
  off.end_segment();
  CHECK_FALSE(off.seen().runnable_mean);
  CHECK(off.seen().main_cpu_ns > 45 * kMs);
}

TEST_CASE("tree watch: looking costs what it costs, within segments only", "[unit][trial]") {
  Watched w;
  w.watch.look();
  CHECK(w.watch.seen().cost.count() == 0);
  w.watch.begin_segment();
  for (int i = 0; i < 20; ++i) {
    w.watch.look();
    w.runtime->spend(std::chrono::milliseconds{2}, Spend::sleep);
  }
  w.watch.end_segment();
  CHECK(w.watch.seen().cost.count() > 0);
  CHECK(w.watch.seen().cost.count() < 200 * kMs);
}

TEST_CASE(
    "tree watch: the memory of workers that serve one "
    "short segment is looked at as it begins and as it ends",
    "[unit][trial]") {
  Watched w;
  w.python.ask("allocate(32)");
  const int worker = w.add_worker();
  w.python.ask("w0:sum(kept[0][::4096])");
  w.watch.begin_segment();
  w.python.ask("w0:touch(0)");
  w.watch.end_segment();
  REQUIRE(w.watch.memory().growth());
  CHECK(w.watch.memory().growth()->private_growth == Approx(32 * kMiB).epsilon(0.1));
  CHECK(w.watch.memory().knows(std::vector<int>{worker}));
}

TEST_CASE("tree watch: memory that is not asked for is not looked at within a segment",
          "[unit][trial]") {
  Watched w;
  const int worker = w.add_worker();
  w.watch.begin_segment(MemoryAtBegin::none);
  CHECK_FALSE(w.watch.memory().knows(std::vector<int>{worker}));
  w.watch.end_segment();
  CHECK(w.watch.memory().knows(std::vector<int>{worker}));
  CHECK_FALSE(w.watch.memory().growth());
}

TEST_CASE(
    "tree watch: what was taken is not seen again, nor the memory that grew between two segments",
    "[unit][trial]") {
  Watched w;
  for (const char* mebibytes : {"allocate(16)", "allocate(32)", "allocate(8)"})
    w.python.ask(mebibytes);
  w.add_worker();
  w.watch.look();
  w.watch.begin_segment();
  w.python.ask("burn(0.1)");
  w.python.ask("w0:touch(0)");
  w.watch.look();
  w.watch.end_segment();
  const TreeSeen first = w.watch.take();
  CHECK(first.main_cpu_ns > 95 * kMs);
  CHECK(first.runnable_mean);
  w.python.ask("w0:touch(1)");
  w.watch.begin_segment();
  w.python.ask("w0:touch(2)");
  w.watch.end_segment();
  CHECK(w.watch.seen().main_cpu_ns < 50 * kMs);
  CHECK_FALSE(w.watch.seen().runnable_mean);
  REQUIRE(w.watch.memory().growth());
  CHECK(w.watch.memory().growth()->private_growth == Approx(8 * kMiB).epsilon(0.2));
}

TEST_CASE(
    "memory watch: of workers that are started again and again, "
    "growth is that of those watched longest",
    "[unit][trial]") {
  OutsideProcess python;
  python.ask("allocate(32)");
  MemoryWatch memory;
  memory.begin_counting();
  TimePoint now{};
  for (const auto& [number, seconds] : {std::pair{0, 1}, {1, 3}, {2, 2}}) {
    const std::vector<int> workers{python.number("worker()")};
    python.ask(fmt::format("w{}:sum(kept[0][::4096])", number));
    memory.look(now, workers, {});
    python.ask(fmt::format("w{}:touch(0)", number));
    now += std::chrono::seconds{seconds};
    memory.look(now, workers, {});
  }
  REQUIRE(memory.growth());
  CHECK(memory.growth()->time == std::chrono::seconds{3});
  CHECK(memory.growth()->private_growth == Approx(32 * kMiB).epsilon(0.1));
}

TEST_CASE(
    "memory watch: pages that are shared after a fork and "
    "then touched grow as private ones, not as resident ones",
    "[unit][trial]") {
  OutsideProcess python;
  python.ask("allocate(32)");
  const std::vector<int> workers{python.number("worker()")}, others{python.pid()};
  python.ask("w0:sum(kept[0][::4096])");  // resident in both
  MemoryWatch memory;
  const TimePoint start{};
  memory.look(start, workers, others);
  CHECK_FALSE(memory.growth());
  memory.begin_counting();
  python.ask("w0:touch(0)");
  memory.look(start + std::chrono::seconds{2}, workers, others);
  REQUIRE(memory.growth());
  CHECK(memory.growth()->time == std::chrono::seconds{2});
  CHECK(memory.growth()->private_growth == Approx(32 * kMiB).epsilon(0.1));
  CHECK(memory.growth()->pss_growth == Approx(16 * kMiB).epsilon(0.2));
  CHECK(std::abs(memory.growth()->resident_growth) < 3 * kMiB);
  CHECK_FALSE(memory.growth()->steadiness());  // two looks
  REQUIRE(memory.peak());
  CHECK(*memory.peak() >= 64 * kMiB);
  CHECK(*memory.peak() < 120 * kMiB);

  python.ask("w0:allocate(16)");
  memory.look(start + std::chrono::seconds{3}, workers, others);
  CHECK(memory.growth()->resident_growth == Approx(16 * kMiB).epsilon(0.2));
  CHECK(memory.growth()->private_growth == Approx(48 * kMiB).epsilon(0.1));
  CHECK(memory.growth()->pss > 32 * kMiB);
  CHECK(memory.growth()->steadiness().value_or(1) < 0.2);  // what is copied was so before
}

TEST_CASE("memory watch: copies are steady where each look has as many", "[unit][trial]") {
  OutsideProcess python;
  python.ask("allocate(16)"), python.ask("allocate(16)");
  const std::vector<int> workers{python.number("worker()")};
  python.ask("w0:sum(kept[0][::4096]) + sum(kept[1][::4096])");
  MemoryWatch memory;
  memory.begin_counting();
  memory.look(TimePoint{}, workers, {});
  python.ask("w0:touch(0)");
  memory.look(TimePoint{} + std::chrono::seconds{1}, workers, {});
  python.ask("w0:touch(1)");
  memory.look(TimePoint{} + std::chrono::seconds{2}, workers, {});
  REQUIRE(memory.growth());
  CHECK(memory.growth()->steadiness() > 0.8);
}

TEST_CASE("memory watch: other workers begin anew, and those that are gone give nothing",
          "[unit][trial]") {
  OutsideProcess python;
  const std::vector<int> first{python.number("worker()")};
  MemoryWatch memory;
  memory.begin_counting();
  memory.look(TimePoint{}, first, {});
  const std::vector<int> second{python.number("worker()")};
  python.ask("w1:allocate(16)");
  memory.look(TimePoint{} + std::chrono::seconds{1}, second, {});
  CHECK_FALSE(memory.growth());
  python.ask("workers[1][0].close(); os.wait()");
  memory.look(TimePoint{} + std::chrono::seconds{2}, second, {});
  CHECK_FALSE(memory.growth());
}

TEST_CASE("process tree: everything below is found, in groups of its own too, and ended",
          "[unit][trial]") {
  become_subreaper();
  test::judge_longest("the end of two processes", std::chrono::seconds{1}, [] {
    OutsideProcess python;
    const int other_group = python.number("worker(True)");
    python.ask("w0:worker(True)");
    const int grandchild = python.number("w0:say(workers[0][2])");
    const auto below = descendants_of(::getpid());
    REQUIRE(below.size() == 3);
    CHECK(below[0].pid == python.pid());
    CHECK(below[1].pid == other_group);
    CHECK(below[2].pid == grandchild);
    CHECK(below[2].parent == other_group);
    CHECK(descendants_of(grandchild).empty());
    // Neither would end by itself.
    python.ask("w0:workers[0][0].write('time.sleep(1000)\\n')");
    python.ask("workers[0][0].write('time.sleep(1000)\\n')");
    python.process().send_signal(SIGKILL);
    python.process().await_end();
    CHECK(see_process(grandchild));
    const auto began = std::chrono::steady_clock::now();
    CHECK(end_descendants(test::kHang));
    const auto took = std::chrono::steady_clock::now() - began;
    CHECK_FALSE(see_process(other_group));
    CHECK_FALSE(see_process(grandchild));
    return took;
  });
}

TEST_CASE("process tree: what is spared stays, with what it starts", "[unit][trial]") {
  become_subreaper();
  OutsideProcess kept, other;
  spare_descendant(kept.pid());
  const int below = kept.number("worker(True)");
  CHECK(end_descendants(test::kHang));
  CHECK(see_process(kept.pid()));
  CHECK(see_process(below));
  CHECK_FALSE(see_process(other.pid()));
  kept.ask("os.kill(workers[0][2], 9)");
}

TEST_CASE("process tree: who leaves by itself in time is not killed", "[unit][trial]") {
  become_subreaper();
  OutsideProcess python;
  const int orphan = python.number("worker(True)");
  const std::string file = "/tmp/benchbench-left-" + std::to_string(orphan);
  python.ask("workers[0][0].write(\"time.sleep(0.1); open('" + file +
             "', 'w').close(); os._exit(0)\\n\")");
  python.process().send_signal(SIGKILL);
  python.process().await_end();
  CHECK(end_descendants(test::kHang, test::kHang));
  CHECK(::unlink(file.c_str()) == 0);
}

}  // namespace benchbench::tree_watch_test
