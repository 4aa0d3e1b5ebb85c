// Threads that read all samples of an archive, each its share.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "harness/part/sample_format.h"

namespace benchbench::micro {

// One thread's way to read: made and called on that thread.
class OneReader {
 public:
  virtual ~OneReader() = default;
  virtual void read(SampleId id) = 0;
};
using MakeReader =
    std::function<std::unique_ptr<OneReader>(SampleArchive& archive, Runtime& runtime)>;

// By SampleArchive::reader() or, `library`, library_reader(). PartError where there is none.
MakeReader by_archive(bool library);
// The bytes of a sample's extent by pread into one buffer, and nothing else. PartError where the
// format has no extents.
MakeReader by_pread();

// Returns the samples of one of `threads` threads, in an order that hops about.
std::vector<SampleId> share_of(std::uint64_t samples, std::uint32_t thread, std::uint32_t threads);

// Seconds from the start of `threads` threads until each of the samples is read `passes` times, in
// an order that hops about. Throws what a reader throws.
double read_all(SampleArchive& archive, const MakeReader& make, std::uint32_t threads,
                std::uint32_t passes);

}  // namespace benchbench::micro
