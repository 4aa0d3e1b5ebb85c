// Writes which kernels a process runs on a GPU. CUDA's driver loads this library where
// CUDA_INJECTION64_PATH names it: into a program of ours and into a Python alike.
//
//   BENCHBENCH_KERNELS   a folder; each process adds a file PROGRAM.PID, "START_NS NAME" a kernel
//   BENCHBENCH_CUPTI     NVIDIA's libcupti.so.13
#include <cupti.h>
#include <dlfcn.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

constexpr std::size_t kBuffer = 1 << 20;
constexpr std::uint32_t kFlushMs = 100;  // processes may end without a word

struct Cupti {
  decltype(&cuptiGetVersion) version;
  decltype(&cuptiActivityRegisterCallbacks) register_callbacks;
  decltype(&cuptiActivityEnable) enable;
  decltype(&cuptiActivityFlushPeriod) flush_period;
  decltype(&cuptiActivityGetNextRecord) next_record;
};
Cupti cupti;
std::FILE* file;

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function;
}

bool find_all(void* library) {
  return library && find(library, "cuptiGetVersion", cupti.version) &&
         find(library, "cuptiActivityRegisterCallbacks", cupti.register_callbacks) &&
         find(library, "cuptiActivityEnable", cupti.enable) &&
         find(library, "cuptiActivityFlushPeriod", cupti.flush_period) &&
         find(library, "cuptiActivityGetNextRecord", cupti.next_record);
}

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, kBuffer));
  *size = *buffer ? kBuffer : 0;
  *most = 0;
}

void CUPTIAPI write_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                           std::size_t valid) {
  CUpti_Activity* record = nullptr;
  while (cupti.next_record(buffer, valid, &record) == CUPTI_SUCCESS) {
    if (record->kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) continue;
    const auto* kernel = reinterpret_cast<const CUpti_ActivityKernel10*>(record);
    std::fprintf(file, "%llu %s\n", static_cast<unsigned long long>(kernel->start), kernel->name);
  }
  std::fflush(file);
  std::free(buffer);
}

// Returns why nothing is written; "" where all is.
std::string start() {
  const char* const path = std::getenv("BENCHBENCH_CUPTI");
  if (!find_all(dlopen(path ? path : "libcupti.so.13", RTLD_NOW))) return dlerror();
  std::uint32_t version = 0;
  cupti.version(&version);
  // A record's layout is that of its version.
  if (version != CUPTI_API_VERSION) return "CUPTI has version " + std::to_string(version);
  CUptiResult result = cupti.register_callbacks(give_buffer, write_buffer);
  if (result == CUPTI_SUCCESS) result = cupti.enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  if (result == CUPTI_SUCCESS) result = cupti.flush_period(kFlushMs);
  return result == CUPTI_SUCCESS ? "" : "CUPTI says " + std::to_string(result);
}

}  // namespace

// The driver calls it as it starts.
extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  const char* const folder = std::getenv("BENCHBENCH_KERNELS");
  if (!folder || file) return 1;
  const std::string name =
      std::string(folder) + "/" + program_invocation_short_name + "." + std::to_string(getpid());
  file = std::fopen(name.c_str(), "w");
  if (!file) return 1;
  if (const std::string why = start(); !why.empty()) std::fprintf(file, "# %s\n", why.c_str());
  std::fflush(file);
  return 1;
}
