#include "harness/micro/reading_threads.h"

#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <exception>
#include <vector>

#include "harness/core/descriptor.h"
#include "harness/core/error.h"
#include "harness/core/permutation.h"
#include "harness/core/random.h"
#include "harness/pipeline/thread_meter.h"

namespace benchbench::micro {
namespace {

class ArchiveReader final : public OneReader {
 public:
  explicit ArchiveReader(std::unique_ptr<SampleReader> reader) : reader_(std::move(reader)) {
    if (!reader_) throw PartError("the format has no library of its own to compare with");
  }
  void read(SampleId id) override {
    benchmark::DoNotOptimize(reader_->read(id, 0, meter_).payload.data());
  }

 private:
  std::unique_ptr<SampleReader> reader_;
  ThreadMeter meter_{{.observer = 0}};
};

class ExtentPread final : public OneReader {
 public:
  explicit ExtentPread(const SampleExtents* extents) : extents_(extents) {
    if (!extents_) throw PartError("the format does not report where its samples are stored");
    for (std::uint32_t file = 0; file < extents_->files(); ++file)
      files_.emplace_back(
          ::openat(extents_->folder(), extents_->path(file).data(), O_RDONLY | O_CLOEXEC));
  }
  void read(SampleId id) override {
    const Extent extent = extents_->extent(id);
    if (extent.length == Extent::kToTheEnd) throw PartError("its samples are whole files");
    if (buffer_.size() < extent.length) buffer_.resize(extent.length);
    const auto offset = static_cast<off_t>(extent.offset);
    if (::pread(files_[extent.file].get(), buffer_.data(), extent.length, offset) !=
        static_cast<ssize_t>(extent.length))
      throw PartError("short read");
    benchmark::DoNotOptimize(buffer_.data());
  }

 private:
  const SampleExtents* extents_;
  std::vector<Descriptor> files_;
  std::vector<std::byte> buffer_;
};

struct Share {
  SampleArchive& archive;
  const MakeReader& make;
  Runtime& runtime;
  std::vector<SampleId> ids;
  std::uint32_t passes;
};

class Thread final : public Job {
 public:
  explicit Thread(Share share) : share_(std::move(share)) {}
  void run() override {
    try {
      const auto reader = share_.make(share_.archive, share_.runtime);
      for (std::uint32_t pass = 0; pass < share_.passes; ++pass)
        for (const SampleId id : share_.ids) reader->read(id);
    } catch (...) {
      cause = std::current_exception();
    }
  }
  std::exception_ptr cause;

 private:
  Share share_;
};

}  // namespace

std::vector<SampleId> share_of(std::uint64_t samples, std::uint32_t thread, std::uint32_t threads) {
  std::vector<SampleId> ids;
  for (SampleId id = thread; id < samples; id += threads) ids.push_back(id);
  Random random(thread + 1);
  permute(std::span(ids), random);
  return ids;
}

MakeReader by_archive(bool library) {
  return [library](SampleArchive& archive, Runtime& runtime) -> std::unique_ptr<OneReader> {
    return std::make_unique<ArchiveReader>(library ? archive.library_reader(runtime)
                                                   : archive.reader(runtime));
  };
}

MakeReader by_pread() {
  return [](SampleArchive& archive, Runtime&) -> std::unique_ptr<OneReader> {
    return std::make_unique<ExtentPread>(archive.extents());
  };
}

double read_all(SampleArchive& archive, const MakeReader& make, std::uint32_t threads,
                std::uint32_t passes) {
  const auto runtime = make_real_runtime();
  std::vector<std::unique_ptr<Thread>> jobs;
  for (std::uint32_t t = 0; t < threads; ++t)
    jobs.push_back(std::make_unique<Thread>(
        Share{archive, make, *runtime, share_of(archive.layout().samples, t, threads), passes}));
  std::vector<std::unique_ptr<Task>> tasks;
  const TimePoint start = runtime->now();
  for (const auto& job : jobs) tasks.push_back(runtime->spawn("reading", *job));
  for (const auto& task : tasks) task->join();
  const double seconds = to_seconds(runtime->now() - start);
  for (const auto& job : jobs)
    if (job->cause) std::rethrow_exception(job->cause);
  return seconds;
}

}  // namespace benchbench::micro
