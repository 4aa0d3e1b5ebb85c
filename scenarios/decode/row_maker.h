// One stored image, JPEG or PNG, -> one row of a batch: the work that a loader does for each
// sample, in one place, so that a loop without any harness around it can do exactly the same.
#pragma once
#include <memory>
#include <vector>

#include "harness/part/sample_format.h"
#include "scenarios/decode/crop_box.h"
#include "scenarios/decode/decoded_image.h"
#include "scenarios/decode/image_decoder.h"
#include "scenarios/decode/resize_axis.h"

namespace benchbench {

// What is done with each image. The result is [size, size, 3]: uint8, or normalised float32.
struct ImageRecipe {
  enum class Crop { random_resized, centre };
  Crop crop = Crop::random_resized;
  int size = 224;
  int resize = 256;  // Crop::centre: the shorter side first becomes this, at least `size`
  CropRange range;   // Crop::random_resized
  double flip_probability = 0.5;   // mirrors left and right
  bool normalize = false;          // (value / 255 - mean) / deviation of ImageNet
  bool normalize_in_step = false;  // the same, but left to the training step: rows are uint8
  // Where the crop is at least 2, 4 or 8 times the result in both directions, its pixels leave the
  // decoder as many times fewer. Pixels differ from those of a full decode. A PNG is decoded whole.
  bool scaled_decode = false;

  TensorSpec tensor() const noexcept;  // named "image"
  std::optional<ImageNormalization> left_to_step() const noexcept {
    return normalize_in_step ? std::optional(kImageNet) : std::nullopt;
  }
};

// What chance decides for one sample: the same for a seed wherever it is drawn.
struct SampleDraw {
  Region box;  // Crop::random_resized only
  bool mirrored = false;
};
SampleDraw draw_sample(const ImageRecipe& recipe, int width, int height, std::uint64_t seed);

// The making of a row from an image: `box` of its pixels becomes `result`, of which the row is the
// part from left, top on.
struct CropPlan {
  Region box;
  ImageSize result;
  int left = 0, top = 0;
  bool mirrored = false;
};
CropPlan plan_crop(const ImageRecipe& recipe, int width, int height, std::uint64_t seed);

// Tells the meter what the decoder says of this sample, if it complains.
void tell_problem(const DecodeProblem& problem, const StoredSample& sample, SampleId id,
                  StageMeter& meter);

// One thread's. Keeps its memory: once it has seen the largest image, none of ours is allocated for
// a sample (the libraries allocate their own tables for each image).
//
// Decodes only the columns needed, stops after the last row needed, and resizes as rows come: no
// decoded image exists. The resize sees nothing outside the crop, as torchvision's
// crop-then-resize. At most 2 levels from Pillow's, but for ImageRecipe::scaled_decode.
class RowMaker {
 public:
  RowMaker(const ImageRecipe& recipe, const Runtime& runtime,
           JpegDecoder::Huffman huffman = JpegDecoder::Huffman::ours);

  // Writes recipe.tensor().bytes_per_row() bytes to `row`. Where the decoder fails they are zeros
  // and false is returned; that and every warning is told to the meter as a fault of this sample.
  // Bills decode and transform.
  bool make(const StoredSample& sample, const SampleRef& ref, StepNumber step, StageMeter& meter,
            std::byte* row);
  // The same row from pixels: bills transform alone.
  void make_from(const DecodedImage& image, const SampleRef& ref, StepNumber step,
                 StageMeter& meter, std::byte* row);
  // The decoding that make() would do, and nothing with the pixels: false and faults as make()
  // gives them.
  bool decode_only(const StoredSample& sample, const SampleRef& ref, StepNumber step,
                   StageMeter& meter);
  // By how much the decoder made the last image smaller: 1, 2, 4 or 8.
  int reduction() const noexcept { return reduction_; }

 private:
  struct Bill;
  bool fill(const SampleRef& ref, std::byte* row, Bill& bill);
  bool start(const SampleRef& ref);
  bool decode(const SampleRef& ref);
  Region plan(int width, int height, std::uint64_t seed, bool may_reduce);
  void feed(RowPointers rows, int y, int& done, std::byte* row);
  void put_output_row(int index, std::byte* row);
  std::uint8_t* kept_row(int y) noexcept;

  ImageRecipe recipe_;
  const Runtime& runtime_;
  ImageDecoder decoder_;
  ResizeAxis across_;
  ResizeAxis down_;
  int reduction_ = 1;                     // of the planned image, by the decoder
  std::size_t stride_;                    // of a kept row
  int kept_ = 0;                          // rows in kept_bytes_
  std::vector<std::uint8_t> kept_bytes_;  // a ring of rows already resized across
  std::vector<const std::uint8_t*> sources_;
  std::vector<std::uint8_t> line_;  // an output row before it is normalised
};

}  // namespace benchbench
