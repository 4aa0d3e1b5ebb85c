#include "harness/dataset/dataset.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/dataset/free_space.h"
#include "harness/dataset/making_lock.h"
#include "harness/dataset/manifest.h"
#include "harness/dataset/ordered_making.h"
#include "harness/dataset/sample_source.h"
#include "harness/dataset/verify.h"

namespace benchbench {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kLooks = 64;
constexpr const char* kUnreadable = "unreadable";
constexpr std::string_view kOrigin = "digest of the source ";

bool finished(const DatasetNeed& need) {
  std::error_code ignored;
  return fs::exists(fs::path(dataset_folder(need)) / kFinishedMarker, ignored);
}

// A format in which the same samples lie ready, or nothing.
std::optional<DatasetNeed> ready_sibling(const DatasetNeed& need, const Catalog& catalog) {
  for (const std::string& format : catalog.names(PartKind::sample_format)) {
    if (format == need.format) continue;
    DatasetNeed sibling = in_format(need, format, catalog);
    // Among prepared samples zeros may stand for an image that cannot be decoded: only the making
    // itself knows which.
    if (sibling.ready && (need.prepare.empty() || unreadable_samples(sibling).empty()))
      return sibling;
  }
  return std::nullopt;
}

std::string detect(const DatasetNeed& need, const Catalog& catalog) {
  std::string format = detect_format(need.source, catalog);
  if (format.empty())
    throw ScenarioError(
        fmt::format("dataset.path: cannot recognise the format of '{}'", need.source),
        "dataset.prepare and conversions need a source whose format shows in its name or first "
        "bytes");
  return format;
}

std::unique_ptr<SampleSource> source_of(const DatasetNeed& need, const Catalog& catalog) {
  if (const auto sibling = ready_sibling(need, catalog)) {
    if (auto manifest = read_manifest(*sibling)) {
      const std::uint64_t bytes = manifest->bytes;
      return archive_source({sibling->format, sibling->path}, bytes, std::move(manifest), catalog);
    }
  }
  auto source = need.source == "synthesize"
                    ? synthesis_source(need, catalog)
                    : archive_source({detect(need, catalog), need.source, need.columns},
                                     need.bytes_estimate, std::nullopt, catalog);
  return need.prepare.empty() ? std::move(source)
                              : prepared_source(std::move(source), need, catalog);
}

// What its samples were made from, in the words of the marker: prepared ones only.
std::string origin_of(const DatasetNeed& need, const SampleSource& source, const Catalog& catalog) {
  if (const std::string digest = source.origin(); !digest.empty())
    return fmt::format("{}{}\n", kOrigin, digest);
  const auto sibling = need.prepare.empty() ? std::nullopt : ready_sibling(need, catalog);
  if (!sibling) return {};
  std::ifstream marker(dataset_folder(*sibling) + "/" + kFinishedMarker, std::ios::binary);
  for (std::string line; std::getline(marker, line);)
    if (line.starts_with(kOrigin)) return line + "\n";
  return {};
}

// The order of a making; all that it holds outlives the making.
struct MakingOrder {
  const DatasetNeed& need;
  const Catalog& catalog;
  Runtime& runtime;
  const DatasetProgress& progress;
  const std::atomic<bool>& stop;
};

// One making: samples from the source through the writer, and the manifest on the way.
class Making {
 public:
  Making(const MakingOrder& order, const SampleSource& source)
      : order_(order), source_(source), all_(source.samples()) {}

  Manifest run(const FormatPart& format) {
    const auto writer = format.create({order_.need.path, all_, source_.payload()});
    manifest_.reserve(all_);
    order_.progress(0, all_, 0);
    make_in_order(source_, order_.runtime, making_threads(), order_.stop,
                  [&](SampleId id, std::span<const std::byte> payload) {
                    note(id, payload);
                    writer->add(source_.name(id), manifest_.labels.back(), payload);
                    report();
                  });
    writer->finish();
    order_.progress(all_, all_, manifest_.bytes);
    if (!unreadable_.empty() && unreadable_.size() == all_)
      throw ScenarioError(fmt::format("none of the {} samples of {} can be read, for example '{}'",
                                      all_, source_.text(), unreadable_.front()));
    return std::move(manifest_);
  }

  const std::vector<std::string>& unreadable() const noexcept { return unreadable_; }

 private:
  void require_expected(SampleId id, const Digest& digest) const {
    const Manifest* expected = source_.expected();
    if (!expected || expected->digests.at(id) == digest) return;
    throw ScenarioError(
        fmt::format("sample {} ('{}') of {} does not match its manifest: digest {} instead of {}",
                    id, source_.name(id), source_.text(), digest.text(),
                    expected->digests[id].text()),
        fmt::format("remove its folder; {} is then made again", order_.need.format));
  }

  void note(SampleId id, std::span<const std::byte> payload) {
    const Digest digest = digest_of(payload);
    require_expected(id, digest);
    manifest_.add(digest, source_.label(id), payload.size());
    if (payload.empty() || source_.blank(id)) unreadable_.push_back(source_.name(id));
  }

  void report() {
    if (pace_.passes(order_.runtime.now()))
      order_.progress(manifest_.digests.size(), all_, manifest_.bytes);
  }

  const MakingOrder& order_;
  const SampleSource& source_;
  std::uint64_t all_;
  Manifest manifest_;
  std::vector<std::string> unreadable_;
  Pace pace_;
};

// Leaves nothing behind unless kept: what was cut short costs no disk.
class NewFolder {
 public:
  explicit NewFolder(std::string path) : path_(std::move(path)) {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~NewFolder() {
    std::error_code ignored;
    if (!kept_) fs::remove_all(path_, ignored);
  }
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;
  void keep() { kept_ = true; }

 private:
  std::string path_;
  bool kept_ = false;
};

std::string finished_text(const DatasetNeed& need, const SampleSource& source,
                          const std::string& origin, const Manifest& manifest,
                          std::size_t unreadable) {
  std::string text =
      fmt::format("a data set of benchbench: {}\nsamples {}\nbytes {}\nmade from {}\n", need.format,
                  manifest.digests.size(), manifest.bytes, source.text());
  text += origin;
  if (unreadable > 0)
    text +=
        fmt::format("without payload {} (names: {}); remove this folder once they can be read\n",
                    unreadable, kUnreadable);
  return text;
}

std::string words_of(const PayloadSpec& payload) {
  if (payload.encoded_image()) return "encoded images";
  return payload.data == DataKind::image    ? "decoded images"
         : payload.data == DataKind::volume ? "volumes"
                                            : "tokens";
}

void require_can_hold(const PartDescription& format, const PayloadSpec& payload) {
  if (can_hold(format.holds, payload)) return;
  throw ScenarioError(
      fmt::format("dataset.format: {} cannot hold {}", format.name, words_of(payload)),
      "`benchbench describe formats` shows what each format holds");
}

void write_unreadable(const std::string& folder, const std::vector<std::string>& names) {
  if (!names.empty())
    write_synced(folder + "/" + kUnreadable, fmt::format("{}\n", fmt::join(names, "\n")));
}

// The source's remark.
std::string make(const MakingOrder& order) {
  const DatasetNeed& need = order.need;
  const Catalog& catalog = order.catalog;
  const std::string folder = dataset_folder(need);
  const FormatPart& format = catalog.maker(PartKind::sample_format, need.format).format;
  const auto source = source_of(need, catalog);
  require_can_hold(*catalog.find(PartKind::sample_format, need.format)->description,
                   source->payload());
  NewFolder made(folder);
  require_space(free_space(folder), source->bytes_estimate(), source->samples(),
                fmt::format("the dataset ({}, {} samples)", need.format, source->samples()),
                fs::path(folder).parent_path().string());
  Making making(order, *source);
  const Manifest manifest = making.run(format);
  write_manifest(manifest_path(need), manifest);
  write_unreadable(folder, making.unreadable());
  check_dataset(need, catalog, order.runtime, kLooks);  // as a reader will see it
  write_synced(folder + "/" + kFinishedMarker,
               finished_text(need, *source, origin_of(need, *source, catalog), manifest,
                             making.unreadable().size()));
  made.keep();
  return source->remark();
}

// A disk that filled up under the making says so in whatever words the format has; we know better.
ScenarioError disk_full(const std::string& parent, std::uint64_t left, const Error& error) {
  return ScenarioError(
      fmt::format("the disk of '{}' filled up while a dataset was being made ({} were left): {}",
                  parent, human_bytes(static_cast<double>(left)), error.message()),
      "free some space, or set BENCHBENCH_CACHE to a folder on a larger disk; the partial "
      "dataset was removed");
}

std::string make_or_explain(const MakingOrder& order) {
  constexpr std::uint64_t kNothingLeft = 16ull << 20;
  std::uint64_t min_free = ~0ull;
  const std::string parent = fs::path(dataset_folder(order.need)).parent_path().string();
  const DatasetProgress watching = [&](std::uint64_t done, std::uint64_t all, std::uint64_t bytes) {
    min_free = std::min(min_free, free_space(parent).bytes);
    order.progress(done, all, bytes);
  };
  try {
    return make({order.need, order.catalog, order.runtime, watching, order.stop});
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::interrupted || min_free > kNothingLeft) throw;
    throw disk_full(parent, min_free, error);
  } catch (const fs::filesystem_error& error) {
    throw ScenarioError(fmt::format("cannot make the dataset: {}", error.what()), kWritableHint);
  }
}

std::string open_users_own(const DatasetNeed& need, const Catalog& catalog) {
  const auto archive =
      catalog.maker(PartKind::sample_format, need.format).format.open(need.path, need.columns);
  if (archive->layout().samples == 0)
    throw ScenarioError(fmt::format("'{}' holds no samples", need.path));
  return std::string(archive->remark());
}

void make_datasets_folder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) {
    throw ScenarioError(fmt::format("cannot create the folder '{}': {}", path, error.message()),
                        kWritableHint);
  }
}

}  // namespace

std::string ensure_dataset(const DatasetNeed& need, const Catalog& catalog,
                           const DatasetProgress& progress, const std::atomic<bool>& stop) {
  if (is_users_own(need)) return open_users_own(need, catalog);
  const auto runtime = make_real_runtime();
  if (!finished(need)) {
    const std::string folder = dataset_folder(need);
    make_datasets_folder(fs::path(folder).parent_path().string());
    const MakingLock lock(folder + ".lock", *runtime, stop, [&] { progress(0, 0, 0); });
    if (!finished(need)) return make_or_explain({need, catalog, *runtime, progress, stop});
  }
  check_dataset(need, catalog, *runtime, kLooks);
  return {};
}

std::vector<std::string> unreadable_samples(const DatasetNeed& need) {
  std::vector<std::string> names;
  if (is_users_own(need)) return names;
  std::ifstream file(dataset_folder(need) + "/" + kUnreadable, std::ios::binary);
  for (std::string name; std::getline(file, name);) names.push_back(name);
  return names;
}

}  // namespace benchbench
