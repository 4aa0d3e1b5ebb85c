#include "harness/record/known_variables.h"

#include <algorithm>

#include "harness/core/contains.h"

namespace benchbench {
namespace {

constexpr std::string_view kThreads = "how many threads a step or a worker has",
                           kPlaces = "on which cores threads run",
                           kSpin = "whether threads that wait keep their cores busy",
                           kAllocator = "what an allocation costs, and which memory is kept",
                           kInstructions = "which instructions are used",
                           kTf32 = "precision of products",
                           kCards = "which cards there are, and in which order",
                           kLaunch = "how kernels are launched and loaded",
                           kAlgorithms = "which algorithms are chosen";

constexpr KnownVariable kChanges[] = {
    {"OMP_NUM_THREADS", kThreads},
    {"OMP_THREAD_LIMIT", kThreads},
    {"OMP_DYNAMIC", kThreads},
    {"OMP_NESTED", kThreads},
    {"OMP_MAX_ACTIVE_LEVELS", kThreads},
    {"MKL_NUM_THREADS", kThreads},
    {"MKL_DOMAIN_NUM_THREADS", kThreads},
    {"MKL_DYNAMIC", kThreads},
    {"MKL_THREADING_LAYER", "which library runs threads"},
    {"OPENBLAS_NUM_THREADS", kThreads},
    {"GOTO_NUM_THREADS", kThreads},
    {"BLIS_NUM_THREADS", kThreads},
    {"NUMEXPR_NUM_THREADS", kThreads},
    {"OPENCV_FOR_THREADS_NUM", kThreads},
    {"OMP_PROC_BIND", kPlaces},
    {"OMP_PLACES", kPlaces},
    {"GOMP_CPU_AFFINITY", kPlaces},
    {"KMP_AFFINITY", kPlaces},
    {"KMP_HW_SUBSET", kPlaces},
    {"OMP_WAIT_POLICY", kSpin},
    {"OMP_SCHEDULE", "how a loop is shared out among threads"},
    {"OMP_STACKSIZE", "memory of each thread"},
    {"GOMP_SPINCOUNT", kSpin},
    {"KMP_BLOCKTIME", kSpin},
    {"KMP_LIBRARY", kSpin},
    {"MALLOC_ARENA_MAX", kAllocator},
    {"MALLOC_ARENA_TEST", kAllocator},
    {"MALLOC_MMAP_MAX_", kAllocator},
    {"MALLOC_MMAP_THRESHOLD_", kAllocator},
    {"MALLOC_TOP_PAD_", kAllocator},
    {"MALLOC_TRIM_THRESHOLD_", kAllocator},
    {"MALLOC_PERTURB_", kAllocator},
    {"MALLOC_CHECK_", kAllocator},
    {"MALLOC_CONF", kAllocator},
    {"PYTHONMALLOC", kAllocator},
    {"GLIBC_TUNABLES", kAllocator},
    {"LD_PRELOAD", "which allocator, or any other function, is used"},
    {"PYTORCH_CUDA_ALLOC_CONF", kAllocator},
    {"PYTORCH_ALLOC_CONF", kAllocator},
    {"PYTORCH_NO_CUDA_MEMORY_CACHING", kAllocator},
    {"ATEN_CPU_CAPABILITY", kInstructions},
    {"DNNL_MAX_CPU_ISA", kInstructions},
    {"ONEDNN_MAX_CPU_ISA", kInstructions},
    {"DNNL_PRIMITIVE_CACHE_CAPACITY", kAlgorithms},
    {"ONEDNN_PRIMITIVE_CACHE_CAPACITY", kAlgorithms},
    {"DNNL_DEFAULT_FPMATH_MODE", kTf32},
    {"ONEDNN_DEFAULT_FPMATH_MODE", kTf32},
    {"DNNL_VERBOSE", "each operation writes a line"},
    {"ONEDNN_VERBOSE", "each operation writes a line"},
    {"MKL_VERBOSE", "each operation writes a line"},
    {"MKL_ENABLE_INSTRUCTIONS", kInstructions},
    {"MKL_DEBUG_CPU_TYPE", kInstructions},
    {"MKL_CBWR", kInstructions},
    {"OPENBLAS_CORETYPE", kInstructions},
    {"NVIDIA_TF32_OVERRIDE", kTf32},
    {"TORCH_ALLOW_TF32_CUBLAS_OVERRIDE", kTf32},
    {"CUDA_VISIBLE_DEVICES", kCards},
    {"CUDA_DEVICE_ORDER", kCards},
    {"CUDA_LAUNCH_BLOCKING", "each kernel is waited for", "0"},
    {"CUDA_DEVICE_MAX_CONNECTIONS", kLaunch},
    {"CUDA_MODULE_LOADING", kLaunch, "LAZY"},
    {"CUDA_FORCE_PTX_JIT", kLaunch, "0"},
    {"CUDA_CACHE_DISABLE", kLaunch, "0"},
    {"CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", "the share of a card that is given"},
    {"CUBLAS_WORKSPACE_CONFIG", kAlgorithms},
    {"CUBLASLT_WORKSPACE_SIZE", kAlgorithms},
    {"TORCH_CUDNN_V8_API_DISABLED", kAlgorithms},
    {"TORCH_BLAS_PREFER_CUBLASLT", kAlgorithms},
    {"TORCH_COMPILE_DISABLE", "whether torch.compile compiles"},
    {"TORCHDYNAMO_DISABLE", "whether torch.compile compiles"},
    {"TORCHINDUCTOR_MAX_AUTOTUNE", kAlgorithms},
    {"PYTORCH_TUNABLEOP_ENABLED", kAlgorithms, "0"},
};

// Set to "", it hides every card.
constexpr std::string_view kHidesCards = "CUDA_VISIBLE_DEVICES";

// Libraries whose variables are kept where they are not known to change anything.
constexpr std::string_view kReadByLibraries[] = {"OMP_",    "MKL_",     "KMP_",  "GOMP_",
                                                 "TORCH_",  "PYTORCH_", "DNNL_", "ONEDNN_",
                                                 "MALLOC_", "OPENBLAS_"};

}  // namespace

std::span<const KnownVariable> variables_that_change_runs() noexcept { return kChanges; }

bool changes_a_run(std::string_view variable) noexcept {
  const std::size_t sign = variable.find('=');
  const KnownVariable* known =
      find_element(kChanges, variable.substr(0, sign), &KnownVariable::name);
  if (!known || sign == std::string_view::npos) return known != nullptr;
  const std::string_view value = variable.substr(sign + 1);
  if (value.empty()) return known->name == kHidesCards;
  return value != known->usual;
}

bool is_recorded(std::string_view variable) noexcept {
  return changes_a_run(variable) ||
         std::ranges::any_of(kReadByLibraries,
                             [&](std::string_view prefix) { return variable.starts_with(prefix); });
}

}  // namespace benchbench
