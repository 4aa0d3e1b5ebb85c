#include "scenarios/formats/hdf5/hdf5_array_writer.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "harness/core/error.h"
#include "harness/hdf5/file.h"
#include "scenarios/formats/arrays/array_payload.h"
#include "scenarios/formats/deflate.h"
#include "scenarios/formats/hdf5/hdf5_arrays.h"
#include "scenarios/formats/hdf5/hdf5_columns.h"
#include "scenarios/formats/placed_writer.h"

namespace benchbench::hdf5_format {
namespace {

constexpr int kLevel = 4;  // h5py's

class ArrayWriter final : public PlacedWriter {
 public:
  ArrayWriter(const WriteOrder& order, Layout layout)
      : PlacedWriter(order), payload_(order.payload), samples_(order.samples), layout_(layout) {}

 private:
  void write(std::string_view name, std::int64_t label, ByteSpan payload) override {
    require_array(payload, payload_, name);
    if (added_ == samples_)
      throw ScenarioError(fmt::format("'{}': more than the {} samples it was created for",
                                      place_.path(), samples_));
    if (!file_) begin();
    if (layout_ == Layout::contiguous)
      data_->write_elements(added_, element_of(payload_.dtype), payload.data(),
                            payload.size() / size_of(payload_.dtype));
    else if (layout_ == Layout::chunked)
      data_->write_chunk(added_, payload);
    else
      data_->write_chunk(added_, deflate(Deflated::zlib, kLevel, payload));
    labels_.push_back(label);
    names_.emplace_back(name);
  }

  void complete() override {
    if (added_ != samples_)
      throw ScenarioError(
          fmt::format("'{}': {} samples instead of {}", place_.path(), added_, samples_));
    write_labels_and_names(*file_, labels_, names_);
    file_->set_attribute("format", "benchbench arrays 1");
    file_->set_attribute(kKind, kind_word(payload_));
    data_.reset();
    file_->close();
    sync_file_system(std::filesystem::absolute(place_.path()).parent_path());
  }

  void begin() {
    file_ = hdf5::File::create(place_.beside(), ErrorKind::scenario, hdf5::File::Format::newest);
    std::vector<std::uint64_t> extents = shape_of(payload_);
    extents.insert(extents.begin(), samples_);
    const hdf5::Element element = element_of(payload_.dtype);
    if (layout_ == Layout::contiguous)
      data_ = file_->create_contiguous(kData, element, extents);
    else
      data_ = file_->create_row_chunks(
          kData, element, extents,
          layout_ == Layout::gzip ? std::optional<unsigned>(kLevel) : std::nullopt);
  }

  PayloadSpec payload_;
  std::uint64_t samples_;
  Layout layout_;
  std::optional<hdf5::File> file_;
  std::optional<hdf5::Dataset> data_;
  std::vector<std::int64_t> labels_;
  std::vector<std::string> names_;
};

}  // namespace

std::unique_ptr<SampleWriter> create_arrays(const WriteOrder& order, Layout layout) {
  return std::make_unique<ArrayWriter>(order, layout);
}

}  // namespace benchbench::hdf5_format
