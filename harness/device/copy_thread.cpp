#include "harness/device/copy_thread.h"

#include <cstring>

namespace benchbench {

class CopyThread::Loop final : public Job {
 public:
  Loop(Runtime& runtime, std::atomic<std::uint64_t>& made)
      : runtime_(runtime), lock_(runtime), made_(made), task_(runtime.spawn("copies", *this)) {}
  ~Loop() override {
    {
      const Guard guard(lock_);
      ends_ = true;
      asked_.wake_all(runtime_);
    }
    task_->join();
  }

  void add(const Copy& copy) {
    const Guard guard(lock_);
    waiting_.push_back(copy);
    asked_.wake_all(runtime_);
  }

  void wait(std::uint64_t number) {
    Guard guard(lock_);
    while (made_.load(std::memory_order_acquire) < number) changed_.wait(guard, runtime_);
  }

  void run() override {
    std::vector<Copy> taken;
    for (;;) {
      {
        Guard guard(lock_);
        while (waiting_.empty() && !ends_) asked_.wait(guard, runtime_);
        if (waiting_.empty()) return;
        taken.swap(waiting_);
      }
      for (const Copy& copy : taken) make(copy);
      taken.clear();
    }
  }

 private:
  void make(const Copy& copy) {
    std::memcpy(copy.to, copy.from, copy.bytes);
    const Guard guard(lock_);
    made_.fetch_add(1, std::memory_order_release);
    changed_.wake_all(runtime_);
  }

  Runtime& runtime_;
  Lock lock_;
  Waiters asked_, changed_;
  bool ends_ = false;
  std::vector<Copy> waiting_;
  std::atomic<std::uint64_t>& made_;
  std::unique_ptr<Task> task_;  // last: it uses the others
};

CopyThread::CopyThread(Runtime& runtime) noexcept : runtime_(runtime) {}

CopyThread::~CopyThread() = default;

std::uint64_t CopyThread::add(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (runtime_.simulated()) {
    std::memcpy(to, from, bytes);
    made_.store(++asked_, std::memory_order_release);
    return asked_;
  }
  if (!loop_) loop_ = std::make_unique<Loop>(runtime_, made_);
  loop_->add({to, from, bytes});
  return ++asked_;
}

void CopyThread::wait(std::uint64_t number) {
  if (!done(number)) loop_->wait(number);
}

}  // namespace benchbench
