#include "harness/record/environment.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <algorithm>
#include <concepts>

#include "harness/core/descriptor.h"
#include "harness/core/digest.h"
#include "harness/core/error.h"
#include "harness/core/units.h"
#include "harness/record/known_variables.h"

extern char** environ;

namespace benchbench {
namespace {

// Adds a file's bytes. A digest without one of its files would be that of another build.
void add_file(Digester& digester, const std::string& path) {
  const auto failed = [&path] {
    throw StoreError(fmt::format("{}: cannot be read, to tell this build from others: {}", path,
                                 strerrordesc_np(errno)));
  };
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat about{};
  if (!file || fstat(file.get(), &about) != 0) failed();
  if (about.st_size <= 0) return;
  const auto size = static_cast<std::size_t>(about.st_size);
  void* bytes = mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file.get(), 0);
  if (bytes == MAP_FAILED) failed();
  digester.add(std::span(static_cast<const std::byte*>(bytes), size));
  munmap(bytes, size);
}

// The modules beside the program, in the order of their names: trainers live there.
std::vector<std::string> module_files() {
  std::vector<std::string> files;
  std::error_code error;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("libbenchbench_") && name.ends_with(".so"))
      files.push_back(entry.path().string());
  }
  if (error)
    throw StoreError(fmt::format("{}: cannot be listed, to tell this build from others: {}",
                                 folder.string(), error.message()));
  std::ranges::sort(files);
  return files;
}

// What the processor itself says of the hypervisor below it, where the firmware keeps silent (micro
// virtual machines have no DMI tables).
std::string hypervisor_signature() {
#if defined(__x86_64__)
  unsigned a = 0, words[3] = {};
  __cpuid(0x40000000, a, words[0], words[1], words[2]);
  const std::string_view signature(reinterpret_cast<const char*>(words), sizeof words);
  if (signature.starts_with("KVMKVMKVM")) return "kvm";
  if (signature == "Microsoft Hv") return "hyperv";
  if (signature == "VMwareVMware") return "vmware";
  if (signature == "XenVMMXenVMM") return "xen";
#endif
  return "unknown hypervisor";
}

std::string join(const std::vector<std::string>& parts, std::string_view between) {
  std::string text;
  for (const std::string& part : parts)
    if (!part.empty()) text.append(text.empty() ? "" : between).append(part);
  return text;
}

std::string number_text(std::string_view name, double value) {
  if (!(value > 0)) return "";
  if (name.ends_with("_bytes")) return human_bytes(value);
  if (name.ends_with("_ns")) return human_duration(from_seconds(value * 1e-9));
  return fmt::format("{:g}", value);
}

// The ceilings have no text.
template <class T>
EnvironmentValue value_as_text(const EnvironmentField& field, const T& value) {
  if constexpr (std::is_arithmetic_v<T>)
    return {field, number_text(field.name, static_cast<double>(value)),
            value > 0 ? fmt::format("{}", value) : ""};
  else if constexpr (std::same_as<T, std::vector<std::string>>)
    return {field, join(value, " "), join(value, " ")};
  else if constexpr (std::same_as<T, std::string>)
    return {field, value, value};
  else
    return {field, "", ""};
}

std::string text_in_line(const Environment& e, const EnvironmentValue& value) {
  const EnvironmentField& field = value.field;
  if (field.line_text) return field.line_text(e);
  if (value.text.empty() || value.text == "none") return "";
  return field.before.empty() ? value.text : fmt::format("{} {}", field.before, value.text);
}

}  // namespace

namespace this_machine {

std::uint64_t memory_bytes() {
  const std::uint64_t physical = physical_memory("/"), limit = cgroup_memory_limit("/");
  return limit ? std::min(limit, physical) : physical;
}

std::string virtualization() {
  const std::string named = benchbench::virtualization("/");
  return named == "unknown hypervisor" ? hypervisor_signature() : named;
}

// The hardware only: a new kernel, quota or build is another environment on the same machine.
// Memory counts in GiB, since kernels keep more or less of it for themselves.
std::string machine(const Environment& e) {
  const std::uint64_t gib = (e.host_memory_bytes + (1ull << 29)) >> 30;
  return digest_of(
             fmt::format("{}\n{}\n{}\n{}\n", e.cpu_model, e.cpus_online, gib, e.virtualization))
      .text();
}

std::string build() {
  return fmt::format("benchbench {}, {}, {}", BENCHBENCH_VERSION, BENCHBENCH_COMPILER,
                     BENCHBENCH_BUILD_TYPE);
}

// Two builds of one version differ in the bytes of the program or of its modules.
std::string build_digest() {
  Digester digester;
  add_file(digester, "/proc/self/exe");
  for (const std::string& file : module_files()) add_file(digester, file);
  return digester.finish().text();
}

std::vector<std::string> variables() {
  std::vector<std::string> found;
  for (char** variable = environ; variable && *variable; ++variable) {
    if (is_recorded(*variable)) found.emplace_back(*variable);
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace this_machine

double cores_available(const std::filesystem::path& root) {
  const double quota = cgroup_cpu_quota(root), usable = usable_cpus();
  return quota > 0 ? std::min(quota, usable) : usable;
}

std::string cpus_text(const Environment& e) {
  const std::string online = counted(e.cpus_online, "CPU");
  return e.cpus_usable == e.cpus_online ? online : fmt::format("{} of {}", e.cpus_usable, online);
}

std::string cpus_and_quota_text(const Environment& e) {
  return cpus_text(e) + (e.cpu_quota > 0 ? fmt::format(" (quota {:g})", e.cpu_quota) : "");
}

std::string EnvironmentField::title() const {
  std::string text(name);
  for (const std::string_view unit : {"_bytes", "_ns"})
    if (name.ends_with(unit)) text.resize(name.size() - unit.size());
  std::ranges::replace(text, '_', ' ');
  return text;
}

std::vector<EnvironmentValue> environment_values(const Environment& e) {
  std::vector<EnvironmentValue> values;
  visit_environment(e, [&](const EnvironmentField& field, const auto& value, auto&&...) {
    values.push_back(value_as_text(field, value));
  });
  return values;
}

std::vector<std::pair<std::string, std::string>> environment_labels(const Environment& e) {
  std::vector<std::pair<std::string, std::string>> labels;
  for (EnvironmentValue& value : environment_values(e))
    if (value.field.differs && !value.plain.empty())
      labels.emplace_back(value.field.name, std::move(value.plain));
  return labels;
}

std::string environment_line(const Environment& e, EnvironmentLine line) {
  std::vector<std::string> parts;
  for (const EnvironmentValue& value : environment_values(e))
    if (value.field.line == line) parts.push_back(text_in_line(e, value));
  return join(parts, ", ");
}

Environment observe_environment() {
  Environment e;
  const auto see = [&](auto& value, const auto& observe) {
    using Observe = decltype(observe);
    if constexpr (std::invocable<Observe>)
      value = observe();
    else if constexpr (std::invocable<Observe, const char*>)
      value = observe("/");
    else
      value = observe(e);
  };
  visit_environment(e, [&](const EnvironmentField&, auto& value, const auto&... observe) {
    (see(value, observe), ...);
  });
  return e;
}

}  // namespace benchbench
