#include "harness/app/wrap/wrap_run.h"

#include <unistd.h>
#include <catch2/catch.hpp>

#include "tests/unit/trial/outside_process.h"

namespace benchbench {
namespace wrap_run_test {

WrapHello process(int number) {
  WrapHello hello;
  hello.pid = ::getpid() + number;  // of the others only the number is used
  return hello;
}

WrapSteady as_rank(std::uint32_t rank, const std::string& group = "here:1") {
  WrapSteady steady;
  steady.rank = rank;
  steady.world = 2;
  steady.group = group;
  return steady;
}

struct Heard {
  WrapRequest request;
  const std::unique_ptr<Runtime> runtime = make_real_runtime(Nanoseconds{0});
  WrapRun run{request, *runtime};

  bool plans(int number, const WrapSteady& steady) {
    return run.steady(process(number).pid, steady).has_value();
  }
  void connect(int numbers) {
    for (int i = 0; i < numbers; ++i) run.connected(process(i));
  }
  void finishes(int number) {
    WrapStretch stretch;
    stretch.result.segments = {{0, 100}};
    stretch.result.steps = 1;
    run.finished(process(number).pid, stretch);
  }
  const SeenStretch& finished(int number) {
    finishes(number);
    return run.lead()->stretches.back();
  }
};

TEST_CASE("wrap: a script is stopped so early that its end is within the budget",
          "[unit][app][wrap]") {
  const auto stopped_after = [](std::chrono::seconds budget) {
    Heard heard;
    heard.request.order.budget = budget;
    heard.connect(1);
    return heard.run.steady(process(0).pid, {})->ends_after;
  };
  CHECK(stopped_after(std::chrono::seconds{120}) == std::chrono::seconds{118});
  CHECK(stopped_after(std::chrono::seconds{15}) == std::chrono::milliseconds{14'500});
}

TEST_CASE("wrap: the time to the first stretch is that of the first process", "[unit][app][wrap]") {
  Heard heard;
  heard.connect(2);
  heard.plans(0, as_rank(0));
  const auto first = heard.run.times().first_stretch;
  REQUIRE(first);
  heard.plans(1, as_rank(1));
  CHECK(heard.run.times().first_stretch == first);
}

TEST_CASE("wrap: a process that was asked twice stands in one place", "[unit][app][wrap]") {
  Heard heard;
  WrapStacks stacks;
  for (const int pid : {7, 8, 7}) {
    stacks.pid = pid;
    heard.run.stood(stacks);
  }
  REQUIRE(heard.run.stacks().size() == 2);
  CHECK(heard.run.stacks().back().pid == 7);
  heard.run.forget_stacks();
  CHECK(heard.run.stacks().empty());
}

TEST_CASE("wrap: a process that is killed at our word has ended for our reason",
          "[unit][app][wrap]") {
  Heard heard;
  heard.connect(2);
  REQUIRE(heard.plans(0, {}));
  CHECK_FALSE(heard.run.hung());
  heard.run.ends_as(WrapReason::hangs);
  heard.run.ended(process(0).pid, WrapEnd{});
  CHECK(heard.run.hung());
  CHECK(heard.run.ended_first()->end->reason == WrapReason::hangs);
}

TEST_CASE(
    "wrap: of two trainings at once the second is left alone, "
    "and the stretches say so while it runs",
    "[unit][app][wrap]") {
  Heard heard;
  heard.connect(2);
  WrapSteady other;
  other.loader.name = "other_loader";
  CHECK(heard.plans(1, {}));
  CHECK_FALSE(heard.plans(0, other));
  CHECK(heard.run.ranks().size() == 1);
  heard.run.connected(process(2));  // one that starts later is, too
  CHECK_FALSE(heard.plans(2, {}));
  heard.run.ended(process(2).pid, {});
  heard.finishes(0);
  CHECK(heard.run.heard() == 0);
  const auto& notices = heard.finished(1).stretch.result.notices;
  REQUIRE(notices.size() == 1);
  CHECK(notices[0].find("has a loop of its own at the same time (other_loader)") !=
        std::string::npos);
  heard.run.ended(process(0).pid, {});
  CHECK(heard.finished(1).stretch.result.notices.empty());
}

TEST_CASE("wrap: of a script that is killed the last that it said of its time is kept",
          "[unit][app][wrap]") {
  Heard heard;
  heard.connect(1);
  CHECK(heard.plans(0, {}));
  heard.run.spent(process(0).pid, {1, false, {}}, {});
  heard.run.spent(process(0).pid, {2, false, {}}, {});
  heard.run.ended(process(0).pid, {});
  CHECK(heard.run.lead()->end->served.facts.ledger->batches == 2);
  Heard ended;
  ended.connect(1);
  CHECK(ended.plans(0, {}));
  ended.run.spent(process(0).pid, {2, false, {}}, {});
  WrapEnd end;
  end.served.facts.ledger = ExternalLedger{3, false, {}};
  ended.run.ended(process(0).pid, end);
  CHECK(ended.run.lead()->end->served.facts.ledger->batches == 3);
}

TEST_CASE("wrap: ranks are what torch has, whatever the launcher's variables say",
          "[unit][app][wrap]") {
  Heard heard;
  heard.connect(2);
  CHECK(heard.plans(1, as_rank(1)));
  CHECK(heard.plans(0, as_rank(0)));
  REQUIRE(heard.run.ranks().size() == 2);
  CHECK(heard.run.lead()->hello.rank == 0);
  Heard alone;
  WrapHello launched = process(0);
  launched.rank = 0;
  alone.run.connected(launched);
  launched.pid += 1;
  launched.rank = 1;
  alone.run.connected(launched);
  CHECK(alone.plans(0, {}));
  CHECK_FALSE(alone.plans(1, {}));
  CHECK(alone.run.ranks().size() == 1);
}

TEST_CASE("wrap: ranks of another training, and the same rank twice, are not measured together",
          "[unit][app][wrap]") {
  Heard heard;
  heard.connect(4);
  CHECK(heard.plans(0, as_rank(0)));
  CHECK_FALSE(heard.plans(1, as_rank(1, "here:2")));
  CHECK_FALSE(heard.plans(2, as_rank(0)));
  CHECK(heard.plans(3, as_rank(1)));
  CHECK(heard.plans(3, as_rank(1)));
  CHECK(heard.run.ranks().size() == 2);
}

// F and T make 1,000 samples/s; what comes after two rounds, one of which is never enough where it
// is not known what other programs took.
bool goes_on_after(std::uint64_t loader, const std::function<bool()>& is_answer_open = {}) {
  Heard heard;
  heard.request.order.most_rounds = 10;
  heard.request.order.stretch = std::chrono::seconds{1};
  heard.request.order.least = std::chrono::minutes{1};
  heard.request.order.most = std::chrono::minutes{5};
  heard.connect(1);
  heard.run.ask_of_answer(is_answer_open);
  WrapSteady steady;
  steady.loop.batch = steady.loop.step = std::chrono::milliseconds{10};
  steady.loop.workers = 2, steady.loop.prefetched = 4;
  REQUIRE(heard.plans(0, steady));
  WrapState state;
  state.epochs = 1;
  REQUIRE(heard.run.next(process(0).pid, state));  // T and L
  std::int64_t at = 0;
  for (const auto& [kind, round] : {std::pair{WrapKind::full, 0u},
                                    {WrapKind::trainer, 0u},
                                    {WrapKind::loader, 0u},
                                    {WrapKind::full, 1u},
                                    {WrapKind::trainer, 1u},
                                    {WrapKind::loader, 1u}}) {
    if (round == 1 && kind == WrapKind::full) REQUIRE(heard.run.next(process(0).pid, state));
    WrapStretch stretch;
    stretch.kind = kind, stretch.round = round;
    stretch.result.segments = {{at, at + 1'000'000'000}};
    stretch.result.steps = 100;
    stretch.result.samples = kind == WrapKind::loader ? loader : 1000;
    stretch.result.get_ns = {500'000'000};
    heard.run.finished(process(0).pid, stretch);
    at += 1'000'000'000;
  }
  return heard.run.next(process(0).pid, state).has_value();
}

TEST_CASE("wrap: what was heard of a round decides whether another one comes",
          "[unit][app][wrap]") {
  CHECK_FALSE(goes_on_after(4000));
  CHECK(goes_on_after(1040));
  CHECK(goes_on_after(4000, [] { return true; }));
}

WrapSteady without_rank() {
  WrapSteady steady = as_rank(0);
  steady.rank.reset();
  return steady;
}

TEST_CASE(
    "wrap: a rank of a larger training, and one without a number, is not measured with the others",
    "[unit][app][wrap]") {
  Heard heard;
  heard.connect(3);
  CHECK(heard.plans(0, as_rank(0)));
  CHECK_FALSE(heard.plans(1, without_rank()));
  WrapSteady larger = as_rank(1);
  larger.world = 3;
  CHECK_FALSE(heard.plans(2, larger));
  Heard alone;
  alone.connect(2);
  CHECK(alone.plans(0, without_rank()));
  CHECK_FALSE(alone.plans(1, as_rank(1)));
}

struct Ended : Heard {
  void ends(int number, WrapReason reason) {
    WrapEnd end;
    end.reason = reason;
    run.ended(process(number).pid, end);
  }
  int first() const { return run.ended_first() ? run.ended_first()->hello.pid - ::getpid() : -1; }
};

TEST_CASE("wrap: of ranks the end is told that is not only another one's", "[unit][app][wrap]") {
  for (const WrapReason with_another : {WrapReason::stopped, WrapReason::lost}) {
    Ended heard;
    heard.connect(2);
    CHECK(heard.plans(0, as_rank(0)));
    CHECK(heard.plans(1, as_rank(1)));
    CHECK(heard.first() == -1);
    heard.ends(1, with_another);
    CHECK(heard.first() == 1);  // nothing else is known
    heard.ends(0, with_another);
    CHECK(heard.first() == 0);  // the lowest of those that say nothing of themselves
    Ended other;
    other.connect(2);
    CHECK(other.plans(0, as_rank(0)));
    CHECK(other.plans(1, as_rank(1)));
    other.ends(0, with_another);
    other.ends(1, WrapReason::saver_called);
    CHECK(other.first() == 1);
  }
}

TEST_CASE("wrap: a rank that ends by itself is not the end of those that go on",
          "[unit][app][wrap]") {
  Ended heard;
  heard.connect(2);
  CHECK(heard.plans(0, as_rank(0)));
  CHECK(heard.plans(1, as_rank(1)));
  heard.ends(1, WrapReason::script_ended);
  CHECK(heard.first() == 1);
  heard.ends(0, WrapReason::answer);
  CHECK(heard.first() == 0);
}

TEST_CASE(
    "wrap: the end of what is measured alone is its own, whatever a rank of something else does",
    "[unit][app][wrap]") {
  Ended heard;
  heard.connect(2);
  heard.run.ready(process(1).pid, 1, 2);
  heard.ends(1, WrapReason::script_failed);
  CHECK(heard.run.ended_first()->hello.rank == 1u);
  CHECK(heard.run.ended_first()->hello.world == 2u);
  CHECK(heard.plans(0, {}));
  CHECK(heard.first() == -1);
  heard.ends(0, WrapReason::answer);
  CHECK(heard.first() == 0);
}

TEST_CASE(
    "wrap: where nothing is measured, the one that was refused speaks, else one that was stopped",
    "[unit][app][wrap]") {
  Ended heard;
  heard.connect(3);
  CHECK(heard.run.lead() == nullptr);
  heard.ends(0, WrapReason::script_ended);
  CHECK(heard.run.lead() == nullptr);
  CHECK(heard.first() == 0);
  heard.ends(1, WrapReason::script_failed);
  CHECK(heard.first() == 1);
  heard.ends(2, WrapReason::refused);
  CHECK(heard.first() == 2);
}

TEST_CASE("wrap: a process that has ended is watched no longer", "[unit][app][wrap]") {
  Ended heard;
  heard.connect(1);
  CHECK(heard.plans(0, {}));
  CHECK(heard.finished(0).tree);
  heard.ends(0, WrapReason::answer);
  CHECK_FALSE(heard.finished(0).tree);
}

void take_cpu_time(double seconds) {
  const auto used = [] {
    const ResourceCounters now = read_resources();
    return now.cpu_user_s + now.cpu_system_s;
  };
  for (const double until = used() + seconds; used() < until;) {
  }
}

TEST_CASE("wrap: what is used in all parts of a stretch is the stretch's, and not the next one's",
          "[unit][app][wrap]") {
  Heard heard;
  heard.connect(1);
  CHECK(heard.plans(0, {}));
  const auto part = [&](double seconds) {
    heard.run.segment_begins(::getpid(), WrapKind::trainer, {});
    take_cpu_time(seconds);
    heard.run.segment_ends(::getpid());
  };
  const auto used = [&] {
    const ResourceUse use = heard.finished(0).used.value();
    return use.cpu_user_s + use.cpu_system_s;
  };
  part(0.05);
  part(0);
  const double first = used();
  CHECK(first >= 0.05);
  part(0);
  CHECK(used() < first);
}

TEST_CASE("wrap: all ranks have the rounds of the first, whichever rank that is",
          "[unit][app][wrap]") {
  Heard heard;
  heard.connect(3);
  const auto stretches = [&](std::uint32_t rank, std::uint64_t workers) {
    WrapSteady steady = as_rank(rank);
    steady.world = 3;
    steady.loop.is_rank = true;
    steady.loop.batch = steady.loop.step = std::chrono::milliseconds{10};
    steady.loop.workers = workers;
    std::vector<std::pair<WrapKind, std::uint64_t>> all;
    for (const WrapStretchOrder& asked :
         heard.run.steady(process(static_cast<int>(rank)).pid, steady)->first.stretches)
      all.emplace_back(asked.kind, asked.batches);
    return all;
  };
  const auto first = stretches(1, 3);
  CHECK(first == stretches(0, 4));
  CHECK(first == stretches(2, 7));
}

TEST_CASE("wrap: what the other ranks use is no other program's", "[unit][app][wrap]") {
  Heard heard;
  const test::OutsideProcess ranks[2];
  for (const std::uint32_t rank : {0u, 1u}) {
    WrapHello hello;
    hello.pid = ranks[rank].pid();
    heard.run.connected(hello);
    CHECK(heard.run.steady(hello.pid, as_rank(rank)));
  }
  const SharedCpus before = read_shared_cpus();
  heard.run.segment_begins(ranks[0].pid(), WrapKind::trainer, {});
  ranks[1].ask("burn(0.6)");
  heard.run.segment_ends(ranks[0].pid());
  const SharedCpus after = read_shared_cpus();
  WrapStretch stretch;
  stretch.result.segments = {{0, 100}};
  stretch.result.steps = 1;
  heard.run.finished(ranks[0].pid(), stretch);
  const ResourceUse used = heard.run.lead()->stretches.back().used.value();
  REQUIRE(used.shared);
  const auto all_others = used_between(before, after).others_s, others = used.shared->others_s;
  REQUIRE(all_others);
  REQUIRE(others);
  // Ticks of /proc/stat may hide some of the 0.6 s; what else ran is in both.
  CHECK(*all_others - *others > 0.2);
}

}  // namespace wrap_run_test
}  // namespace benchbench
