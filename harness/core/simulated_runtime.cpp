#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/fiber.h"
#include "harness/core/runtime.h"

namespace benchbench {
namespace {

enum class State : std::uint8_t { ready, running, parked, timed, joining, ended };

constexpr std::string_view text_of(State state) {
  constexpr std::string_view texts[] = {"ready",           "running", "parked",
                                        "in a timed wait", "joining", "ended"};
  return texts[static_cast<int>(state)];
}

class Simulation;

struct Fiber {
  Fiber(Simulation& its_simulation, std::string_view its_name, Job& its_job, FiberStack its_stack)
      : simulation(its_simulation),
        job(its_job),
        name(its_name.substr(0, 15)),
        stack(std::move(its_stack)),
        context(stack, &Fiber::entry, this) {}
  static void entry(void* self);

  Simulation& simulation;
  Job& job;
  std::string name;
  FiberStack stack;
  Context context;
  State state = State::ready;
  std::uint64_t wait_number = 0;  // of its present wait; a timer with another number is stale
  Fiber* next_ready = nullptr;
  Fiber* joined_by = nullptr;
  std::exception_ptr error;
};

struct Timer {
  TimePoint time;
  std::uint64_t sequence;  // equal times go off in the order they were set
  Fiber* fiber;
  std::uint64_t wait_number;
};
struct Later {
  bool operator()(const Timer& a, const Timer& b) const noexcept {
    return a.time != b.time ? a.time > b.time : a.sequence > b.sequence;
  }
};

class Simulation final : public SimulatedRuntime {
 public:
  TimePoint now() const noexcept override { return now_; }
  void spend_until(TimePoint deadline, Spend) override {
    if (!deadlock_.empty()) throw PartError(deadlock_);
    if (deadline <= now_) return;
    set_timer(current(), deadline);
    wait(State::timed);
  }
  bool park(Waiter& waiter, TimePoint deadline) override {
    if (waiter.permit.exchange(0, std::memory_order_relaxed)) return true;
    if (!deadlock_.empty()) throw PartError(deadlock_);
    if (deadline <= now_) return false;
    Fiber& me = current();
    if (deadline != kForever) set_timer(me, deadline);
    waiter.fiber = &me;
    wait(State::parked);
    waiter.fiber = nullptr;
    if (waiter.permit.exchange(0, std::memory_order_relaxed)) {
      if (deadline != kForever) ++stale_timers_;
      return true;
    }
    if (!deadlock_.empty()) throw PartError(deadlock_);
    return false;
  }
  void unpark(Waiter& waiter) override {
    waiter.permit.store(1, std::memory_order_relaxed);
    if (auto* const fiber = static_cast<Fiber*>(std::exchange(waiter.fiber, nullptr)))
      if (fiber->state == State::parked) make_ready(*fiber);
  }
  void yield() override {
    if (!deadlock_.empty()) throw PartError(deadlock_);
    make_ready(current());
    switch_to_next();
  }
  std::unique_ptr<Task> spawn(std::string_view name, Job& job) override;
  Nanoseconds thread_cpu_time() const noexcept override { return Nanoseconds{0}; }
  bool simulated() const noexcept override { return true; }
  void run(Job& job) override {
    if (running_) throw PartError("nested run() of the simulated runtime");
    deadlock_.clear();
    Fiber& first = start("main", job);
    running_ = next();
    running_->state = State::running;
    Context::jump(outside_, running_->context);
    reuse_stack_of_the_dead();
    const std::exception_ptr error = std::move(first.error);
    forget(first);
    timers_.clear();
    stale_timers_ = 0;
    if (!deadlock_.empty()) {
      const PartError deadlock(deadlock_);
      deadlock_.clear();
      throw deadlock;
    }
    if (error) std::rethrow_exception(error);
  }

  // Called by a fiber on its own stack when its job has ended.
  [[noreturn]] void end(Fiber& fiber);
  // Waits until `fiber` has ended; takes it out.
  void join(Fiber& fiber) {
    // After a deadlock, too: the others then run to their ends.
    while (fiber.state != State::ended) {
      if (deadlock_.empty()) {
        fiber.joined_by = &current();
        wait(State::joining);
      } else {
        make_ready(current());
        switch_to_next();
      }
    }
  }
  void forget(Fiber& fiber) {
    if (dead_ == &fiber) dead_ = nullptr;
    drop_stale_timers();  // its own among them
    std::erase_if(fibers_, [&](const auto& f) { return f.get() == &fiber; });
  }

 private:
  Fiber& start(std::string_view name, Job& job) {
    if (free_stacks_.empty()) free_stacks_.push_back(FiberStack::make());
    FiberStack stack = std::move(free_stacks_.back());
    free_stacks_.pop_back();
    fibers_.push_back(std::make_unique<Fiber>(*this, name, job, std::move(stack)));
    ++living_;
    make_ready(*fibers_.back());
    return *fibers_.back();
  }
  Fiber& current() {
    if (!running_) throw PartError("wait on the simulated runtime outside its run()");
    return *running_;
  }
  void make_ready(Fiber& fiber) {
    fiber.state = State::ready;
    ++fiber.wait_number;  // a timer of the wait that ends here is stale
    fiber.next_ready = nullptr;
    (last_ready_ ? last_ready_->next_ready : first_ready_) = &fiber;
    last_ready_ = &fiber;
  }
  void set_timer(Fiber& fiber, TimePoint time) {
    if (stale_timers_ >= 256 && stale_timers_ * 2 >= timers_.size()) drop_stale_timers();
    timers_.push_back({time, sequence_++, &fiber, fiber.wait_number});
    std::push_heap(timers_.begin(), timers_.end(), Later{});
  }
  // Leaves the processor in `state`; comes back when another fiber made this one ready.
  void wait(State state) {
    current().state = state;
    switch_to_next();
  }
  void switch_to_next() {
    Fiber* const me = running_;
    Fiber* const to = next();  // not null: `me` lives
    running_ = to;
    to->state = State::running;
    if (to != me) {
      Context::jump(me->context, to->context);
      reuse_stack_of_the_dead();
    }
  }
  // The fiber whose turn it is; null when all have ended. Where all wait for ever, the deadlock is
  // broken up.
  Fiber* next() {
    if (!first_ready_ && !advance_time()) {
      if (living_ == 0) return nullptr;
      free_the_deadlocked();
    }
    Fiber* const fiber = first_ready_;
    first_ready_ = fiber->next_ready;
    if (!first_ready_) last_ready_ = nullptr;
    return fiber;
  }
  // Moves the clock to the next timer that still has a fiber and readies all that are due then.
  // False if none is.
  bool advance_time() {
    while (!first_ready_ && !timers_.empty()) {
      const TimePoint time = timers_.front().time;
      while (!timers_.empty() && timers_.front().time == time) {
        const Timer timer = timers_.front();
        std::pop_heap(timers_.begin(), timers_.end(), Later{});
        timers_.pop_back();
        if (timer.wait_number != timer.fiber->wait_number) {
          if (stale_timers_) --stale_timers_;
          continue;
        }
        now_ = time;
        make_ready(*timer.fiber);
      }
    }
    return first_ready_ != nullptr;
  }
  // A park with a far deadline that is woken early leaves its timer behind; without this a long run
  // would gather one a step.
  void drop_stale_timers() {
    std::erase_if(timers_, [](const Timer& t) { return t.wait_number != t.fiber->wait_number; });
    std::make_heap(timers_.begin(), timers_.end(), Later{});
    stale_timers_ = 0;
  }
  void reuse_stack_of_the_dead() {
    if (Fiber* const dead = std::exchange(dead_, nullptr))
      free_stacks_.push_back(std::move(dead->stack));
  }
  // Everybody waits and no timer is set: every wait ends with the error, in the order the fibers
  // began, so that their destructors run and nothing is left behind; run() then throws it.
  void free_the_deadlocked() {
    std::string names;
    for (const auto& fiber : fibers_)
      if (fiber->state != State::ended)
        names += fmt::format("{}'{}' is {}", names.empty() ? "" : ", ", fiber->name,
                             text_of(fiber->state));
    deadlock_ = fmt::format("deadlock at {} ns of simulated time: {}",
                            now_.time_since_epoch().count(), names);
    for (const auto& fiber : fibers_)
      if (fiber->state != State::ended) make_ready(*fiber);
  }

  TimePoint now_{};
  std::vector<std::unique_ptr<Fiber>> fibers_;  // living, or ended and not joined
  std::vector<FiberStack> free_stacks_;
  std::vector<Timer> timers_;  // a heap
  std::uint64_t sequence_ = 0;
  std::uint64_t stale_timers_ = 0;
  Fiber* first_ready_ = nullptr;
  Fiber* last_ready_ = nullptr;
  Fiber* running_ = nullptr;
  // Ended a moment ago; its stack can be used again once another one runs.
  Fiber* dead_ = nullptr;
  std::size_t living_ = 0;
  Context outside_;
  std::string deadlock_;  // what run() will say; while it is set every wait ends
};

class SimulatedTask final : public Task {
 public:
  SimulatedTask(Simulation& simulation, Fiber& fiber) : simulation_(simulation), fiber_(&fiber) {}
  ~SimulatedTask() override { finish(); }
  void join() override {
    if (const std::exception_ptr error = finish()) std::rethrow_exception(error);
  }
  Nanoseconds cpu_time() const override { return Nanoseconds{0}; }

 private:
  std::exception_ptr finish() {
    Fiber* const fiber = std::exchange(fiber_, nullptr);
    if (!fiber) return nullptr;
    simulation_.join(*fiber);
    std::exception_ptr error = std::move(fiber->error);
    simulation_.forget(*fiber);
    return error;
  }
  Simulation& simulation_;
  Fiber* fiber_;
};

void Fiber::entry(void* self) {
  Fiber& fiber = *static_cast<Fiber*>(self);
  try {
    fiber.job.run();
  } catch (...) {
    fiber.error = std::current_exception();
  }
  fiber.simulation.end(fiber);
}

void Simulation::end(Fiber& fiber) {
  fiber.state = State::ended;
  --living_;
  if (fiber.joined_by && fiber.joined_by->state == State::joining) make_ready(*fiber.joined_by);
  Fiber* const to = next();
  reuse_stack_of_the_dead();
  dead_ = &fiber;
  running_ = to;
  if (to) to->state = State::running;
  Context::jump_and_end(fiber.context, to ? to->context : outside_);
}

std::unique_ptr<Task> Simulation::spawn(std::string_view name, Job& job) {
  return std::make_unique<SimulatedTask>(*this, start(name, job));
}

}  // namespace

std::unique_ptr<SimulatedRuntime> make_simulated_runtime() {
  return std::make_unique<Simulation>();
}

}  // namespace benchbench
