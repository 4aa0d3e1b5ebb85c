#include "scenarios/decode/row_maker.h"

#include <algorithm>
#include <cstring>

#include "harness/core/random.h"
#include "scenarios/decode/normalize.h"
#include "scenarios/decode/resize_kernels.h"

namespace benchbench {
namespace {

constexpr int kChannels = 3;
// Separate streams, so that the flip does not depend on how many tries the crop took.
constexpr std::uint64_t kCropStream = 1;
constexpr std::uint64_t kFlipStream = 2;

// The library has fast transforms for these only (5/8, 6/8 and 7/8 are slower than all of it), and
// a reduction beyond what the resize takes away anyhow would blur.
int reduction_for(const Region& box, ImageSize result) {
  int reduction = 1;
  while (reduction < 8 && box.width >= 2 * reduction * result.width &&
         box.height >= 2 * reduction * result.height)
    reduction *= 2;
  return reduction;
}

struct Stretch {
  int begin, length, of;
};
void plan_axis(ResizeAxis& axis, Stretch box, int reduction, int out, int first, int count,
               bool mirrored) {
  if (reduction == 1) return axis.plan(box.length, out, first, count, mirrored);
  axis.plan_stretch(static_cast<double>(box.begin) / reduction,
                    static_cast<double>(box.begin + box.length) / reduction,
                    (box.of + reduction - 1) / reduction, out, first, count, mirrored);
}

}  // namespace

void tell_problem(const DecodeProblem& problem, const StoredSample& sample, SampleId id,
                  StageMeter& meter) {
  if (problem.clean()) return;
  const SampleFault kind = problem.failed      ? SampleFault::decode_error
                           : problem.truncated ? SampleFault::truncated
                                               : SampleFault::warning;
  meter.fault(id, kind, sample.name, problem.words);
}

TensorSpec ImageRecipe::tensor() const noexcept {
  TensorSpec spec{.name = "image", .dtype = normalize ? DType::float32 : DType::uint8, .row = {}};
  spec.row.rank = 3;
  spec.row.extent = {size, size, kChannels};
  return spec;
}

// Decoding and resizing alternate in bands of rows; two clock reads a band keep the meter under 1 %
// of the work.
struct RowMaker::Bill {
  StageMeter& meter;
  const Runtime& runtime;
  StepNumber step;
  bool on = meter.stages_wanted();
  TimePoint last = on ? runtime.now() : TimePoint{};
  Nanoseconds decode{};
  Nanoseconds transform{};

  void to(Nanoseconds& stage) {
    if (!on) return;
    const TimePoint now = runtime.now();
    stage += now - last;
    last = now;
  }
  void send() {
    if (!on) return;
    meter.record(step, Stage::decode, decode);
    meter.record(step, Stage::transform, transform);
  }
};

RowMaker::RowMaker(const ImageRecipe& recipe, const Runtime& runtime, JpegDecoder::Huffman huffman)
    : recipe_(recipe),
      runtime_(runtime),
      decoder_(huffman),
      stride_((static_cast<std::size_t>(recipe.size) * kChannels + 1 + 63) / 64 * 64),
      line_(static_cast<std::size_t>(recipe.size) * kChannels) {}

bool RowMaker::make(const StoredSample& sample, const SampleRef& ref, StepNumber step,
                    StageMeter& meter, std::byte* row) {
  Bill bill{.meter = meter, .runtime = runtime_, .step = step};
  const bool ok = decoder_.open(sample.payload) && fill(ref, row, bill);
  decoder_.close();
  bill.to(bill.decode);
  bill.send();
  tell_problem(decoder_.problem(), sample, ref.id, meter);
  if (!ok) std::memset(row, 0, recipe_.tensor().bytes_per_row());
  return ok;
}

bool RowMaker::start(const SampleRef& ref) {
  const bool may_reduce = recipe_.scaled_decode && decoder_.can_reduce();
  const Region region = plan(decoder_.width(), decoder_.height(), ref.seed, may_reduce);
  return decoder_.start_reduced(region, reduction_);
}

bool RowMaker::fill(const SampleRef& ref, std::byte* row, Bill& bill) {
  if (!start(ref)) return false;
  int y = down_.min();
  int done = 0;
  while (done < down_.count()) {
    const auto rows = decoder_.next_rows();
    bill.to(bill.decode);
    if (rows.empty()) return false;
    feed(rows, y, done, row);
    y += static_cast<int>(rows.size());
    bill.to(bill.transform);
  }
  return true;
}

// Rows of pixels from y on, two at a time, and each output row that is complete with them.
void RowMaker::feed(RowPointers rows, int y, int& done, std::byte* row) {
  const std::ptrdiff_t begin = std::ptrdiff_t{across_.min()} * ImageDecoder::kPixelBytes;
  while (!rows.empty() && done < down_.count()) {
    const std::size_t taken = std::min<std::size_t>(rows.size(), 2);
    if (taken == 2)
      resize_across_two(across_, rows[0] - begin, rows[1] - begin, kept_row(y), kept_row(y + 1));
    else
      resize_across(across_, rows[0] - begin, kept_row(y));
    y += static_cast<int>(taken);
    rows = rows.subspan(taken);
    for (; done < down_.count() && down_.begin(done) + down_.used(done) <= y; ++done)
      put_output_row(done, row);
  }
}

void RowMaker::make_from(const DecodedImage& image, const SampleRef& ref, StepNumber step,
                         StageMeter& meter, std::byte* row) {
  const StageScope scope(meter, runtime_, step, Stage::transform);
  const Region region = plan(image.width(), image.height(), ref.seed, false);
  int done = 0;
  for (int i = 0; i < region.height && done < down_.count(); i += 2) {
    const bool two = i + 1 < region.height;
    const std::uint8_t* const rows[] = {image.pixel(region.x, region.y + i),
                                        two ? image.pixel(region.x, region.y + i + 1) : nullptr};
    feed({rows, two ? std::size_t{2} : std::size_t{1}}, down_.min() + i, done, row);
  }
}

bool RowMaker::decode_only(const StoredSample& sample, const SampleRef& ref, StepNumber step,
                           StageMeter& meter) {
  const StageScope scope(meter, runtime_, step, Stage::decode);
  const bool ok = decoder_.open(sample.payload) && decode(ref);
  decoder_.close();
  tell_problem(decoder_.problem(), sample, ref.id, meter);
  return ok;
}

// As far as fill() goes: to the last row that an output row needs.
bool RowMaker::decode(const SampleRef& ref) {
  if (!start(ref)) return false;
  for (int y = down_.min(); y < down_.max();) {
    const auto rows = decoder_.next_rows();
    if (rows.empty()) return false;
    y += static_cast<int>(rows.size());
  }
  return true;
}

SampleDraw draw_sample(const ImageRecipe& recipe, int width, int height, std::uint64_t seed) {
  SampleDraw draw;
  draw.mirrored = Random(mix_seed(seed, kFlipStream)).uniform() < recipe.flip_probability;
  if (recipe.crop == ImageRecipe::Crop::random_resized) {
    Random random(mix_seed(seed, kCropStream));
    draw.box = draw_random_resized_crop(width, height, recipe.range, random);
  }
  return draw;
}

CropPlan plan_crop(const ImageRecipe& recipe, int width, int height, std::uint64_t seed) {
  const auto [box, mirrored] = draw_sample(recipe, width, height, seed);
  if (recipe.crop == ImageRecipe::Crop::random_resized)
    return {.box = box, .result = {recipe.size, recipe.size}, .mirrored = mirrored};
  const ImageSize result = resized_shorter_side(width, height, recipe.resize);
  return {.box = {0, 0, width, height},
          .result = result,
          .left = centre_crop_begin(result.width, recipe.size),
          .top = centre_crop_begin(result.height, recipe.size),
          .mirrored = mirrored};
}

// Plans both axes and says which pixels they need.
Region RowMaker::plan(int width, int height, std::uint64_t seed, bool may_reduce) {
  const int size = recipe_.size;
  const auto [box, result, left, top, mirrored] = plan_crop(recipe_, width, height, seed);
  reduction_ = may_reduce ? reduction_for(box, result) : 1;
  plan_axis(across_, {box.x, box.width, width}, reduction_, result.width, left, size, mirrored);
  plan_axis(down_, {box.y, box.height, height}, reduction_, result.height, top, size, false);
  kept_ = down_.taps() + 2;  // two come at once
  const std::size_t bytes = static_cast<std::size_t>(kept_) * stride_;
  if (kept_bytes_.size() < bytes) kept_bytes_.resize(bytes);
  const int from_x = reduction_ == 1 ? box.x : 0;  // a stretch counts from the image's edge
  const int from_y = reduction_ == 1 ? box.y : 0;
  return {from_x + across_.min(), from_y + down_.min(), across_.max() - across_.min(),
          down_.max() - down_.min()};
}

std::uint8_t* RowMaker::kept_row(int y) noexcept {
  return kept_bytes_.data() + static_cast<std::size_t>(y % kept_) * stride_;
}

void RowMaker::put_output_row(int index, std::byte* row) {
  sources_.clear();
  for (int k = 0; k < down_.used(index); ++k) sources_.push_back(kept_row(down_.begin(index) + k));
  const int values = recipe_.size * kChannels;
  const std::size_t at = static_cast<std::size_t>(index) * static_cast<std::size_t>(values);
  if (!recipe_.normalize) {
    resize_down(sources_, down_.weights(index), reinterpret_cast<std::uint8_t*>(row) + at, values);
    return;
  }
  resize_down(sources_, down_.weights(index), line_.data(), values);
  normalize_imagenet(line_.data(), reinterpret_cast<float*>(row) + at, values);
}

}  // namespace benchbench
