// An nvJPEG of our own, which decodes with libjpeg into the stub driver's device memory. Settings
// of the environment:
//   BENCHBENCH_STUB_JPEG_ENGINES  of the hardware (8); 0: it has none
#include <dlfcn.h>

#include <algorithm>
#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include <jpeglib.h>

#include "harness/cuda/nvjpeg_table.h"

#define BENCHBENCH_STUB_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

using namespace benchbench::cuda;

constexpr JpegStatus kInvalid = 2, kBadJpeg = 3, kFailed = 6;
constexpr int kHardware = 3;

using CopyToDevice = Result(DevicePointer, const void*, std::size_t, Stream);

// Counts of what tests ask for.
std::map<std::string, std::uint64_t>& counts() {
  static auto* const all = new std::map<std::string, std::uint64_t>;
  return *all;
}

// The stub driver is in the folder stub_cuda next to this library's.
void* driver_call(const char* name) {
  static void* const driver = [] {
    Dl_info self{};
    ::dladdr(reinterpret_cast<void*>(&counts), &self);
    const std::string here = self.dli_fname;
    return ::dlopen((here.substr(0, here.rfind('/')) + "/../stub_cuda/libcuda.so.1").c_str(),
                    RTLD_NOW);
  }();
  return driver ? ::dlsym(driver, name) : nullptr;
}

template <class Call>
Call* find_call(const char* name) {
  return reinterpret_cast<Call*>(driver_call(name));
}

// Writes when it is called, whatever is on the decoder's stream, as JPEG engines may.
Result write_now(DevicePointer to, const void* from, std::size_t bytes) {
  Stream own = nullptr;
  if (const Result made = find_call<Result(Stream*, unsigned)>("cuStreamCreate")(&own, 1);
      made != 0)
    return made;
  Result done = find_call<CopyToDevice>("cuMemcpyHtoDAsync_v2")(to, from, bytes, own);
  if (done == kSuccess) done = find_call<Result(Stream)>("cuStreamSynchronize")(own);
  find_call<Result(Stream)>("cuStreamDestroy_v2")(own);
  return done;
}

struct Errors {
  jpeg_error_mgr base{};
  std::jmp_buf back{};
};

struct Picture {
  unsigned width = 0, height = 0;
  bool progressive = false;
  std::vector<unsigned char> pixels;  // empty: the header alone was read
};

void read_pixels(jpeg_decompress_struct& image, Picture& to) {
  image.out_color_space = JCS_RGB;
  jpeg_start_decompress(&image);
  const std::size_t pitch = std::size_t{3} * image.output_width;
  to.pixels.resize(pitch * image.output_height);
  while (image.output_scanline < image.output_height) {
    unsigned char* row = to.pixels.data() + pitch * image.output_scanline;
    jpeg_read_scanlines(&image, &row, 1);
  }
  jpeg_finish_decompress(&image);
}

// False where libjpeg has anything to complain of.
bool read(const unsigned char* data, std::size_t bytes, bool pixels, Picture& to) {
  Errors errors;
  jpeg_decompress_struct image{};
  image.err = jpeg_std_error(&errors.base);
  errors.base.error_exit = [](j_common_ptr common) {
    std::longjmp(reinterpret_cast<Errors*>(common->err)->back, 1);
  };
  errors.base.output_message = [](j_common_ptr) {};
  bool good = false;
  if (setjmp(errors.back) == 0) {
    jpeg_create_decompress(&image);
    jpeg_mem_src(&image, data, bytes);
    jpeg_read_header(&image, TRUE);
    to.width = image.image_width;
    to.height = image.image_height;
    to.progressive = jpeg_has_multiple_scans(&image) != 0;
    if (pixels) read_pixels(image, to);
    good = true;
  }
  jpeg_destroy_decompress(&image);
  return good && errors.base.num_warnings == 0;
}

// Without a stream: at once.
JpegStatus decode_one(const unsigned char* data, std::size_t bytes, const JpegPlanes& to,
                      const Stream* stream) {
  Picture picture;
  if (!read(data, bytes, true, picture)) return kBadJpeg;
  if (to.pitch[0] != std::size_t{3} * picture.width) return kInvalid;
  const auto at = static_cast<DevicePointer>(reinterpret_cast<std::uintptr_t>(to.channel[0]));
  const std::vector<unsigned char>& pixels = picture.pixels;
  const Result written = stream ? find_call<CopyToDevice>("cuMemcpyHtoDAsync_v2")(
                                      at, pixels.data(), pixels.size(), *stream)
                                : write_now(at, pixels.data(), pixels.size());
  return written == kSuccess ? kJpegSuccess : kFailed;
}

unsigned engines() {
  const char* const text = std::getenv("BENCHBENCH_STUB_JPEG_ENGINES");
  return text ? static_cast<unsigned>(std::atoi(text)) : 8;
}

// Handles are counted as they are made and given back.
template <class Handle>
JpegStatus make(Handle* handle) {
  *handle = reinterpret_cast<Handle>(new Picture);
  ++counts()["alive"];
  return kJpegSuccess;
}
template <class Handle>
JpegStatus give_back(Handle handle) {
  delete reinterpret_cast<Picture*>(handle);
  --counts()["alive"];
  return kJpegSuccess;
}

int images_of_batch = 0;

}  // namespace

// Images that were decoded "together" and "alone", handles that are "alive".
BENCHBENCH_STUB_EXPORT std::uint64_t benchbench_stub_jpeg(const char* what) {
  return counts()[what];
}

BENCHBENCH_STUB_EXPORT JpegStatus nvjpegGetProperty(int type, int* value) {
  constexpr int kVersion[] = {13, 0, 4};
  *value = kVersion[std::clamp(type, 0, 2)];
  return kJpegSuccess;
}

BENCHBENCH_STUB_EXPORT JpegStatus nvjpegCreateEx(int backend, void*, void*, unsigned,
                                                 JpegHandle* handle) {
  if (backend == kHardware && engines() == 0) return kJpegArchMismatch;
  return make(handle);
}
BENCHBENCH_STUB_EXPORT JpegStatus nvjpegDestroy(JpegHandle handle) { return give_back(handle); }

BENCHBENCH_STUB_EXPORT JpegStatus nvjpegGetHardwareDecoderInfo(JpegHandle, unsigned* all,
                                                               unsigned* cores) {
  *all = engines();
  *cores = 1;
  return kJpegSuccess;
}

BENCHBENCH_STUB_EXPORT JpegStatus nvjpegJpegStateCreate(JpegHandle, JpegState* state) {
  return make(state);
}
BENCHBENCH_STUB_EXPORT JpegStatus nvjpegJpegStateDestroy(JpegState state) {
  return give_back(state);
}
BENCHBENCH_STUB_EXPORT JpegStatus nvjpegJpegStreamCreate(JpegHandle, JpegParser* parser) {
  return make(parser);
}
BENCHBENCH_STUB_EXPORT JpegStatus nvjpegJpegStreamDestroy(JpegParser parser) {
  return give_back(parser);
}

BENCHBENCH_STUB_EXPORT JpegStatus nvjpegJpegStreamParseHeader(JpegHandle, const unsigned char* data,
                                                              std::size_t bytes,
                                                              JpegParser parser) {
  return read(data, bytes, false, *reinterpret_cast<Picture*>(parser)) ? kJpegSuccess : kBadJpeg;
}

BENCHBENCH_STUB_EXPORT JpegStatus nvjpegJpegStreamGetFrameDimensions(JpegParser parser,
                                                                     unsigned* width,
                                                                     unsigned* height) {
  const auto* const picture = reinterpret_cast<const Picture*>(parser);
  *width = picture->width;
  *height = picture->height;
  return kJpegSuccess;
}

BENCHBENCH_STUB_EXPORT JpegStatus nvjpegDecodeBatchedSupported(JpegHandle, JpegParser parser,
                                                               int* refused) {
  *refused = reinterpret_cast<const Picture*>(parser)->progressive ? 1 : 0;
  return kJpegSuccess;
}

BENCHBENCH_STUB_EXPORT JpegStatus nvjpegDecodeBatchedInitialize(JpegHandle, JpegState, int images,
                                                                int, int format) {
  images_of_batch = images;
  return format == kJpegInterleaved ? kJpegSuccess : kInvalid;
}

// Progressive files make the call fail, as any other that it cannot decode.
BENCHBENCH_STUB_EXPORT JpegStatus nvjpegDecodeBatched(JpegHandle, JpegState,
                                                      const unsigned char* const* data,
                                                      const std::size_t* bytes, JpegPlanes* to,
                                                      Stream) {
  for (int i = 0; i < images_of_batch; ++i) {
    Picture picture;
    if (!read(data[i], bytes[i], false, picture) || picture.progressive) return kBadJpeg;
    const JpegStatus status = decode_one(data[i], bytes[i], to[i], nullptr);
    if (status != kJpegSuccess) return status;
  }
  counts()["together"] += static_cast<std::uint64_t>(images_of_batch);
  return kJpegSuccess;
}

BENCHBENCH_STUB_EXPORT JpegStatus nvjpegDecode(JpegHandle, JpegState, const unsigned char* data,
                                               std::size_t bytes, int, JpegPlanes* to,
                                               Stream stream) {
  const JpegStatus status = decode_one(data, bytes, *to, &stream);
  counts()["alone"] += status == kJpegSuccess;
  return status;
}
