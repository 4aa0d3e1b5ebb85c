#include "harness/device/copy_thread.h"

#include <cstring>

namespace benchbench {
namespace {

void make_copy(const CopyThread::Copy& copy) {
  if (!copy.ids) {
    std::memcpy(copy.to, copy.from, copy.bytes);
    return;
  }
  for (std::size_t i = 0; i < copy.bytes / copy.row; ++i) {
    std::uint64_t id = 0;
    std::memcpy(&id, copy.ids + i * sizeof id, sizeof id);
    std::memcpy(copy.to + i * copy.row, copy.from + id * copy.row, copy.row);
  }
}

}  // namespace

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
    make_copy(copy);
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

std::uint64_t CopyThread::add(const Copy& copy) {
  if (runtime_.simulated()) {
    make_copy(copy);
    made_.store(++asked_, std::memory_order_release);
    return asked_;
  }
  if (!loop_) loop_ = std::make_unique<Loop>(runtime_, made_);
  loop_->add(copy);
  return ++asked_;
}

void CopyThread::wait(std::uint64_t number) {
  if (!done(number)) loop_->wait(number);
}

}  // namespace benchbench
