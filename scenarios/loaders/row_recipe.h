// What is done with one kind of data: the part of a loader that knows images from volumes from
// tokens.
#pragma once
#include <memory>
#include <string>

#include "harness/part/sample_format.h"
#include "harness/part/settings.h"

namespace benchbench {

// The tensors of batches that labelled() makes.
inline constexpr std::size_t kDataTensor = 0, kLabelTensor = 1;

// A row of the batch that a request asks for.
struct BatchRow {
  const BatchRequest& request;
  std::size_t i;  // of its rows, and of its samples

  const SampleRef& sample() const { return request.samples[i]; }
  std::byte* data(std::size_t tensor) const { return request.rows.row(tensor, i); }
};

// One worker's. Keeps its memory.
class RowFiller {
 public:
  virtual ~RowFiller() = default;
  // Writes the row in every tensor of the request, from `sample`, which is the row's. A sample that
  // cannot be used is given to the meter as a fault and its rows are blank: one bad sample of ten
  // thousand is never the end of the run.
  virtual void fill(const StoredSample& sample, const BatchRow& row, StageMeter& meter) = 0;
  // The same of a sample whose bytes could not be had: zeros, and the label `label` where there is
  // one.
  virtual void blank(std::int64_t label, const BatchRow& row) = 0;
  // Of rows so cheap that reading the clock twice a row would be seen: fill() bills nothing, and
  // its caller bills to `transform` what a request took and no other stage was billed for.
  virtual bool bills_requests() const noexcept { return false; }
};

// What all workers of a loader share; any thread.
class RowRecipe {
 public:
  virtual ~RowRecipe() = default;
  virtual BatchSpec spec() const = 0;
  // The same as Loader::width_of.
  virtual std::uint32_t width_of(std::span<const SampleRef>) const { return 0; }
  virtual std::unique_ptr<RowFiller> filler(const Runtime& runtime) = 0;
  // The same as Loader::files_of.
  virtual std::span<const EncodedFile> files_of(const std::byte*) const { return {}; }
  // Adds to what the loader says of itself; "" where there is nothing to add.
  virtual std::string note() const { return {}; }
};

// Encoded images: decode, crop, resize, normalise. `archive` is asked for the samples that
// loader.payload holds in memory.
std::unique_ptr<RowRecipe> image_rows(const Settings& settings, SampleArchive& archive);

// Encoded images as they are stored, for a device to decode. Tensors encoded and label; a request
// is a whole batch.
std::unique_ptr<RowRecipe> encoded_rows(const Settings& settings);

// Sequences of tokens: cut to transform.max_length, padded to the longest of their batch. Tensors
// input_ids [width] and length (of the sample, padding left out).
std::unique_ptr<RowRecipe> token_rows(const Settings& settings, const SampleArchive& archive);
// Decoded images [H, W, 3]: cropped and resized as encoded ones are, without decoding.
std::unique_ptr<RowRecipe> pixel_rows(const Settings& settings, SampleArchive& archive);
// Volumes [D, H, W]: a random patch, mirrored, turned, scaled and smoothed. Tensors volume [1, d,
// h, w] and label.
std::unique_ptr<RowRecipe> volume_rows(const Settings& settings, SampleArchive& archive);
// Of any data: its stored bytes are touched and no more. Tensors: label; raw, of the sample's
// length and a sum.
std::unique_ptr<RowRecipe> touched_rows();

}  // namespace benchbench
