#include "harness/app/doctor/devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "harness/part/module.h"
#include "harness/part/torch/torch_folder.h"

namespace benchbench {
namespace {

namespace fs = std::filesystem;

std::string driver_version(const std::string& root) {
  std::ifstream in(root + "/proc/driver/nvidia/version");
  std::string word;
  while (in >> word) {  // "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  ..."
    if (std::isdigit(static_cast<unsigned char>(word.front())) &&
        word.find('.') != std::string::npos)
      return word;
  }
  return {};
}

bool has_driver_library(const std::string& root) {
  std::vector<std::string> folders = {"/usr/lib/x86_64-linux-gnu",
                                      "/usr/lib/aarch64-linux-gnu",
                                      "/usr/lib64",
                                      "/lib64",
                                      "/usr/lib",
                                      "/usr/local/nvidia/lib64",
                                      "/usr/lib/wsl/lib",
                                      "/run/opengl-driver/lib"};
  if (const char* more = std::getenv("LD_LIBRARY_PATH"); more && root.empty()) {
    std::istringstream parts(more);
    for (std::string part; std::getline(parts, part, ':');) folders.push_back(part);
  }
  std::error_code ignored;
  return std::ranges::any_of(folders, [&](const std::string& folder) {
    return fs::exists(root + folder + "/libcuda.so.1", ignored);
  });
}

// /dev/nvidia0, nvidia1, ...: one a GPU.
int gpu_count(const std::string& root) {
  int count = 0;
  std::error_code error;
  for (auto at = fs::directory_iterator(root + "/dev", error); !error && at != fs::end(at);
       at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with("nvidia") && name.size() > 6 &&
        std::all_of(name.begin() + 6, name.end(),
                    [](unsigned char c) { return std::isdigit(c); })) {
      ++count;
    }
  }
  return count;
}

// Of a machine whose driver has no device: the driver's own words, and what is missing besides.
std::string why_no_device(const cuda::CudaSurvey& survey, const std::string& root) {
  const int gpus = gpu_count(root);
  const bool library = has_driver_library(root), driver = !driver_version(root).empty();
  if (gpus == 0 && !driver && !library &&
      survey.why.find("no CUDA driver here") != std::string::npos)
    return "not found: no NVIDIA driver and no GPU";
  std::string text = fmt::format("not usable: {}", survey.why);
  if (gpus > 0) return text + fmt::format("; {} GPU(s) under /dev", gpus);
  return driver || library ? text + "; there is no /dev/nvidia0" : text;
}

}  // namespace

DoctorCheck check_torch() {
  hand_over_torch();
  const std::string reason = probe_module("torch");
  if (reason.empty()) return {"torch", torch_handed_over() + "; its module loads"};
  return {"torch", reason, DoctorVerdict::note,
          "needed by the ResNet and MLP trainers; "
          "scripts/benchbench installs it; mocks run without it"};
}

DoctorCheck check_cuda(const cuda::CudaSurvey& survey, const std::string& root) {
  if (survey.devices.empty())
    return {"cuda", why_no_device(survey, root), DoctorVerdict::note,
            "points with device: cuda are skipped; pinned memory can be tried with device: "
            "emulated. In a container, start it with the NVIDIA runtime"};
  const std::string value = fmt::format("{}, CUDA {}", models_text(survey), driver_text(survey));
  if (survey.kernels) return {"cuda", value};
  return {"cuda", value, DoctorVerdict::note,
          "this build has no CUDA kernels, so mock trainers do not run on it: "
          "configure's summary says why"};
}

}  // namespace benchbench
