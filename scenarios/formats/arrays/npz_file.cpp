#include "scenarios/formats/arrays/npz_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "harness/core/error.h"
#include "harness/core/spelling.h"
#include "harness/core/units.h"
#include "scenarios/formats/arrays/array_payload.h"
#include "scenarios/formats/arrays/npy_header.h"
#include "scenarios/formats/arrays/npy_labels.h"
#include "scenarios/formats/arrays/zip_member.h"
#include "scenarios/formats/deflate.h"
#include "scenarios/formats/remark.h"
#include "scenarios/formats/table_archive.h"
#include "scenarios/storage/extent_reader.h"

namespace benchbench {
namespace {

constexpr std::uint64_t kMaxInflated = 4ull << 30;
constexpr std::string_view kSuffix = ".npy";
constexpr std::string_view kImageNames[] = {"images", "image", "data", "x", "x_train", "arr_0"};
constexpr std::string_view kLabelNames[] = {"labels", "label", "y", "y_train", "targets"};

// One member that is an array.
struct Array {
  std::string name;  // without .npy
  zip::Entry entry;
  std::vector<std::byte> held;  // all of it, once it was inflated
  std::optional<npy::Header> header;
};

class NpzArrays {
 public:
  explicit NpzArrays(const std::string& path) : file_(path) {
    for (zip::Entry& entry : zip::list_members(file_)) {
      if (!entry.name.ends_with(kSuffix)) continue;
      std::string name = entry.name.substr(0, entry.name.size() - kSuffix.size());
      arrays_.push_back({std::move(name), std::move(entry), {}, {}});
    }
    if (arrays_.empty()) throw PartError("not a readable .npz archive: no .npy in it");
  }

  Array& choose_image(std::string_view named) {
    if (!named.empty()) return require(named);
    const auto fits = [](const npy::Header& h) { return h.shape.size() >= 2; };
    for (const std::string_view name : kImageNames)
      if (Array* array = find(name); array && may_fit(*array, fits)) return *array;
    if (arrays_.size() == 1) return arrays_.front();
    std::vector<Array*> several;
    for (Array& array : arrays_)
      if (may_fit(array, fits)) several.push_back(&array);
    if (several.size() == 1) return *several.front();
    if (several.empty())
      for (Array& array : arrays_) parse_header(array);  // the reason of one that is not ours
    throw PartError(
        several.empty()
            ? fmt::format("none of its arrays has two dimensions; its arrays: {}", names())
            : fmt::format("{} could hold the samples; its arrays: {}",
                          counted(several.size(), "array"), names()),
        fmt::format("name one: dataset.columns: {{image: {}}}", arrays_.front().name));
  }

  // nullptr where there are none.
  Array* choose_labels(std::string_view named, const Array& image, std::uint64_t samples) {
    if (!named.empty()) return &require_labels(named, samples);
    const auto fits = [&](const npy::Header& h) { return npy::has_labels(h, samples); };
    for (const std::string_view name : kLabelNames)
      if (Array* array = find(name); array && may_fit(*array, fits)) return array;
    if (Array* second = find("arr_1"); second && image.name == "arr_0" && may_fit(*second, fits))
      return second;
    return nullptr;
  }

  // PartError where it is no array of ours.
  const npy::Header& parse_header(Array& array) {
    if (array.header) return *array.header;
    inflate_whole(array);
    const zip::Entry& entry = array.entry;
    array.header =
        entry.deflated
            ? npy::parse(array.held)
            : npy::parse(zip::bytes_at(file_, entry.offset,
                                       std::min<std::uint64_t>(entry.stored, npy::kMax)));
    return *array.header;
  }

  // Bytes of the array's elements; PartError where there are fewer.
  std::uint64_t element_bytes(Array& array) {
    const npy::Header& header = parse_header(array);
    const std::uint64_t bytes = npy::element_bytes(header);
    if (header.size > array.entry.size || bytes > array.entry.size - header.size)
      throw PartError(fmt::format("its array {} is truncated: {} bytes instead of {}", array.name,
                                  array.entry.size, header.size + bytes));
    return bytes;
  }

  std::vector<std::int64_t> read_labels(Array& array) {
    const std::uint64_t bytes = element_bytes(array);
    const npy::Header& header = parse_header(array);
    if (array.entry.deflated)
      return npy::labels_in(header, std::span(array.held).subspan(header.size, bytes));
    return npy::labels_in(header, zip::bytes_at(file_, array.entry.offset + header.size, bytes));
  }

  // Names the arrays that are neither the samples nor their labels.
  std::string passed_over(const Array& image, const Array* labels) const {
    std::vector<std::string> left;
    for (const Array& array : arrays_)
      if (&array != &image && &array != labels) left.push_back(array.name);
    if (left.empty()) return {};
    return fmt::format("{}{}: {}", kPassedOver, counted(left.size(), "array"), listed(left, 8));
  }

 private:
  Array* find(std::string_view name) {
    const auto found = std::ranges::find(arrays_, name, &Array::name);
    return found == arrays_.end() ? nullptr : &*found;
  }
  Array& require(std::string_view named) {
    if (Array* array = find(named.ends_with(kSuffix) ? named.substr(0, named.size() - 4) : named))
      return *array;
    throw PartError(fmt::format("it has no array {}; its arrays: {}", named, names()));
  }
  Array& require_labels(std::string_view named, std::uint64_t samples) {
    Array& array = require(named);
    if (npy::has_labels(parse_header(array), samples)) return array;
    throw PartError(fmt::format(
        "its array {} does not hold one whole number for each of {} samples", named, samples));
  }
  std::string names() const {
    std::vector<std::string> all;
    for (const Array& array : arrays_) all.push_back(array.name);
    return listed(all, 16);
  }

  bool is_ours(Array& array) try {
    parse_header(array);
    return true;
  } catch (const PartError&) {
    return false;  // an array of none of our types was not meant
  }
  // PartError where it is damaged. One that does not fit takes no memory after this.
  template <class Fits>
  bool may_fit(Array& array, Fits fits) {
    inflate_whole(array);
    if (is_ours(array) && fits(*array.header)) return true;
    array.header.reset();
    std::vector<std::byte>().swap(array.held);
    return false;
  }

  [[noreturn]] static void refuse_large(const Array& array) {
    throw PartError(fmt::format("its array {} is deflated and would take {} of memory (limit {})",
                                array.name, human_bytes(static_cast<double>(array.entry.size)),
                                human_bytes(static_cast<double>(kMaxInflated))),
                    "store it with numpy.savez: its samples are then read from the file");
  }
  void inflate_whole(Array& array) {
    if (!array.entry.deflated || !array.held.empty()) return;
    if (array.entry.size > kMaxInflated) refuse_large(array);
    const auto stored = zip::bytes_at(file_, array.entry.offset, array.entry.stored);
    array.held.resize(array.entry.size);
    if (!inflate(Deflated::raw, stored, array.held) || crc32(array.held) != array.entry.crc) {
      array.held.clear();
      throw PartError(fmt::format("its deflated array {} is damaged", array.name));
    }
  }

  FileBytes file_;
  std::vector<Array> arrays_;
};

// Samples that are held in memory; the table's offsets are in there.
class InflatedArchive final : public TableArchive {
 public:
  InflatedArchive(Parts parts, std::vector<std::byte> bytes)
      : TableArchive(std::move(parts)), bytes_(std::move(bytes)) {}
  const SampleExtents* extents() const override { return nullptr; }
  std::unique_ptr<SampleReader> reader(Runtime& runtime) override;
  StoredSample at(SampleId id) const {
    return sample(id, std::span(bytes_).subspan(table().offset(id), table().length(id)));
  }

 private:
  std::vector<std::byte> bytes_;
};

class MemoryReader final : public ReaderOf<InflatedArchive> {
 public:
  using ReaderOf::ReaderOf;
  StoredSample read(SampleId id, StepNumber step, StageMeter& meter) override {
    StageScope scope(meter, runtime_, step, Stage::read);
    const StoredSample sample = archive_.at(id);
    scope.stop();
    meter.payload(id, sample.payload);
    return sample;
  }
};

std::unique_ptr<SampleReader> InflatedArchive::reader(Runtime& runtime) {
  return std::make_unique<MemoryReader>(*this, runtime);
}

std::unique_ptr<SampleArchive> opened(const std::string& path, const ColumnNames& columns) {
  if (!columns.name.empty())
    throw PartError(fmt::format("names of samples ({}) are not read from an .npz", columns.name));
  NpzArrays arrays(path);
  Array& image = arrays.choose_image(columns.image);
  const npy::Header header = arrays.parse_header(image);
  if (header.shape.size() < 2) throw PartError("an array of samples needs at least two dimensions");
  const std::uint64_t samples = header.shape[0];
  if (samples == 0) throw PartError("no samples in it");
  arrays.element_bytes(image);
  TableArchive::Parts parts{
      .files = {path}, .payload = array_payload(header.dtype, std::span(header.shape).subspan(1))};
  const std::uint64_t bytes = array_bytes(parts.payload);
  Array* const labels = arrays.choose_labels(columns.label, image, samples);
  const auto values = labels ? arrays.read_labels(*labels) : std::vector<std::int64_t>(samples, 0);
  const std::uint64_t first = header.size + (image.entry.deflated ? 0 : image.entry.offset);
  for (std::uint64_t i = 0; i < samples; ++i)
    parts.table.add(fmt::format("sample {}", i), values[i], first + i * bytes, bytes);
  if (!labels) parts.remark = kNoLabels;
  add_remark(parts.remark, arrays.passed_over(image, labels));
  if (!image.entry.deflated) return std::make_unique<TableArchive>(std::move(parts));
  add_remark(parts.remark,
             "its array is deflated: it was inflated when it was opened, and is held in memory");
  return std::make_unique<InflatedArchive>(std::move(parts), std::move(image.held));
}

}  // namespace

std::unique_ptr<SampleArchive> open_npz_file(const std::string& path,
                                             const ColumnNames& columns) try {
  return opened(path, columns);
} catch (const PartError& error) {
  throw ScenarioError(fmt::format("'{}': {}", path, error.message()), error.hint());
}

}  // namespace benchbench
