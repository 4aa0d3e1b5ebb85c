#include "harness/core/fiber.h"

#include <cxxabi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <boost/context/detail/fcontext.hpp>
#include <cstdlib>
#include <utility>

#include "harness/core/error.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace benchbench {
namespace {

namespace ctx = boost::context::detail;

std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

// The address sanitizer's marks of frames that were left for good would accuse the stack's next
// user.
void forget_frames([[maybe_unused]] const std::byte* bottom, [[maybe_unused]] std::size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
  __asan_unpoison_memory_region(bottom, bytes);
#endif
}

// The layout that the C++ ABI fixes for both GCC's and Clang's run-time library.
struct ExceptionGlobals {
  void* caught;
  unsigned uncaught;
};
ExceptionGlobals& exception_globals() {
  return *reinterpret_cast<ExceptionGlobals*>(abi::__cxa_get_globals());
}

}  // namespace

FiberStack FiberStack::make() {
  void* const at = mmap(nullptr, kBytes + page_bytes(), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED)
    throw PartError("out of memory for the stack of a simulated thread", "use fewer workers");
  mprotect(at, page_bytes(), PROT_NONE);
  FiberStack stack;
  stack.bottom_ = static_cast<std::byte*>(at) + page_bytes();
  return stack;
}
FiberStack::~FiberStack() {
  if (!bottom_) return;
  forget_frames(bottom_, kBytes);
  munmap(bottom_ - page_bytes(), kBytes + page_bytes());
}
FiberStack::FiberStack(FiberStack&& o) noexcept : bottom_(std::exchange(o.bottom_, nullptr)) {}
FiberStack& FiberStack::operator=(FiberStack&& o) noexcept {
  std::swap(bottom_, o.bottom_);
  return *this;
}

// What happens on both sides of a jump.
struct Context::Switch {
  static void swap_exceptions(Context& from, const Context& to) {
    ExceptionGlobals& now = exception_globals();
    from.caught_ = now.caught;
    from.uncaught_ = now.uncaught;
    now = {to.caught_, to.uncaught_};
  }

  // On the stack of `me`: `from` stands at `at` now.
  static void arrive([[maybe_unused]] Context& me, Context& from, void* at) {
    from.at_ = at;
#if defined(__SANITIZE_ADDRESS__)
    const void* bottom = nullptr;
    std::size_t bytes = 0;
    __sanitizer_finish_switch_fiber(me.fake_stack_, &bottom, &bytes);
    if (!from.stack_bottom_) {  // the thread's own stack, seen for the first time
      from.stack_bottom_ = bottom;
      from.stack_bytes_ = bytes;
    }
#endif
  }

  struct Passage {
    Context* from;
    Context* to;
  };

  static void first_entry(ctx::transfer_t transfer) {
    const auto passage = *static_cast<Passage*>(transfer.data);
    arrive(*passage.to, *passage.from, transfer.fctx);
    passage.to->entry_(passage.to->argument_);
    std::abort();  // an entry never returns
  }

  // The sanitizers are told in the very function that jumps: they follow calls and returns. Its
  // frame must lie on the stack itself, not on the heap where the address sanitizer keeps frames to
  // see their use after return: of a fiber that ends, those are gone before the jump.
  __attribute__((no_sanitize("address"))) static void jump(Context& from, Context& to,
                                                           [[maybe_unused]] bool for_good) {
    Passage passage{&from, &to};
    swap_exceptions(from, to);
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(for_good ? nullptr : &from.fake_stack_, to.stack_bottom_,
                                   to.stack_bytes_);
#endif
#if defined(__SANITIZE_THREAD__)
    if (!from.sanitizer_fiber_) from.sanitizer_fiber_ = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(to.sanitizer_fiber_, 0);
#endif
    const ctx::transfer_t back = ctx::jump_fcontext(static_cast<ctx::fcontext_t>(to.at_), &passage);
    const auto returned = *static_cast<Passage*>(back.data);
    arrive(from, *returned.from, back.fctx);
  }
};

Context::Context(FiberStack& stack, Entry entry, void* argument)
    : entry_(entry),
      argument_(argument),
      stack_bottom_(stack.bottom()),
      stack_bytes_(FiberStack::kBytes) {
  forget_frames(stack.bottom(), FiberStack::kBytes);
  at_ = ctx::make_fcontext(stack.top(), FiberStack::kBytes, &Switch::first_entry);
#if defined(__SANITIZE_THREAD__)
  sanitizer_fiber_ = __tsan_create_fiber(0);
#endif
}

Context::~Context() {
#if defined(__SANITIZE_THREAD__)
  if (entry_ && sanitizer_fiber_) __tsan_destroy_fiber(sanitizer_fiber_);
#endif
}

void Context::jump(Context& from, Context& to) { Switch::jump(from, to, false); }

void Context::jump_and_end(Context& from, Context& to) {
  Switch::jump(from, to, true);
  std::abort();  // nobody jumps to a context that has ended
}

}  // namespace benchbench
