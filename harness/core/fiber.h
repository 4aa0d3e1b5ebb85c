// A stack of its own and the jump onto it: what the simulated runtime is built on. Internal to
// harness/core.
#pragma once
#include <cstddef>
#include <vector>

namespace benchbench {

// Memory for one stack with a guard page below it, so that an overflow is a fault and not silent
// damage.
class FiberStack {
 public:
  static constexpr std::size_t kBytes = 256 * 1024;  // committed by the page as it is used
  FiberStack() = default;                            // none
  static FiberStack make();
  ~FiberStack();
  FiberStack(FiberStack&& o) noexcept;
  FiberStack& operator=(FiberStack&& o) noexcept;
  std::byte* bottom() const noexcept { return bottom_; }  // above the guard page
  std::byte* top() const noexcept { return bottom_ + kBytes; }

 private:
  std::byte* bottom_ = nullptr;
};

// One line of execution. The first context is the thread itself (made without a stack).
class Context {
 public:
  using Entry = void (*)(void* argument);  // must not return: its last act is jump_and_end()

  Context() = default;  // the thread that is running
  Context(FiberStack& stack, Entry entry, void* argument);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // Leaves `from`, which is running, for `to`. Returns when somebody jumps to `from`.
  static void jump(Context& from, Context& to);
  // The same for one that has run its last: `from` is never jumped to again and its stack is free
  // once `to` runs.
  [[noreturn]] static void jump_and_end(Context& from, Context& to);

 private:
  struct Switch;

  void* at_ = nullptr;  // where it stands while it does not run
  Entry entry_ = nullptr;
  void* argument_ = nullptr;
  // The C++ exceptions in flight belong to a line of execution, not to the thread.
  void* caught_ = nullptr;
  unsigned uncaught_ = 0;
  // For the sanitizers: the stack and their own view of it.
  const void* stack_bottom_ = nullptr;
  std::size_t stack_bytes_ = 0;
  void* fake_stack_ = nullptr;
  void* sanitizer_fiber_ = nullptr;
};

}  // namespace benchbench
