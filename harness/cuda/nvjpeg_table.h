// NVIDIA's JPEG library, opened at run time: what we use of its interface, declared by ourselves.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "harness/cuda/driver_api.h"

namespace benchbench::cuda {

using JpegStatus = int;  // nvjpegStatus_t
// Handles: what they point to is the library's.
using JpegHandle = struct HandleOfNvjpeg*;
using JpegState = struct StateOfNvjpeg*;
using JpegParser = struct StreamOfNvjpeg*;  // nvjpegJpegStream_t

inline constexpr JpegStatus kJpegSuccess = 0, kJpegArchMismatch = 7, kJpegNotImplemented = 9;
// Values of nvjpegBackend_t.
inline constexpr int kJpegDefault = 0, kJpegHardware = 3;
inline constexpr int kJpegInterleaved = 5;  // NVJPEG_OUTPUT_RGBI

struct JpegPlanes {  // nvjpegImage_t
  unsigned char* channel[4];
  std::size_t pitch[4];
};

// Each by the library's own name in nvjpeg_table.cpp. None is null once loaded.
struct NvjpegTable {
  JpegStatus (*property)(int type, int* value);  // of the version: 0 major, 1 minor, 2 patch
  JpegStatus (*create)(int backend, void* device_allocator, void* pinned_allocator, unsigned flags,
                       JpegHandle* handle);
  JpegStatus (*destroy)(JpegHandle handle);
  JpegStatus (*engines)(JpegHandle handle, unsigned* engines, unsigned* cores_each);
  JpegStatus (*state_create)(JpegHandle handle, JpegState* state);
  JpegStatus (*state_destroy)(JpegState state);
  JpegStatus (*parser_create)(JpegHandle handle, JpegParser* parser);
  JpegStatus (*parser_destroy)(JpegParser parser);
  JpegStatus (*parse_header)(JpegHandle handle, const unsigned char* data, std::size_t bytes,
                             JpegParser parser);
  JpegStatus (*dimensions)(JpegParser parser, unsigned* width, unsigned* height);
  JpegStatus (*batch_takes)(JpegHandle handle, JpegParser parser, int* refused);  // 0: it does
  JpegStatus (*batch_begin)(JpegHandle handle, JpegState state, int images, int cpu_threads,
                            int format);
  JpegStatus (*batch_decode)(JpegHandle handle, JpegState state, const unsigned char* const* data,
                             const std::size_t* bytes, JpegPlanes* to, Stream stream);
  JpegStatus (*decode)(JpegHandle handle, JpegState state, const unsigned char* data,
                       std::size_t bytes, int format, JpegPlanes* to, Stream stream);
};

// The library as it was loaded. A value; the library stays open to the program's end.
struct Nvjpeg {
  NvjpegTable call{};
  std::string version;  // "13.0.4"
};

// Opens the first of the files that is there; none named: libnvjpeg.so.13 where the loader or the
// Python of torch has it. DeviceError where there is none (naming the package that brings it), or
// one of its functions is missing.
Nvjpeg load_nvjpeg(const std::vector<std::string>& files = {});

// "NVJPEG_STATUS_BAD_JPEG". Valid for ever.
std::string_view name_of_status(JpegStatus status) noexcept;

}  // namespace benchbench::cuda
