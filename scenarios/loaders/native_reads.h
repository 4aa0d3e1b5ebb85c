// How the native loader gets at stored bytes: loader.io, loader.io_depth, loader.read_size,
// loader.residency.
#pragma once
#include <atomic>
#include <memory>
#include <string>

#include "harness/part/sample_format.h"
#include "scenarios/loaders/resident_archive.h"
#include "scenarios/storage/stored_reads.h"

namespace benchbench {

// Shared by the loader's workers; any thread.
class NativeReads {
 public:
  // DeviceError where the engine asked for cannot work here. With residency: host everything is
  // read now.
  NativeReads(std::unique_ptr<SampleArchive> archive, const LoaderContext& context);

  const SampleArchive& archive() const noexcept { return *archive_; }
  // "io: pread, 16 reads in flight ahead of the workers, requests of up to 4 MiB".
  // Another one once the reads in flight have failed altogether.
  std::string_view note() const noexcept {
    return gave_up_ ? std::string_view(note_alone_) : note_;
  }
  // Called on the worker's own thread. What is open, in flight and mapped ends with the last one.
  std::unique_ptr<SampleLane> lane(Runtime& runtime);
  void expect(const BatchRequest& request);
  void unmap_pages();
  // Payloads are not what the manifest says: the meter must not check them.
  bool holds_payloads() const noexcept { return holds_payloads_; }

 private:
  void keep_in_memory(std::string_view io, std::string_view format);
  void choose_engine(std::string_view io, const LoaderContext& context);
  void choose_library(std::string_view io, std::string_view format);
  std::shared_ptr<StoredReads> current();

  std::unique_ptr<SampleArchive> archive_;
  bool holds_payloads_ = false;
  ResidentFiles resident_;
  EmulatedStorage* store_;
  ReadOrder order_;
  ReadOptions options_;
  bool by_extents_ = false;
  bool by_library_ = false;  // not by archive_->reader()
  std::string note_, note_alone_;
  std::atomic<bool> gave_up_{false};
  // Workers come and go one at a time; a Lock would want a runtime before there is one.
  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
  std::weak_ptr<StoredReads> reads_;
};

}  // namespace benchbench
