#include "harness/cuda/nvjpeg_table.h"

#include <fmt/format.h>

#include <filesystem>

#include "harness/core/error.h"
#include "harness/cuda/shared_library.h"
#include "harness/part/torch/torch_folder.h"

namespace benchbench::cuda {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kJpegLibrary = "libnvjpeg.so.13";
constexpr std::string_view kPackageHint =
    "install nvidia-nvjpeg or torchvision for CUDA 13 where torch is, or name the library's folder "
    "in LD_LIBRARY_PATH; or use loader.decode.backend: cpu";

constexpr std::string_view kStatuses[] = {
    "NVJPEG_STATUS_SUCCESS",
    "NVJPEG_STATUS_NOT_INITIALIZED",
    "NVJPEG_STATUS_INVALID_PARAMETER",
    "NVJPEG_STATUS_BAD_JPEG",
    "NVJPEG_STATUS_JPEG_NOT_SUPPORTED",
    "NVJPEG_STATUS_ALLOCATOR_FAILURE",
    "NVJPEG_STATUS_EXECUTION_FAILED",
    "NVJPEG_STATUS_ARCH_MISMATCH",
    "NVJPEG_STATUS_INTERNAL_ERROR",
    "NVJPEG_STATUS_IMPLEMENTATION_NOT_SUPPORTED",
    "NVJPEG_STATUS_INCOMPLETE_BITSTREAM",
};

std::string find_all(NvjpegTable& t, void* library) {
  const WantedSymbol symbols[] = {
      wanted("nvjpegGetProperty", t.property),
      wanted("nvjpegCreateEx", t.create),
      wanted("nvjpegDestroy", t.destroy),
      wanted("nvjpegGetHardwareDecoderInfo", t.engines),
      wanted("nvjpegJpegStateCreate", t.state_create),
      wanted("nvjpegJpegStateDestroy", t.state_destroy),
      wanted("nvjpegJpegStreamCreate", t.parser_create),
      wanted("nvjpegJpegStreamDestroy", t.parser_destroy),
      wanted("nvjpegJpegStreamParseHeader", t.parse_header),
      wanted("nvjpegJpegStreamGetFrameDimensions", t.dimensions),
      wanted("nvjpegDecodeBatchedSupported", t.batch_takes),
      wanted("nvjpegDecodeBatchedInitialize", t.batch_begin),
      wanted("nvjpegDecodeBatched", t.batch_decode),
      wanted("nvjpegDecode", t.decode),
  };
  return find_symbols(library, symbols);
}

// torchvision's wheel gives its copy a name of its own: libnvjpeg.36e11081.so.13.
void add_of_packages(const fs::path& packages, std::vector<std::string>& files) {
  files.push_back((packages / "nvidia/cu13/lib" / kJpegLibrary).string());
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(packages / "torchvision.libs", failed)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("libnvjpeg.") && name.ends_with(".so.13"))
      files.push_back(entry.path().string());
  }
}

std::vector<std::string> files_here() {
  std::vector<std::string> files{std::string(kJpegLibrary)};
  const TorchPlaces places = torch_places();
  for (const std::string& torch : {places.named, places.python, places.cache, places.built})
    if (!torch.empty()) add_of_packages(fs::path(torch).parent_path(), files);
  return files;
}

std::string library_version(const NvjpegTable& call) {
  int major = 0, minor = 0, patch = 0;
  (void)call.property(0, &major);
  (void)call.property(1, &minor);
  (void)call.property(2, &patch);
  return fmt::format("{}.{}.{}", major, minor, patch);
}

Nvjpeg nvjpeg_in(void* library, const std::string& file) {
  Nvjpeg nvjpeg;
  if (const std::string missing = find_all(nvjpeg.call, library); !missing.empty())
    throw DeviceError(fmt::format("{} has no function {}", file, missing), kPackageHint);
  nvjpeg.version = library_version(nvjpeg.call);
  return nvjpeg;
}

}  // namespace

Nvjpeg load_nvjpeg(const std::vector<std::string>& files) {
  std::string refusal;
  for (const std::string& file : files.empty() ? files_here() : files) {
    const OpenedLibrary opened = open_library(file);
    if (opened.handle) return nvjpeg_in(opened.handle, file);
    // A file that is there and does not load says more than one that is not.
    if (refusal.empty() || fs::exists(file)) refusal = opened.refusal;
  }
  throw DeviceError(
      fmt::format("loader.decode.backend: nvjpeg needs {} of the package nvidia-nvjpeg: {}",
                  kJpegLibrary, refusal),
      kPackageHint);
}

std::string_view name_of_status(JpegStatus status) noexcept {
  const auto at = static_cast<std::size_t>(status);
  return at < std::size(kStatuses) ? kStatuses[at] : "an unknown status";
}

}  // namespace benchbench::cuda
