// What a trial asks of the page cache of its data.
#pragma once
#include <cstdint>
#include <functional>
#include <string>

namespace benchbench {

// The page cache of one data set: looked at, emptied, filled. The harness makes it, and hands one
// to a trial whose own loader reads a data set on the real clock; it outlives the trial. Parts do
// not see it: a loader is only asked to unmap its pages before evict(). One thread at a time, the
// trial's; nobody reads the data during a call, else what is told is old. A call may take as long
// as reading all of the data does.
class CacheControl {
 public:
  // Called every few ms of a long call, so that a trial can be stopped in it; what it throws ends
  // the call and comes out of it.
  using Alive = std::function<void()>;

  virtual ~CacheControl() = default;
  // Why what is resident can be neither proven nor evicted here; empty where both can. Found out at
  // the first call, by trying it on a file of the set; and from a call of resident() on that could
  // not look at a file: what is not known proves nothing, whatever that call returned.
  virtual std::string why_not() = 0;
  // How it is proven: "mincore", "preadv2"; empty where it is not.
  virtual std::string method() = 0;
  virtual std::uint64_t bytes() = 0;  // of the data set's files
  // Share of the data that lies in the page cache, 0..1. `exact` looks at every page; else at some
  // hundred files spread over the set.
  virtual double resident(bool exact, const Alive& alive) = 0;
  // Takes the data out of the cache, file by file, what is dirty written first. Inodes and
  // directories stay. What stays (mapped, or locked by somebody) is told by resident().
  virtual void evict(const Alive& alive) = 0;
  // Reads all of it once.
  virtual void warm(const Alive& alive) = 0;
};

}  // namespace benchbench
