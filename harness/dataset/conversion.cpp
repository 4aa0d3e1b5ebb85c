#include "harness/dataset/conversion.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <vector>

#include "harness/core/digest.h"
#include "harness/core/error.h"
#include "harness/core/files/folder_paths.h"
#include "harness/dataset/free_space.h"
#include "harness/dataset/manifest.h"
#include "harness/dataset/ordered_making.h"
#include "harness/dataset/sample_source.h"

namespace benchbench {
namespace {

namespace fs = std::filesystem;

// Nothing is left of what did not turn out right.
class Made {
 public:
  explicit Made(std::string path) : path_(std::move(path)) {}
  ~Made() {
    std::error_code ignored;
    if (written_ && !kept_) fs::remove_all(path_, ignored);
    if (marked_) fs::remove(mark(), ignored);
  }
  std::string mark() const { return path_ + ".unproven"; }
  // In place before the data are: whoever finds both finds data that nobody has read back.
  void marked(const std::string& source) {
    std::error_code ignored;
    fs::remove(mark(), ignored);
    write_synced(absolute_path(mark()).string(), source);
    marked_ = true;
  }
  // What lies there was made from `source`, and not proven.
  bool is_left_of(const std::string& source) {
    std::error_code failed;
    if (!fs::is_regular_file(fs::symlink_status(mark(), failed)) || !fs::exists(path_, failed))
      return false;
    std::ifstream file(mark(), std::ios::binary);
    const std::string found(std::istreambuf_iterator<char>(file), {});
    marked_ = written_ = found == source;
    return marked_;
  }
  Made(const Made&) = delete;
  Made& operator=(const Made&) = delete;
  void written() { written_ = true; }
  void keep() { kept_ = true; }

 private:
  std::string path_;
  bool written_ = false, kept_ = false, marked_ = false;
};

// Returns the words by which an unproven conversion says what it was made from.
std::string source_words(const Conversion& order) {
  const std::string columns = order.from_columns.text();
  return fmt::format("a conversion of benchbench, not read back yet: from {} {}\n{}{}",
                     order.from_format, absolute_path(order.from_path).lexically_normal().string(),
                     columns, columns.empty() ? "" : "\n");
}

class Converting {
 public:
  Converting(const Conversion& order, const Catalog& catalog, const ConversionProgress& progress,
             const std::atomic<bool>& stop)
      : order_(order),
        progress_(progress),
        stop_(stop),
        runtime_(make_real_runtime()),
        format_(catalog.maker(PartKind::sample_format, order.to_format).format),
        source_(archive_source({order.from_format, order.from_path, order.from_columns},
                               bytes_at(order.from_path), std::nullopt, catalog)),
        source_archive_(catalog.maker(PartKind::sample_format, order.from_format)
                            .format.open(order.from_path, order.from_columns)) {
    require_convertible(*catalog.find(PartKind::sample_format, order.to_format)->description);
  }

  Converted run() {
    Made made(order_.to_path);
    const std::string of = source_words(order_);
    const bool was_there = made.is_left_of(of);
    if (was_there)
      write(nullptr);
    else
      write_all(made, of);
    check();
    made.keep();
    return {source_->samples(), bytes_, empty_, was_there, source_->remark()};
  }

 private:
  void require_convertible(const PartDescription& to) const {
    if (!can_hold(to.holds, source_->payload()))
      throw ScenarioError(
          fmt::format("{} cannot hold the samples of '{}'", order_.to_format, order_.from_path),
          "`benchbench describe formats` shows what each format holds");
    if (source_->samples() == 0)
      throw ScenarioError(fmt::format("'{}' holds no samples", order_.from_path));
  }

  void write_all(Made& made, const std::string& of) {
    const fs::path parent = absolute_path(order_.to_path).lexically_normal().parent_path();
    // Makes `parent` too.
    const auto writer = format_.create({order_.to_path, source_->samples(), source_->payload()});
    require_space(free_space(parent.string()), source_->bytes_estimate(), source_->samples(),
                  fmt::format("'{}'", order_.to_path), parent.string());
    made.marked(of);
    write(writer.get());
    writer->finish();
    made.written();
  }
  // Without a writer: what they are is all that is wanted.
  void write(SampleWriter* writer) {
    const auto own_reader = source_archive_->reader(*runtime_);
    make_in_order(*source_, *runtime_, making_threads(), stop_,
                  [&](SampleId id, std::span<const std::byte> payload) {
                    // A source hands an empty sample over for one that it cannot read; here that is
                    // an error.
                    NullMeter meter;
                    if (payload.empty()) payload = own_reader->read(id, 0, meter).payload;
                    digests_.push_back(digest_of(payload));
                    bytes_ += payload.size();
                    empty_ += payload.empty();
                    if (writer) writer->add(source_->name(id), source_->label(id), payload);
                    report(writer ? ConversionPhase::writing : ConversionPhase::checking, id + 1);
                  });
  }

  void check() {
    const auto archive = format_.open(order_.to_path);
    if (archive->layout().samples != source_->samples())
      disagree(fmt::format("it holds {} samples instead of {}", archive->layout().samples,
                           source_->samples()));
    if (archive->payload() != source_->payload()) disagree("its samples are of a different kind");
    check_samples(*archive);
  }

  void check_samples(SampleArchive& archive) {
    const auto reader = archive.reader(*runtime_);
    NullMeter meter;
    for (SampleId id = 0; id < digests_.size(); ++id) {
      if (stop_.load(std::memory_order_relaxed))
        throw InterruptedError("interrupted while the conversion was being checked");
      if (archive.label_of(id) != source_->label(id))
        disagree(fmt::format("sample {} has a different label", id));
      if (digest_of(reader->read(id, 0, meter).payload) != digests_[id])
        disagree(fmt::format("sample {} ('{}') has different bytes", id, source_->name(id)));
      report(ConversionPhase::checking, id + 1);
    }
  }

  [[noreturn]] void disagree(const std::string& what) const {
    throw ScenarioError(
        fmt::format("'{}' did not survive a round trip: read back, {}; it was removed",
                    order_.to_path, what),
        "either the disk is failing or this is a bug in benchbench");
  }

  void report(ConversionPhase phase, std::uint64_t done) {
    if (pace_.passes(runtime_->now())) progress_(phase, done, source_->samples(), bytes_);
  }

  const Conversion& order_;
  const ConversionProgress& progress_;
  const std::atomic<bool>& stop_;
  std::unique_ptr<Runtime> runtime_;
  const FormatPart& format_;
  std::unique_ptr<SampleSource> source_;
  std::unique_ptr<SampleArchive> source_archive_;
  std::vector<Digest> digests_;
  std::uint64_t bytes_ = 0;
  std::uint64_t empty_ = 0;
  Pace pace_;
};

}  // namespace

Converted convert_dataset(const Conversion& order, const Catalog& catalog,
                          const ConversionProgress& progress, const std::atomic<bool>& stop) {
  return Converting(order, catalog, progress, stop).run();
}

}  // namespace benchbench
