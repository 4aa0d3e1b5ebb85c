#include "scenarios/formats/hdf5/hdf5_encoded.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"
#include "scenarios/formats/hdf5/hdf5_rows.h"
#include "scenarios/formats/table_archive.h"

namespace benchbench::hdf5_format {
namespace {

[[noreturn]] void refuse_encoded(const std::string& path, std::string_view what) {
  throw ScenarioError(
      fmt::format("'{}': {}", path, what),
      "expected: /payload (uint8, contiguous), /offsets (uint64, samples + 1), /labels (int64)");
}

hdf5::Dataset column(const hdf5::File& file, const std::string& name) {
  hdf5::Dataset data = plain_data_set(file, name);
  if (data.extents().size() != 1)
    refuse_encoded(file.path(), fmt::format("{} must have one dimension", name));
  return data;
}

struct Payload {
  std::uint64_t offset = 0;  // in the file
  std::uint64_t size = 0;
};

Payload payload_of(const hdf5::File& file) {
  const hdf5::Dataset data = plain_data_set(file, kPayload);
  if (data.element() != hdf5::Element::uint8 || data.extents().size() != 1) {
    refuse_encoded(file.path(), "/payload must be uint8 with one dimension");
  }
  const auto offset = data.contiguous_offset();
  if (!offset)
    refuse_encoded(file.path(),
                   "/payload is chunked or compact: it must be contiguous and uncompressed");
  return {*offset, data.rows()};
}

SampleTable table_of(const hdf5::File& file, const Paths& paths, const Payload& payload) {
  const hdf5::Dataset stored_offsets = column(file, kOffsets),
                      stored_labels = column(file, paths.label);
  const std::uint64_t samples = stored_labels.rows();
  if (samples == 0)
    refuse_encoded(file.path(), fmt::format("no images in it: {} is empty", paths.label));
  if (stored_offsets.rows() - 1 != samples)
    refuse_encoded(file.path(), fmt::format("{} offsets do not match {} labels",
                                            stored_offsets.rows(), samples));
  refuse_never_written(samples, file.path());
  const auto offsets = stored_offsets.read_all<std::uint64_t>();
  const auto labels = stored_labels.read_all<std::int64_t>();
  const auto names = names_in(file, paths, samples);
  if (!std::ranges::is_sorted(offsets) || offsets.back() > payload.size) {
    refuse_encoded(
        file.path(),
        fmt::format("/offsets must be increasing and within the payload's {} bytes", payload.size));
  }
  SampleTable table;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    require_label(labels[i], i, file.path());
    table.add(names[i], labels[i], payload.offset + offsets[i], offsets[i + 1] - offsets[i]);
  }
  return table;
}

class EncodedArchive final : public TableArchive {
 public:
  EncodedArchive(Parts parts, std::uint64_t payload_offset)
      : TableArchive(std::move(parts)),
        library_{.path = std::string(path(0)),
                 .name = kPayload,
                 .bytes = true,
                 .payload_offset = payload_offset} {}
  std::unique_ptr<SampleReader> library_reader(Runtime& runtime) override {
    return read_by_library(library_, table(), turn_, runtime);
  }

 private:
  LibraryRows library_;
  LibraryTurn turn_;
};

}  // namespace

bool is_encoded(const hdf5::File& file, const Paths& paths) {
  if (!paths.image.empty()) return paths.image == kPayload;
  return file.has(kPayload) || file.has(kOffsets);
}

std::unique_ptr<SampleArchive> open_encoded(const hdf5::File& file, Paths paths) {
  if (paths.label.empty()) paths.label = kLabels;
  if (paths.name.empty()) paths.name = kNames;
  const Payload payload = payload_of(file);
  TableArchive::Parts parts{{file.path()}, table_of(file, paths, payload)};
  parts.remark = passed_over_in(file, {kPayload, kOffsets, paths.label, paths.name});
  return std::make_unique<EncodedArchive>(std::move(parts), payload.offset);
}

}  // namespace benchbench::hdf5_format
