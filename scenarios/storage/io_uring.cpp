// io_uring: many reads in flight by one thread, without a system call each; where every sample is a
// file, the opens too.
#include <fmt/format.h>
#include <liburing.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "harness/core/descriptor.h"
#include "harness/core/error.h"
#include "scenarios/storage/engine.h"

namespace benchbench {
namespace {

struct UringOp {
  void* token = nullptr;
  Extent extent;
  ReadFile own;
  const ReadFile* file = nullptr;  // nullptr: being opened
  ReadBytes got;
  std::size_t length = 0, done = 0;
};

class UringReads final : public AsyncReads {
 public:
  UringReads(OpenFiles& files, BufferPool& pool, std::uint32_t depth)
      : files_(files), pool_(pool), ops_(depth) {
    // Each operation has one entry at most, and the wake-up one.
    int failed = ::io_uring_queue_init(depth + 1, &ring_, IORING_SETUP_COOP_TASKRUN);
    // Linux before 5.19.
    if (failed == -EINVAL) failed = ::io_uring_queue_init(depth + 1, &ring_, 0);
    if (failed < 0)
      throw PartError(fmt::format("cannot set up io_uring: {}", std::strerror(-failed)));
    wake_ = Descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!wake_) {
      ::io_uring_queue_exit(&ring_);
      throw PartError(
          fmt::format("cannot create an eventfd for io_uring: {}", std::strerror(errno)));
    }
    ready_.reserve(depth);
    for (UringOp& op : ops_) free_.push_back(&op);
  }
  // After a failure the kernel may hold reads of ours still, and ends them some time after the
  // ring: their memory is never given back.
  ~UringReads() override {
    ::io_uring_queue_exit(&ring_);
    if (in_flight() > 0) abandoned(std::move(ops_));
  }

  std::uint32_t in_flight() const noexcept override {
    return static_cast<std::uint32_t>(ops_.size() - free_.size());
  }

  void start(const Extent& extent, void* token) override {
    UringOp& op = *free_.back();
    free_.pop_back();
    op.token = token;
    op.extent = extent;
    op.done = 0;
    guarded(op, [&] {
      const ReadFile* const kept = files_.keeps() ? &files_.open(extent.file, op.own) : nullptr;
      if (kept) return begin(op, *kept);
      open(op);
    });
  }

  void wait(std::vector<Finished>& finished) override {
    woken_ = false;
    while (ready_.empty() && in_flight() > 0 && !woken_) {
      arm();
      const int submitted = ::io_uring_submit_and_wait(&ring_, 1);
      if (submitted < 0 && submitted != -EINTR && submitted != -EAGAIN && submitted != -EBUSY)
        throw PartError(fmt::format("io_uring: {}", std::strerror(-submitted)));
      take_completions();
    }
    if (!ready_.empty()) ::io_uring_submit(&ring_);  // what was begun meanwhile
    for (Finished& one : ready_) finished.push_back(std::move(one));
    ready_.clear();
  }

  void wake() noexcept override {
    const std::uint64_t one = 1;
    // Fails only where so many wake-ups are waiting already that one more changes nothing.
    [[maybe_unused]] const ssize_t written = ::write(wake_.get(), &one, sizeof one);
  }

 private:
  // Reachable to the end of the process, and never destroyed.
  static void abandoned(std::vector<UringOp> ops) {
    struct Kept {
      std::vector<UringOp> ops;
      Kept* before;
    };
    static std::atomic<Kept*> kept{nullptr};
    auto* const mine = new Kept{std::move(ops), kept.load()};
    while (!kept.compare_exchange_weak(mine->before, mine)) {
    }
  }

  io_uring_sqe* entry() {
    io_uring_sqe* sqe = ::io_uring_get_sqe(&ring_);
    if (!sqe) {
      ::io_uring_submit(&ring_);
      sqe = ::io_uring_get_sqe(&ring_);
    }
    if (!sqe) throw PartError("io_uring: the submission queue is full");
    return sqe;
  }

  // The wake-up is a poll: nothing is written to memory of ours should the ring end first.
  void arm() {
    if (armed_) return;
    io_uring_sqe* const sqe = entry();
    ::io_uring_prep_poll_add(sqe, wake_.get(), POLLIN);
    ::io_uring_sqe_set_data(sqe, nullptr);
    armed_ = true;
  }

  void begin(UringOp& op, const ReadFile& file) {
    op.file = &file;
    op.length = length_there(op.extent, file, files_.path(op.extent.file));
    op.got.buffer = pool_.take(op.length);
    if (op.length == 0) return finish(op, nullptr);
    go_on(op);
  }
  void go_on(UringOp& op) {
    io_uring_sqe* const sqe = entry();
    ::io_uring_prep_read(sqe, op.file->descriptor(), op.got.buffer.data() + op.done,
                         static_cast<unsigned>(op.length - op.done), op.extent.offset + op.done);
    // Done by the kernel's own threads from the start. Else a read that is not in the page cache is
    // tried, found missing and gone on with a read-ahead window at a time: cold, 110 KB reads were
    // 1.4-1.7 times as slow, 4 MiB ones 2-3 times.
    ::io_uring_sqe_set_flags(sqe, IOSQE_ASYNC);
    ::io_uring_sqe_set_data(sqe, &op);
  }

  void take_completions() {
    io_uring_cqe* cqe = nullptr;
    while (::io_uring_peek_cqe(&ring_, &cqe) == 0 && cqe) {
      auto* const op = static_cast<UringOp*>(::io_uring_cqe_get_data(cqe));
      const int result = cqe->res;
      ::io_uring_cqe_seen(&ring_, cqe);
      if (op)
        guarded(*op, [&] { completed(*op, result); });
      else
        was_woken();
    }
  }
  void was_woken() noexcept {
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t got = ::read(wake_.get(), &count, sizeof count);
    armed_ = false;
    woken_ = true;
  }

  void completed(UringOp& op, int result) {
    const std::string_view path = files_.path(op.extent.file);
    if (result == -EINTR || result == -EAGAIN) return op.file ? go_on(op) : open(op);
    if (!op.file) {
      if (result < 0) refuse_read(path, "open", -result);
      op.own = ReadFile::adopt(result, path.data());
      return begin(op, op.own);
    }
    if (result < 0) refuse_read(path, "read", -result);
    op.done += static_cast<std::size_t>(result);
    if (result == 0 || op.done == op.length) return finish(op, nullptr);
    go_on(op);
  }
  void open(UringOp& op) {
    io_uring_sqe* const sqe = entry();
    ::io_uring_prep_openat(sqe, files_.folder(), files_.path(op.extent.file).data(), files_.flags(),
                           0);
    ::io_uring_sqe_set_data(sqe, &op);
  }

  template <class Call>
  void guarded(UringOp& op, Call call) noexcept try {
    call();
  } catch (...) {
    finish(op, std::current_exception());
  }

  void finish(UringOp& op, std::exception_ptr failure) {
    Finished one{.token = op.token, .got = {}, .failure = std::move(failure)};
    if (one.failure)
      op.got = {};
    else
      op.got.bytes = {op.got.buffer.data(), op.done};
    one.got = std::exchange(op.got, {});
    op.own = {};
    op.file = nullptr;
    free_.push_back(&op);
    ready_.push_back(std::move(one));
  }

  OpenFiles& files_;
  BufferPool& pool_;
  io_uring ring_{};
  Descriptor wake_;
  bool armed_ = false;
  bool woken_ = false;
  std::vector<UringOp> ops_;
  std::vector<UringOp*> free_;
  std::vector<Finished> ready_;
};

class UringEngine final : public ReadEngine {
 public:
  UringEngine(const SampleExtents& extents, Runtime& runtime)
      : files_(extents), pool_(runtime), lock_(runtime) {}

  // By a ring of the thread's own for as long as it takes.
  ReadBytes read(const Extent& extent) override {
    std::unique_ptr<UringReads> ring = take_ring();
    std::vector<AsyncReads::Finished> finished;
    ring->start(extent, nullptr);
    while (finished.empty()) ring->wait(finished);
    give_back(std::move(ring));
    if (finished.front().failure) std::rethrow_exception(finished.front().failure);
    return std::move(finished.front().got);
  }

  std::unique_ptr<AsyncReads> async(std::uint32_t depth) override {
    return std::make_unique<UringReads>(files_, pool_, depth);
  }

 private:
  std::unique_ptr<UringReads> take_ring() {
    {
      const Guard guard(lock_);
      if (!idle_.empty()) {
        auto ring = std::move(idle_.back());
        idle_.pop_back();
        return ring;
      }
    }
    return std::make_unique<UringReads>(files_, pool_, 1);
  }
  void give_back(std::unique_ptr<UringReads> ring) {
    const Guard guard(lock_);
    idle_.push_back(std::move(ring));
  }

  OpenFiles files_;
  BufferPool pool_;
  Lock lock_;
  std::vector<std::unique_ptr<UringReads>> idle_;
};

}  // namespace

int probe_io_uring() noexcept {
  io_uring ring{};
  const int failed = ::io_uring_queue_init(2, &ring, 0);
  if (failed < 0) return -failed;
  ::io_uring_queue_exit(&ring);
  return 0;
}

std::unique_ptr<ReadEngine> make_io_uring_engine(const SampleExtents& extents, Runtime& runtime) {
  return std::make_unique<UringEngine>(extents, runtime);
}

}  // namespace benchbench
