#include "harness/dataset/verify.h"

#include <algorithm>

#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/dataset/sample_source.h"

namespace benchbench {
namespace {

[[noreturn]] void disagree(const DatasetNeed& need, const std::string& what) {
  const std::string folder = dataset_folder(need);
  throw ScenarioError(
      fmt::format("the dataset '{}' does not match its manifest: {}", need.path, what),
      fmt::format("remove the folder '{}'; the dataset is then made again", folder));
}

void check_sample(const DatasetNeed& need, const Manifest& manifest, SampleId id,
                  SampleReader& reader) {
  NullMeter meter;
  const StoredSample sample = reader.read(id, 0, meter);
  if (sample.payload.size() != manifest.lengths[id]) {
    disagree(need, fmt::format("sample {} ('{}') has {} bytes instead of {}", id, sample.name,
                               sample.payload.size(), manifest.lengths[id]));
  }
  if (const Digest found = digest_of(sample.payload); found != manifest.digests[id]) {
    disagree(need, fmt::format("sample {} ('{}') has the digest {} instead of {}", id, sample.name,
                               found.text(), manifest.digests[id].text()));
  }
}

void check_labels(const DatasetNeed& need, const Manifest& manifest, const SampleArchive& archive) {
  for (SampleId id = 0; id < manifest.labels.size(); ++id) {
    if (archive.label_of(id) != manifest.labels[id]) {
      disagree(need, fmt::format("sample {} ('{}') has the label {} instead of {}", id,
                                 archive.name_of(id), archive.label_of(id), manifest.labels[id]));
    }
  }
}

// Returns the i-th of `count` samples from the first to the last of `all`.
SampleId spread(std::uint64_t i, std::uint64_t count, std::uint64_t all) {
  if (count < 2) return 0;
  return static_cast<SampleId>(static_cast<unsigned __int128>(i) * (all - 1) / (count - 1));
}

void check_archive(const DatasetNeed& need, const Manifest& manifest, SampleArchive& archive,
                   Runtime& runtime, std::uint64_t looks) {
  const std::uint64_t all = manifest.digests.size();
  if (archive.layout().samples != all) {
    disagree(need, fmt::format("it holds {} samples instead of {}", archive.layout().samples, all));
  }
  check_labels(need, manifest, archive);
  const auto reader = archive.reader(runtime);
  const std::uint64_t count = looks == 0 ? all : std::min(looks, all);
  for (std::uint64_t i = 0; i < count; ++i)
    check_sample(need, manifest, spread(i, count, all), *reader);
}

std::unique_ptr<SampleArchive> open_archive(const DatasetNeed& need, const FormatPart& format) {
  try {
    return format.open(need.path);
  } catch (const Error& error) {
    disagree(need, std::string(error.message()));
  }
}

}  // namespace

void check_dataset(const DatasetNeed& need, const Catalog& catalog, Runtime& runtime,
                   std::uint64_t looks) {
  const FormatPart& format = catalog.maker(PartKind::sample_format, need.format).format;
  const std::optional<Manifest> manifest = read_manifest(need);
  if (!manifest) disagree(need, "it has no manifest");
  const std::unique_ptr<SampleArchive> archive = open_archive(need, format);
  try {
    check_archive(need, *manifest, *archive, runtime, looks);
  } catch (const PartError& error) {  // a reader's complaint: cut short, missing
    disagree(need, std::string(error.message()));
  }
}

}  // namespace benchbench
