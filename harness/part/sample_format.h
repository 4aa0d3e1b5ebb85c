// How logical samples lie on disk. The same logical sample (id, label, payload bytes, name) in every format.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "harness/part/loader.h"
#include "harness/part/settings.h"

namespace benchbench {

// A stored sample as a reader hands it over.
struct StoredSample {
  std::span<const std::byte> payload;   // e.g. JPEG bytes; valid until the reader's next read()
  std::int64_t label = 0;
  std::string_view name;                // file or member, for messages; valid as long as the archive
};

// One thread's way into an archive: own file handle, own buffer.
class SampleReader {
 public:
  virtual ~SampleReader() = default;
  // Throws PartError naming the file where the bytes cannot be had (short read, damaged header).
  // Bills `read` and `parse` and calls meter.bytes_read and meter.payload.
  virtual StoredSample read(SampleId id, StepNumber step, StageMeter& meter) = 0;
};

// An opened data set. Thread-safe to ask; readers are per thread.
class SampleArchive {
 public:
  virtual ~SampleArchive() = default;
  virtual Layout layout() const = 0;
  virtual std::uint32_t classes() const = 0;
  // What was passed over on opening, for people ("3 files that are no JPEG images: 2 .txt, 1 .png"); empty where nothing.
  virtual std::string_view remark() const { return {}; }
  virtual std::string_view name_of(SampleId id) const = 0;
  virtual std::int64_t label_of(SampleId id) const = 0;
  virtual std::unique_ptr<SampleReader> reader(Runtime& runtime) = 0;
};

// Writes an archive. Samples come in id order. Nothing is at `path` until finish() (written beside, then renamed).
class SampleWriter {
 public:
  virtual ~SampleWriter() = default;
  // `name` is class-relative ("n0012/000017.jpg"); `label` its class.
  virtual void add(std::string_view name, std::int64_t label, std::span<const std::byte> payload) = 0;
  virtual void finish() = 0;
};

struct FormatPart {
  // Opens what lies at `path`. ScenarioError where that is none of this format, damaged or unsafe.
  std::unique_ptr<SampleArchive> (*open)(std::string_view path) = nullptr;
  std::unique_ptr<SampleWriter> (*create)(std::string_view path, std::uint64_t samples) = nullptr;
};

// Makes logical samples from a seed. make() depends on (settings, id) alone; any thread.
class Synthesis {
 public:
  virtual ~Synthesis() = default;
  virtual std::uint64_t samples() const noexcept = 0;
  virtual std::uint32_t classes() const noexcept = 0;
  virtual std::int64_t label(SampleId id) const noexcept = 0;
  // The payload's bytes are handed to `sink` once.
  virtual void make(SampleId id, const std::function<void(std::span<const std::byte>)>& sink) const = 0;
  virtual std::uint64_t bytes_estimate() const noexcept = 0;   // of all payloads, within 20 %
  virtual std::string_view extension() const noexcept = 0;     // ".jpg"
};
using SynthesisFactory = std::unique_ptr<Synthesis> (*)(const Settings& synthesize);

}  // namespace benchbench
