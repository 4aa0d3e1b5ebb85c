#include "scenarios/loaders/native_reads.h"

#include <fmt/format.h>

#include "harness/core/error.h"
#include "scenarios/loaders/busy.h"
#include "scenarios/loaders/held_archive.h"

namespace benchbench {
namespace {

constexpr std::string_view kNoDepth = "loader.io_depth has no effect";

std::string note_of(const ReadOptions& options, bool simulated) {
  std::string text = fmt::format("io: {}", name_of(options.engine));
  if (options.depth > 0)
    text += simulated ? ", no read-ahead in virtual time"
                      : fmt::format(", {} reads in flight ahead of the workers", options.depth);
  if (options.max > 0)
    text += fmt::format(", adjacent samples merged into reads of up to {}",
                        human_bytes(static_cast<double>(options.max)));
  return text;
}

// Nothing is decoded: of data whose reading inflates them, that is left out of the reading.
bool leaves_out_inflating(std::string_view payload, const SampleArchive& archive) {
  return archive.inflates() && (payload == "decoded" || payload == "ready");
}

}  // namespace

NativeReads::NativeReads(std::unique_ptr<SampleArchive> archive, const LoaderContext& context)
    : archive_(std::move(archive)), store_(context.store), order_(archive_->layout()) {
  holds_payloads_ = leaves_out_inflating(context.settings.text("payload"), *archive_);
  if (holds_payloads_) archive_ = hold_inflated(std::move(archive_));
  const Settings& settings = context.settings;
  const std::string_view io = settings.text("io");
  options_.depth = static_cast<std::uint32_t>(settings.integer("io_depth"));
  options_.max = settings.bytes("read_size").value;
  if (settings.text("residency") == "host") {
    keep_in_memory(io, context.dataset.format);
    return;
  }
  if (io == "library" || (io == "auto" && !archive_->extents()))
    choose_library(io, context.dataset.format);
  else
    choose_engine(io, context);
}

// Its library goes on reading, from memory, with its lock and all that it does under it.
void NativeReads::keep_in_memory(std::string_view io, std::string_view format) {
  store_ = nullptr;
  if (io == "library" && archive_->extents()) {
    choose_library(io, format);
    resident_ = ResidentFiles(*archive_->extents());
    note_ += ", its files are in memory";
    return;
  }
  archive_ = make_resident(std::move(archive_));
  note_ = "io: none, all stored bytes are in memory";
}

void NativeReads::choose_library(std::string_view io, std::string_view format) {
  if (io == "library" && archive_->extents()) {
    const auto runtime = make_real_runtime();
    by_library_ = archive_->library_reader(*runtime) != nullptr;
    if (!by_library_)
      throw DeviceError(
          fmt::format("loader.io: library cannot read {}: the format has no library of its own",
                      format),
          "use auto, pread, mmap, io_uring or direct");
  }
  note_ = "io: the format's library";
  if (options_.depth > 0) note_ += fmt::format("; {}", kNoDepth);
}

void NativeReads::choose_engine(std::string_view io, const LoaderContext& context) {
  if (!archive_->extents())
    throw DeviceError(
        fmt::format(
            "loader.io: {} cannot read {}: only the format's library can locate its samples", io,
            context.dataset.format),
        "use auto or library");
  options_.engine = from_name<IoEngine>(io).value_or(IoEngine::pread);
  require_engine(options_.engine, *archive_->extents());
  by_extents_ = true;
  note_ = note_of(options_, context.simulated);
  note_alone_ =
      fmt::format("{}: these reads failed; from then on each worker read for itself", note_);
  options_.gave_up = &gave_up_;
}

std::unique_ptr<SampleLane> NativeReads::lane(Runtime& runtime) {
  if (!by_extents_)
    return lane_of_reader(
        by_library_ ? archive_->library_reader(runtime) : archive_->reader(runtime), order_, store_,
        runtime);
  // For a few instructions, but for the first worker's, who starts the threads that read.
  const Busy busy(busy_, &runtime);
  std::shared_ptr<StoredReads> reads = reads_.lock();
  if (!reads) {
    reads =
        std::make_shared<StoredReads>(*archive_, options_, store_, order_, runtime, EngineMaker{});
    reads_ = reads;
  }
  return StoredReads::lane(std::move(reads));
}

std::shared_ptr<StoredReads> NativeReads::current() {
  const Busy busy(busy_);
  return reads_.lock();
}

void NativeReads::expect(const BatchRequest& request) {
  if (options_.depth == 0 || !by_extents_) return;
  if (const auto reads = current()) reads->expect(request);
}

void NativeReads::unmap_pages() {
  if (!by_extents_) return;
  if (const auto reads = current()) reads->let_go();
}

}  // namespace benchbench
