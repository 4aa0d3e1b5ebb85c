#include "harness/record/variables/known_variables.h"

#include <algorithm>
#include <array>

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

constexpr std::array kChanges{
    KnownVariable{"OMP_NUM_THREADS", kThreads},
    KnownVariable{"OMP_THREAD_LIMIT", kThreads},
    KnownVariable{"OMP_DYNAMIC", kThreads},
    KnownVariable{"OMP_NESTED", kThreads},
    KnownVariable{"OMP_MAX_ACTIVE_LEVELS", kThreads},
    KnownVariable{"MKL_NUM_THREADS", kThreads},
    KnownVariable{"MKL_DOMAIN_NUM_THREADS", kThreads},
    KnownVariable{"MKL_DYNAMIC", kThreads},
    KnownVariable{"MKL_THREADING_LAYER", "which library runs threads"},
    KnownVariable{"OPENBLAS_NUM_THREADS", kThreads},
    KnownVariable{"GOTO_NUM_THREADS", kThreads},
    KnownVariable{"BLIS_NUM_THREADS", kThreads},
    KnownVariable{"NUMEXPR_NUM_THREADS", kThreads},
    KnownVariable{"OPENCV_FOR_THREADS_NUM", kThreads},
    KnownVariable{"OMP_PROC_BIND", kPlaces},
    KnownVariable{"OMP_PLACES", kPlaces},
    KnownVariable{"GOMP_CPU_AFFINITY", kPlaces},
    KnownVariable{"KMP_AFFINITY", kPlaces},
    KnownVariable{"KMP_HW_SUBSET", kPlaces},
    KnownVariable{"OMP_WAIT_POLICY", kSpin},
    KnownVariable{"OMP_SCHEDULE", "how a loop is shared out among threads"},
    KnownVariable{"OMP_STACKSIZE", "memory of each thread"},
    KnownVariable{"GOMP_SPINCOUNT", kSpin},
    KnownVariable{"KMP_BLOCKTIME", kSpin},
    KnownVariable{"KMP_LIBRARY", kSpin},
    KnownVariable{"MALLOC_ARENA_MAX", kAllocator},
    KnownVariable{"MALLOC_ARENA_TEST", kAllocator},
    KnownVariable{"MALLOC_MMAP_MAX_", kAllocator},
    KnownVariable{"MALLOC_MMAP_THRESHOLD_", kAllocator},
    KnownVariable{"MALLOC_TOP_PAD_", kAllocator},
    KnownVariable{"MALLOC_TRIM_THRESHOLD_", kAllocator},
    KnownVariable{"MALLOC_PERTURB_", kAllocator},
    KnownVariable{"MALLOC_CHECK_", kAllocator},
    KnownVariable{"MALLOC_CONF", kAllocator},
    KnownVariable{"PYTHONMALLOC", kAllocator},
    KnownVariable{"GLIBC_TUNABLES", kAllocator},
    KnownVariable{"LD_PRELOAD", "which allocator, or any other function, is used"},
    KnownVariable{"PYTORCH_CUDA_ALLOC_CONF", kAllocator},
    KnownVariable{"PYTORCH_ALLOC_CONF", kAllocator},
    KnownVariable{"PYTORCH_NO_CUDA_MEMORY_CACHING", kAllocator},
    KnownVariable{"ATEN_CPU_CAPABILITY", kInstructions},
    KnownVariable{"DNNL_MAX_CPU_ISA", kInstructions},
    KnownVariable{"ONEDNN_MAX_CPU_ISA", kInstructions},
    KnownVariable{"DNNL_PRIMITIVE_CACHE_CAPACITY", kAlgorithms},
    KnownVariable{"ONEDNN_PRIMITIVE_CACHE_CAPACITY", kAlgorithms},
    KnownVariable{"DNNL_DEFAULT_FPMATH_MODE", kTf32},
    KnownVariable{"ONEDNN_DEFAULT_FPMATH_MODE", kTf32},
    KnownVariable{"DNNL_VERBOSE", "each operation writes a line"},
    KnownVariable{"ONEDNN_VERBOSE", "each operation writes a line"},
    KnownVariable{"MKL_VERBOSE", "each operation writes a line"},
    KnownVariable{"MKL_ENABLE_INSTRUCTIONS", kInstructions},
    KnownVariable{"MKL_DEBUG_CPU_TYPE", kInstructions},
    KnownVariable{"MKL_CBWR", kInstructions},
    KnownVariable{"OPENBLAS_CORETYPE", kInstructions},
    KnownVariable{"NVIDIA_TF32_OVERRIDE", kTf32},
    KnownVariable{"TORCH_ALLOW_TF32_CUBLAS_OVERRIDE", kTf32},
    KnownVariable{"CUDA_VISIBLE_DEVICES", kCards},
    KnownVariable{"CUDA_DEVICE_ORDER", kCards},
    KnownVariable{"CUDA_LAUNCH_BLOCKING", "each kernel is waited for", "0"},
    KnownVariable{"CUDA_DEVICE_MAX_CONNECTIONS", kLaunch},
    KnownVariable{"CUDA_MODULE_LOADING", kLaunch, "LAZY"},
    KnownVariable{"CUDA_FORCE_PTX_JIT", kLaunch, "0"},
    KnownVariable{"CUDA_CACHE_DISABLE", kLaunch, "0"},
    KnownVariable{"CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", "the share of a card that is given"},
    KnownVariable{"CUBLAS_WORKSPACE_CONFIG", kAlgorithms},
    KnownVariable{"CUBLASLT_WORKSPACE_SIZE", kAlgorithms},
    KnownVariable{"TORCH_CUDNN_V8_API_DISABLED", kAlgorithms},
    KnownVariable{"TORCH_BLAS_PREFER_CUBLASLT", kAlgorithms},
    KnownVariable{"TORCH_COMPILE_DISABLE", "whether torch.compile compiles"},
    KnownVariable{"TORCHDYNAMO_DISABLE", "whether torch.compile compiles"},
    KnownVariable{"TORCHINDUCTOR_MAX_AUTOTUNE", kAlgorithms},
    KnownVariable{"PYTORCH_TUNABLEOP_ENABLED", kAlgorithms, "0"},
};

// Set to "", it hides every card.
constexpr std::string_view kHidesCards = "CUDA_VISIBLE_DEVICES";

// Libraries whose variables are kept where they are not known to change anything.
constexpr std::string_view kReadByLibraries[] = {"OMP_",    "MKL_",     "KMP_",  "GOMP_",
                                                 "TORCH_",  "PYTORCH_", "DNNL_", "ONEDNN_",
                                                 "MALLOC_", "OPENBLAS_"};

const KnownVariable* find_variable(std::string_view name) noexcept {
  const auto at = std::ranges::find(kChanges, name, &KnownVariable::name);
  return at == kChanges.end() ? nullptr : &*at;
}

}  // namespace

std::span<const KnownVariable> variables_that_change_runs() noexcept { return kChanges; }

bool changes_a_run(std::string_view variable) noexcept {
  const std::size_t sign = variable.find('=');
  const KnownVariable* known = find_variable(variable.substr(0, sign));
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
