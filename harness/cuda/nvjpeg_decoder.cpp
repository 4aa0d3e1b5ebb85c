#include "harness/cuda/nvjpeg_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "harness/core/error.h"
#include "harness/cuda/driver_error.h"
#include "harness/cuda/nvjpeg_table.h"

namespace benchbench::cuda {
namespace {

constexpr std::size_t kLanes = 2;        // batches under way
constexpr std::size_t kAlignment = 256;  // of each image in the device's memory
constexpr int kRgb = 3;                  // bytes a pixel, as the library writes them

// True where the status says something of the file: bad, incomplete, of a kind not supported.
bool blames_file(JpegStatus status) noexcept {
  return status == 3 || status == 4 || status == kJpegNotImplemented || status == 10;
}

[[noreturn]] void refuse(JpegStatus status, std::string_view call) {
  constexpr JpegStatus kNoMemory = 5;
  const std::string text = fmt::format("nvJPEG: {} failed: {}", call, name_of_status(status));
  if (status == kNoMemory) throw PartError(text, "reduce loader.batch_size");
  throw DeviceError(text, "loader.decode.backend: cpu decodes in the workers");
}

void require_success(JpegStatus status, std::string_view call) {
  if (status != kJpegSuccess) refuse(status, call);
}

// The library's own handle, given back by its call `GiveBack`.
template <class Handle, auto GiveBack>
class OfNvjpeg {
 public:
  OfNvjpeg(const Nvjpeg& library, const PrimaryContext& context)
      : library_(library), context_(context) {}
  ~OfNvjpeg() {
    context_.try_to_enter();
    if (handle_) (void)(library_.call.*GiveBack)(handle_);
  }
  OfNvjpeg(const OfNvjpeg&) = delete;
  OfNvjpeg& operator=(const OfNvjpeg&) = delete;
  Handle get() const noexcept { return handle_; }
  Handle* slot() noexcept { return &handle_; }

 private:
  const Nvjpeg& library_;
  const PrimaryContext& context_;
  Handle handle_ = nullptr;
};
using OwnedHandle = OfNvjpeg<JpegHandle, &NvjpegTable::destroy>;
using OwnedState = OfNvjpeg<JpegState, &NvjpegTable::state_destroy>;
using OwnedParser = OfNvjpeg<JpegParser, &NvjpegTable::parser_destroy>;

// Device memory that only grows.
class Room {
 public:
  explicit Room(const CudaScene& scene) : scene_(scene) {}
  // Nothing is under way that uses what it gave before.
  void grow(std::size_t bytes) {
    if (bytes <= bytes_) return;
    memory_ = {};
    bytes_ = 0;
    memory_ = make_owned_memory(scene_.context, bytes);
    bytes_ = bytes;
  }
  bool holds(std::size_t bytes) const noexcept { return bytes <= bytes_; }
  DevicePointer begin() const noexcept { return memory_.get(); }

 private:
  const CudaScene& scene_;
  OwnedMemory memory_;
  std::size_t bytes_ = 0;
};

// The states and the memory that one batch uses until its work is done.
struct Lane {
  Lane(const Nvjpeg& library, const CudaScene& scene, CudaQueue& queue)
      : together(library, scene.context),
        alone(library, scene.context),
        images(scene),
        pixels(scene),
        done(queue.make_event(false)) {}
  OwnedState together, alone;
  int images_together = 0;  // of the last batch_begin
  Room images;              // the kernel's ResizedImages
  // The engines write when they are called, ahead of what is on the stream: while a batch is under
  // way no other one has its pixels here.
  Room pixels;
  std::vector<ResizedImage> rows;  // copied to `images` by the stream
  std::unique_ptr<DeviceEvent> done;
};

class NvjpegDecoder final : public DeviceDecoder {
 public:
  NvjpegDecoder(const CudaScene& scene, CudaQueue& queue, CudaKernels& kernels)
      : scene_(scene),
        queue_(queue),
        library_(load_nvjpeg(scene.nvjpeg)),
        handle_(library_, scene.context),
        parser_(library_, scene.context) {
    create();
    const OwnedStream stream = make_owned_stream(scene_.context);
    kernels.load_resize(stream.get());
    finish_stream(scene_.context, stream);
  }

  std::span<const DecodeFailure> decode(DeviceStream& stream, const DecodeJob& job) override;
  std::string_view note() const override;

 private:
  void create();
  void say_who_decodes();
  void lay_out(const DecodeJob& job);
  bool is_taken_together(const EncodedImage& image, const EncodedFile& file, std::size_t row);
  void sort(const DecodeJob& job);
  void decode_together(Stream stream, const DecodeJob& job);
  void decode_alone(Stream stream, const DecodeJob& job);
  void copy_pixels(Stream stream, const DecodeJob& job);
  void resize(DeviceStream& stream, const DecodeJob& job);
  void fail(std::size_t row, JpegStatus status);
  JpegPlanes planes_of(const EncodedImage& image, std::size_t row) const;

  const CudaScene& scene_;
  CudaQueue& queue_;
  const Nvjpeg library_;
  OwnedHandle handle_;
  OwnedParser parser_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::size_t batches_ = 0;
  bool engines_ = false;  // the hardware's decode whole batches
  std::string who_;
  mutable std::string note_;
  std::uint64_t images_alone_ = 0, batches_failed_ = 0;  // with engines
  // These are the batch at hand's.
  Lane* lane_ = nullptr;
  std::vector<std::size_t> together_, alone_;
  std::vector<const unsigned char*> data_;
  std::vector<std::size_t> bytes_;
  std::vector<JpegPlanes> planes_;
  std::vector<DecodeFailure> failures_;
};

const unsigned char* data_of(const EncodedFile& file) noexcept {
  return reinterpret_cast<const unsigned char*>(file.bytes);
}

std::size_t step_of(const EncodedImage& image) noexcept {
  return image.pixel_bytes != 0 ? static_cast<std::size_t>(image.pixel_bytes) : kRgb;
}

std::size_t pitch_of(const EncodedImage& image) noexcept {
  return static_cast<std::size_t>(image.width) * step_of(image);
}

std::size_t pixel_bytes_of(const EncodedImage& image) noexcept {
  if (image.bytes == 0) return 0;
  const std::size_t bytes = pitch_of(image) * static_cast<std::size_t>(image.height);
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

ResizedImage resized(const EncodedImage& image, std::uint64_t from) noexcept {
  return {.from = image.bytes == 0 ? 0 : from,
          .pitch = static_cast<std::uint32_t>(pitch_of(image)),
          .pixel = static_cast<std::uint32_t>(step_of(image)),
          .x = image.x,
          .y = image.y,
          .width = image.box_width,
          .height = image.box_height,
          .result_width = image.result_width,
          .result_height = image.result_height,
          .left = image.left,
          .top = image.top,
          .mirrored = image.mirrored};
}

// The engines of the hardware where there are some; else the GPU's and the host's cores.
void NvjpegDecoder::create() {
  scene_.context.enter();
  const NvjpegTable& call = library_.call;
  JpegStatus status = call.create(kJpegHardware, nullptr, nullptr, 0, handle_.slot());
  engines_ = status == kJpegSuccess;
  if (!engines_) status = call.create(kJpegDefault, nullptr, nullptr, 0, handle_.slot());
  require_success(status, "nvjpegCreateEx");
  say_who_decodes();
  require_success(call.parser_create(handle_.get(), parser_.slot()), "nvjpegJpegStreamCreate");
  for (std::size_t i = 0; i < kLanes; ++i) {
    Lane& lane = *lanes_.emplace_back(std::make_unique<Lane>(library_, scene_, queue_));
    require_success(call.state_create(handle_.get(), lane.together.slot()),
                    "nvjpegJpegStateCreate");
    require_success(call.state_create(handle_.get(), lane.alone.slot()), "nvjpegJpegStateCreate");
  }
}

void NvjpegDecoder::say_who_decodes() {
  unsigned engines = 0, cores = 0;
  if (engines_) (void)library_.call.engines(handle_.get(), &engines, &cores);
  who_ = fmt::format("nvJPEG {} decodes with {}", library_.version,
                     engines > 0 ? fmt::format("the JPEG engines of {}: {} of {}",
                                               scene_.facts.name, engines, counted(cores, "core"))
                                 : fmt::format("the cores of {} and of the host: there are no JPEG "
                                               "engines",
                                               scene_.facts.name));
}

// The note counts what was decoded in another way than by whole batches, which is slower.
std::string_view NvjpegDecoder::note() const {
  note_ = who_;
  if (images_alone_ > 0)
    note_ += fmt::format("; {} one by one, since the call for whole batches does not take them",
                         counted(images_alone_, "image"));
  if (batches_failed_ > 0)
    note_ += fmt::format("; that call failed for {}",
                         batches_failed_ == 1 ? std::string("one batch")
                                              : fmt::format("{} batches", batches_failed_));
  return note_;
}

// Gives each image a place for its pixels.
void NvjpegDecoder::lay_out(const DecodeJob& job) {
  std::size_t all = 0;
  for (const EncodedImage& image : job.images) all += pixel_bytes_of(image);
  // The next batches are a little larger, some of them.
  if (!lane_->pixels.holds(all)) lane_->pixels.grow(all + all / 4);
  lane_->rows.clear();
  std::uint64_t at = lane_->pixels.begin();
  for (const EncodedImage& image : job.images) {
    lane_->rows.push_back(resized(image, at));
    at += pixel_bytes_of(image);
  }
}

void NvjpegDecoder::fail(std::size_t row, JpegStatus status) {
  failures_.push_back({row, name_of_status(status)});
  lane_->rows[row].from = 0;
}

// The pixels would go beyond their place where the library saw another size than the worker.
bool NvjpegDecoder::is_taken_together(const EncodedImage& image, const EncodedFile& file,
                                      std::size_t row) {
  const NvjpegTable& call = library_.call;
  JpegStatus status = call.parse_header(handle_.get(), data_of(file), image.bytes, parser_.get());
  unsigned width = 0, height = 0;
  if (status == kJpegSuccess) status = call.dimensions(parser_.get(), &width, &height);
  const bool same =
      width == static_cast<unsigned>(image.width) && height == static_cast<unsigned>(image.height);
  constexpr JpegStatus kBadJpeg = 3;
  if (status != kJpegSuccess && !blames_file(status)) refuse(status, "nvjpegJpegStreamParseHeader");
  if (status != kJpegSuccess || !same) return fail(row, same ? status : kBadJpeg), false;
  int refused = 1;
  return engines_ && call.batch_takes(handle_.get(), parser_.get(), &refused) == kJpegSuccess &&
         refused == 0;
}

void NvjpegDecoder::sort(const DecodeJob& job) {
  together_.clear();
  alone_.clear();
  failures_.clear();
  for (std::size_t row = 0; row < job.images.size(); ++row) {
    const EncodedImage& image = job.images[row];
    if (image.bytes == 0 || image.pixel_bytes != 0) continue;
    const bool taken = is_taken_together(image, job.files[row], row);
    if (lane_->rows[row].from != 0) (taken ? together_ : alone_).push_back(row);
  }
  if (engines_) images_alone_ += alone_.size();
}

JpegPlanes NvjpegDecoder::planes_of(const EncodedImage& image, std::size_t row) const {
  JpegPlanes planes{};
  planes.channel[0] = reinterpret_cast<unsigned char*>(lane_->rows[row].from);
  planes.pitch[0] = pitch_of(image);
  return planes;
}

// One bad file spoils the call for all: they are then decoded one by one.
void NvjpegDecoder::decode_together(Stream stream, const DecodeJob& job) {
  if (together_.empty()) return;
  data_.clear(), bytes_.clear(), planes_.clear();
  for (const std::size_t row : together_) {
    data_.push_back(data_of(job.files[row]));
    bytes_.push_back(job.images[row].bytes);
    planes_.push_back(planes_of(job.images[row], row));
  }
  const NvjpegTable& call = library_.call;
  const auto count = static_cast<int>(together_.size());
  if (lane_->images_together != count)
    require_success(
        call.batch_begin(handle_.get(), lane_->together.get(), count, 1, kJpegInterleaved),
        "nvjpegDecodeBatchedInitialize");
  lane_->images_together = count;
  const JpegStatus status = call.batch_decode(handle_.get(), lane_->together.get(), data_.data(),
                                              bytes_.data(), planes_.data(), stream);
  if (status == kJpegSuccess) return;
  if (!blames_file(status)) refuse(status, "nvjpegDecodeBatched");
  ++batches_failed_;
  lane_->images_together = 0;
  alone_.insert(alone_.end(), together_.begin(), together_.end());
}

void NvjpegDecoder::decode_alone(Stream stream, const DecodeJob& job) {
  for (const std::size_t row : alone_) {
    JpegPlanes planes = planes_of(job.images[row], row);
    const JpegStatus status =
        library_.call.decode(handle_.get(), lane_->alone.get(), data_of(job.files[row]),
                             job.images[row].bytes, kJpegInterleaved, &planes, stream);
    constexpr JpegStatus kInvalid = 2;
    if (status == kJpegSuccess) continue;
    if (!blames_file(status) && status != kInvalid) refuse(status, "nvjpegDecode");
    fail(row, status);
  }
}

void NvjpegDecoder::copy_pixels(Stream stream, const DecodeJob& job) {
  for (std::size_t row = 0; row < job.images.size(); ++row)
    if (job.images[row].pixel_bytes != 0 && job.images[row].bytes != 0)
      check(scene_.driver.call,
            scene_.driver.call.copy_to_device(lane_->rows[row].from, job.files[row].bytes,
                                              job.images[row].bytes, stream),
            "cuMemcpyHtoDAsync_v2");
}

void NvjpegDecoder::resize(DeviceStream& stream, const DecodeJob& job) {
  const std::size_t bytes = lane_->rows.size() * sizeof lane_->rows[0];
  lane_->images.grow(bytes);
  auto* const there = reinterpret_cast<std::byte*>(lane_->images.begin());
  queue_.copy(stream, there, reinterpret_cast<const std::byte*>(lane_->rows.data()), bytes,
              DeviceCopy::h2d, Memory::host);
  ResizeParameter parameter{
      .images = lane_->images.begin(),
      .to = reinterpret_cast<std::uintptr_t>(job.to.data),
      .count = lane_->rows.size(),
      .size = static_cast<std::int32_t>(job.to.spec.row.extent[0]),
      .scale = {},
      .shift = {},
  };
  set_scale(job.by.mean, job.by.deviation, parameter.scale, parameter.shift);
  queue_.resize(stream, parameter, job.to.spec.dtype);
}

std::span<const DecodeFailure> NvjpegDecoder::decode(DeviceStream& stream, const DecodeJob& job) {
  scene_.context.enter();
  lane_ = lanes_[batches_++ % kLanes].get();
  lane_->done->wait();
  const auto native = static_cast<Stream>(stream.native());
  lay_out(job);
  sort(job);
  decode_together(native, job);
  decode_alone(native, job);
  copy_pixels(native, job);
  resize(stream, job);
  queue_.record(*lane_->done, stream);
  return failures_;
}

}  // namespace

std::unique_ptr<DeviceDecoder> make_nvjpeg_decoder(const CudaScene& scene, CudaQueue& queue,
                                                   CudaKernels& kernels) {
  return std::make_unique<NvjpegDecoder>(scene, queue, kernels);
}

}  // namespace benchbench::cuda
