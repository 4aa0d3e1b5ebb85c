// The reads of a loader: by an engine, merged, and in flight ahead of the workers.
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "scenarios/storage/engine.h"
#include "scenarios/storage/read_plan.h"
#include "scenarios/storage/sample_lane.h"

namespace benchbench {

// How samples are read, as the settings have it.
struct ReadOptions {
  IoEngine engine = IoEngine::pread;
  // Reads in flight apart from the workers; 0: each worker reads by itself.
  std::uint32_t depth = 0;
  std::uint64_t max = 4 << 20;  // bytes of a request of several samples
  // Set where the reads ahead failed altogether and the workers read by themselves.
  std::atomic<bool>* gave_up = nullptr;
};

using EngineMaker = std::function<std::unique_ptr<ReadEngine>(const SampleExtents&, Runtime&)>;

// Shared by the workers of a loader. A request's reads are planned when it is expected and started
// in that order, `depth` at a time, by threads of its own or, with io_uring and no store to play,
// by one. What a worker needs and nobody has started yet, it reads itself: that is all there is
// with depth 0, in virtual time, and where nobody expected the request, and it is why reads ahead
// may be bounded (kMaxAhead) without anybody waiting for ever.
class StoredReads {
 public:
  // Bytes, or room for twice `depth` of the largest requests.
  static constexpr std::uint64_t kMaxAhead = 64 << 20;

  // The archive has extents; it, `store` (or nullptr) and the runtime must outlive it. `make`: the
  // engine.
  StoredReads(const SampleArchive& archive, const ReadOptions& options, EmulatedStorage* store,
              ReadOrder& order, Runtime& runtime, const EngineMaker& make);
  ~StoredReads();  // ends its threads; no lane is left
  StoredReads(const StoredReads&) = delete;
  StoredReads& operator=(const StoredReads&) = delete;

  // Any thread. Plans the reads here: where an archive has to look up where a sample lies (chunks
  // of HDF5 by index), the caller waits for that.
  void expect(const BatchRequest& batch_request);
  // Of one worker, which keeps `reads` alive.
  static std::unique_ptr<SampleLane> lane(std::shared_ptr<StoredReads> reads);
  // The page cache is to be emptied of these files. Nobody is between read() and done().
  void let_go();

 private:
  friend class EngineLane;
  enum class State : std::uint8_t { waiting, under_way, there };
  // One read of a request.
  struct Read {
    ReadRequest request;
    State state = State::waiting;
    bool told = false;        // its bytes are in a meter
    std::uint32_t left = 0;   // samples not yet done
    std::uint64_t ahead = 0;  // bytes it counts in ahead_
    ReadBytes got;
    std::exception_ptr failure;
  };
  struct RequestReads {
    Epoch epoch = 0;
    BatchNumber batch = 0;
    ReadPlan plan;
    std::vector<Read> reads;
    std::size_t next = 0;  // none before it is waiting
    std::size_t left = 0;  // reads with samples not yet done
    Waiters arrived;
    void make(const SampleExtents& extents, std::span<const SampleRef> samples, std::uint64_t max);
  };
  struct Start {
    RequestReads* batch_request = nullptr;
    Read* read = nullptr;
  };
  class Thread;
  class Ring;

  RequestReads* find(const BatchRequest& batch_request);
  // Waits for it, or reads it.
  Read& await(RequestReads& reads, std::size_t number, StageMeter& meter);
  static void tell(Read& read, StageMeter& meter);
  void done_with(RequestReads& reads, std::size_t number);
  void fetch(Read& read) noexcept;
  ReadBytes fetch_one(const Extent& extent, SampleId first, SampleId last);
  bool may_start() const noexcept;
  Start next_start();
  void arrived(const Start& start);
  void wake();
  void end();

  const SampleArchive& archive_;
  const SampleExtents& extents_;
  ReadOptions options_;
  std::uint64_t max_ahead_;
  EmulatedStorage* store_;
  ReadOrder& order_;
  Runtime& runtime_;
  std::unique_ptr<ReadEngine> engine_;
  std::unique_ptr<AsyncReads> async_;

  Lock lock_;
  Waiters idle_;
  bool ending_ = false;
  bool ring_waits_ = false;  // the ring's thread is in the kernel
  std::uint64_t ahead_ = 0;
  std::vector<std::unique_ptr<RequestReads>> expected_;  // in request order
  std::vector<std::unique_ptr<RequestReads>> spare_;
  std::vector<std::unique_ptr<Job>> jobs_;
  std::vector<std::unique_ptr<Task>> tasks_;
};

}  // namespace benchbench
