#include "harness/part/module.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <memory>

#include "harness/core/error.h"
#include "harness/part/torch/torch_libraries.h"

namespace benchbench {
namespace {

// Configure's words; "" where the module is built.
constexpr std::string_view kTorchReason = BENCHBENCH_TORCH_REASON;
constexpr std::string_view kTorchCudaReason = BENCHBENCH_TORCH_CUDA_REASON;
constexpr std::string_view kArrowReason = BENCHBENCH_ARROW_REASON;

// Loaded modules, newest first; entries live as long as the process, as do the modules.
struct Loaded {
  std::string name;
  std::span<const ModuleRow> rows;
  const Loaded* next = nullptr;
};
std::atomic<const Loaded*> loaded_modules{nullptr};

const Loaded* find_loaded(std::string_view name) {
  const Loaded* entry = loaded_modules.load(std::memory_order_acquire);
  while (entry && entry->name != name) entry = entry->next;
  return entry;
}

// Two threads that load one module at once both get the same handle from dlopen, so a second entry
// does no harm and nobody has to wait for a lock.
std::span<const ModuleRow> remember(std::string_view name, std::span<const ModuleRow> rows) {
  auto* entry = new Loaded{std::string(name), rows, loaded_modules.load(std::memory_order_relaxed)};
  while (!loaded_modules.compare_exchange_weak(entry->next, entry, std::memory_order_acq_rel)) {
  }
  return rows;
}

std::string needed_by(std::string_view module) {
  if (module == "torch") return "libtorch";
  if (module == "torch_cuda") return "torch with CUDA";
  if (module == "cuda") return "CUDA";
  return module == "arrow" ? "Arrow" : fmt::format("the module {}", module);
}

std::string_view reason_of_configure(std::string_view module) {
  if (module == "torch") return kTorchReason;
  if (module == "torch_cuda") return kTorchCudaReason;
  return module == "arrow" ? kArrowReason : std::string_view();
}

[[noreturn]] void refuse(std::string_view module, std::string_view reason,
                         std::string_view hint = {}) {
  throw DeviceError(fmt::format("needs {}: {}", needed_by(module), reason), hint);
}

std::string file_of(std::string_view module) { return fmt::format("libbenchbench_{}.so", module); }

std::filesystem::path folder_of_program() {
  std::error_code failed;
  return std::filesystem::read_symlink("/proc/self/exe", failed).parent_path();
}

void require_file(std::string_view module, const std::filesystem::path& file) {
  std::error_code failed;
  if (std::filesystem::exists(file, failed)) return;
  if (const std::string_view reason = reason_of_configure(module); !reason.empty()) {
    refuse(module, fmt::format("{} is not built (configure said: {})", file_of(module), reason));
  }
  refuse(module, fmt::format("{} is not next to the program", file_of(module)),
         "build it, or keep the two files together");
}

const ModuleTable& table_of(std::string_view module, const std::filesystem::path& file) {
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char* why = dlerror();
    refuse(module, why ? why : "dlopen failed without an error message");
  }
  using Entry = const ModuleTable* (*)();
  const auto entry = reinterpret_cast<Entry>(dlsym(handle, "benchbench_module"));
  if (!entry) refuse(module, fmt::format("{} has no benchbench_module()", file.string()));
  const ModuleTable* table = entry();
  if (!table || !table->seam)
    refuse(module, fmt::format("{} returns no table of parts", file.string()));
  return *table;
}

void require_same_seam(std::string_view module, const ModuleTable& table) {
  if (seam_id() == table.seam) return;
  refuse(
      module,
      fmt::format(
          "{} was built for a different version of benchbench (interface {}, the program has {})",
          file_of(module), table.seam, seam_id()),
      "build the program and the module together");
}

}  // namespace

std::string_view seam_id() noexcept { return BENCHBENCH_SEAM; }

std::span<const ModuleRow> module_rows(std::string_view name) {
  if (const Loaded* entry = find_loaded(name)) return entry->rows;
  const auto file = folder_of_program() / file_of(name);
  require_file(name, file);
  if (name == "torch") load_torch(find_torch());
  if (name == "torch_cuda") load_torch_cuda(find_torch());
  const ModuleTable& table = table_of(name, file);
  require_same_seam(name, table);
  return remember(name, {table.rows, table.count});
}

void* module_symbol(std::string_view name, const char* symbol) {
  (void)module_rows(name);
  const auto file = folder_of_program() / file_of(name);
  // Counted: it stays open, as every module does.
  void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  void* const found = handle ? dlsym(handle, symbol) : nullptr;
  if (!found)
    refuse(name, fmt::format("{} has no {}()", file_of(name), symbol),
           "build the program and the module together");
  return found;
}

}  // namespace benchbench
