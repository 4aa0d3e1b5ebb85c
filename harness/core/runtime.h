// Time, waiting and threads. Every wait between our threads and every timed wait goes through a
// Runtime, so the same queue, pool, slots and mocks run on real threads and under the simulated
// clock. An architecture test forbids std::mutex, condition_variable, thread and sleep elsewhere.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>

#include "harness/core/units.h"

namespace benchbench {

// How a timed wait passes: `sleep` gives the core away, `spin` keeps it, `hybrid` sleeps to just
// before and spins the rest (a plain 1 ms sleep is 7.5 % slow). Under the simulated clock all three
// are exact.
enum class Spend : std::uint8_t { sleep, spin, hybrid };

// One thread's (or fiber's) place to wait, with one permit: an unpark before the park is not lost.
// Owned by the one that parks; must outlive every unpark. Only a Runtime touches `permit`.
struct Waiter {
  std::atomic<std::uint32_t> permit{0};
  void* fiber = nullptr;  // the simulated runtime's own
};

// What a spawned thread runs. run() must not throw: a worker hands its error to the queue instead.
class Job {
 public:
  virtual ~Job() = default;
  virtual void run() = 0;
};

// A spawned thread or fiber. The destructor joins.
class Task {
 public:
  virtual ~Task() = default;
  virtual void join() = 0;
  // CPU time this thread has used so far, 0 under the simulated clock. Callable until join() and
  // after it.
  virtual Nanoseconds cpu_time() const = 0;
};

class Runtime {
 public:
  virtual ~Runtime() = default;
  virtual TimePoint now() const noexcept = 0;
  // Returns at `deadline`, an absolute time, so that lateness does not add up; at once if it has
  // passed.
  virtual void spend_until(TimePoint deadline, Spend how) = 0;
  // Waits for the waiter's permit and takes it, or until the deadline. True if the permit came.
  // Only the owner of the waiter may call it. Never parks inside a catch (fibers share the
  // exception state of their thread).
  virtual bool park(Waiter& waiter, TimePoint deadline) = 0;
  // Gives the permit; wakes the owner if it is parked. Any thread; must not be called after the
  // waiter's end.
  virtual void unpark(Waiter& waiter) = 0;
  // Lets others run (real: a pause, then sched_yield; simulated: the next fiber that is ready at
  // this instant).
  virtual void yield() = 0;
  // Starts `job` at once on a thread of its own; `job` must outlive the task. `name` is cut at 15
  // characters.
  virtual std::unique_ptr<Task> spawn(std::string_view name, Job& job) = 0;
  // CPU time of the calling thread, 0 under the simulated clock.
  virtual Nanoseconds thread_cpu_time() const noexcept = 0;
  virtual bool simulated() const noexcept = 0;

  void spend(Nanoseconds time, Spend how) { spend_until(now() + time, how); }
};

// Real threads on CLOCK_MONOTONIC. `spin` is how long a park watches its permit before it sleeps in
// the kernel: 2–20 us pays where a core is free; 0 where threads outnumber cores.
std::unique_ptr<Runtime> make_real_runtime(Nanoseconds spin = std::chrono::microseconds{5});

// Fibers on one thread, discrete events: now() moves only when every fiber waits. Deterministic:
// ready fibers run in the order they became ready. run(job) plays `job` as the first fiber until it
// ends; a state in which all wait for ever throws PartError "deadlock" naming who waits.
class SimulatedRuntime : public Runtime {
 public:
  // Runs job to its end on the calling thread, with every fiber it spawns.
  virtual void run(Job& job) = 0;
};
std::unique_ptr<SimulatedRuntime> make_simulated_runtime();

}  // namespace benchbench
