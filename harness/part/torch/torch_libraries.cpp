#include "harness/part/torch/torch_libraries.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "harness/core/error.h"

namespace benchbench {
namespace {

struct Package {
  std::string_view library, name;
};

// The requirements of torch's packages for CUDA 13. Where one name begins another, the longer one
// is first.
constexpr std::array kPackages = {
    Package{"libcublas", "nvidia-cublas"},
    Package{"libcudart", "nvidia-cuda-runtime"},
    Package{"libcudnn", "nvidia-cudnn-cu13"},
    Package{"libcufft", "nvidia-cufft"},
    Package{"libcufile", "nvidia-cufile"},
    Package{"libcupti", "nvidia-cuda-cupti"},
    Package{"libcurand", "nvidia-curand"},
    Package{"libcusolver", "nvidia-cusolver"},
    Package{"libcusparseLt", "nvidia-cusparselt-cu13"},
    Package{"libcusparse", "nvidia-cusparse"},
    Package{"libnccl", "nvidia-nccl-cu13"},
    Package{"libnvJitLink", "nvidia-nvjitlink"},
    Package{"libnvrtc", "nvidia-cuda-nvrtc"},
    Package{"libnvshmem", "nvidia-nvshmem-cu13"},
    Package{"libnvToolsExt", "nvidia-nvtx"},
};

// Local, as they are where a path in the module finds them: their names are found by their users'
// own lists, and hide no other library's.
void load_libraries(const TorchFolder& torch, std::span<const char* const> names,
                    std::string_view needed) {
  for (const char* name : names) {
    const std::string file = torch.path + "/lib/" + name;
    if (dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) continue;
    const char* why = dlerror();
    throw DeviceError(fmt::format("needs {}: {}", needed,
                                  explain_missing_library(why ? why : file + " does not load")));
  }
}

}  // namespace

void load_torch(const TorchFolder& torch) {
  constexpr const char* names[] = {"libc10.so", "libtorch_cpu.so"};
  load_libraries(torch, names, "libtorch");
}

void load_torch_cuda(const TorchFolder& torch) {
  if (!torch.cuda)
    throw DeviceError(fmt::format("needs torch with CUDA: {} in {} has no libtorch_cuda.so",
                                  torch.version, torch.path),
                      "install a torch that was built with CUDA, or use trainer.device: cpu");
  load_torch(torch);
  constexpr const char* names[] = {"libc10_cuda.so", "libtorch_cuda.so"};
  load_libraries(torch, names, "torch with CUDA");
}

std::string explain_missing_library(std::string_view words) {
  const std::string_view library = words.substr(0, words.find(':'));
  const auto brings = [&](const Package& p) { return library.starts_with(p.library); };
  const auto found = std::ranges::find_if(kPackages, brings);
  if (found == kPackages.end() || words.find("cannot open shared object") == words.npos)
    return std::string(words);
  return fmt::format("{} is not here; the package {} brings it", library, found->name);
}

}  // namespace benchbench
