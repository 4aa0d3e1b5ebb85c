// One worker's way to the samples of its requests.
#pragma once
#include <atomic>
#include <memory>

#include "harness/part/emulated_storage.h"
#include "harness/part/sample_format.h"

namespace benchbench {

// begin(request), then for each i of it in order read() and done().
class SampleLane {
 public:
  virtual ~SampleLane() = default;
  // Bills `read`: where samples lie may have to be looked up.
  virtual void begin(const BatchRequest& request, StageMeter& meter) = 0;
  // Sample i of the request, valid until done(). PartError where it cannot be had; done() is not
  // called then. Bills `read` (what is waited for) and `parse`, and calls meter.bytes_read and
  // meter.payload.
  virtual StoredSample read(const BatchRequest& request, std::size_t i, StageMeter& meter) = 0;
  // The sample is used. Why its bytes were not good to the end (its file became shorter meanwhile);
  // "" where they were.
  virtual std::string_view done(const BatchRequest& request, std::size_t i) = 0;
};

// Whether a read lies right behind the one before it, of all workers: then no disk has to seek.
class ReadOrder {
 public:
  explicit ReadOrder(Layout layout) noexcept : shard_ends_(layout.shard_ends) {}
  // The samples from `first` to `last` are read now.
  bool follows(SampleId first, SampleId last) noexcept;

 private:
  std::span<const std::uint64_t> shard_ends_;
  std::atomic<SampleId> before_{~SampleId{1}};  // no sample follows this one
};

// A reader that returns when `store` would have come with what `reader` read, billed to `read`;
// `reader` itself where there is no store. `store` and `order` must outlive it.
std::unique_ptr<SampleReader> emulate_storage(std::unique_ptr<SampleReader> reader,
                                              ReadOrder& order, EmulatedStorage* store,
                                              Runtime& runtime);

// Through a reader of the format's own, in the worker's thread. `store` (or nullptr), `order` and
// `archive` must outlive it.
std::unique_ptr<SampleLane> lane_of_reader(std::unique_ptr<SampleReader> reader, ReadOrder& order,
                                           EmulatedStorage* store, Runtime& runtime);

}  // namespace benchbench
