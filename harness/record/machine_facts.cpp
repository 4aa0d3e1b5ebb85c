#include "harness/record/machine_facts.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/core/cpu_limit.h"
#include "harness/core/descriptor.h"
#include "harness/core/error.h"
#include "harness/core/spelling.h"

namespace benchbench {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kNotAvailable = "not available";

// Words in the vendor or product of a virtual machine, and the hypervisor that has them.
constexpr std::pair<const char*, const char*> kHypervisors[] = {{"KVM", "kvm"},
                                                                {"QEMU", "kvm"},
                                                                {"Amazon EC2", "kvm"},
                                                                {"Google Compute", "kvm"},
                                                                {"VMware", "vmware"},
                                                                {"VirtualBox", "virtualbox"},
                                                                {"Virtual Machine", "hyperv"},
                                                                {"Xen", "xen"},
                                                                {"Parallels", "parallels"}};

// Whole; empty where there is no such file. A process that has no descriptors left, or a disk that
// fails, knows nothing of the machine: its facts would be those of another one.
std::string text_of(const fs::path& file) {
  const Descriptor in(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  ssize_t n = in ? 1 : -1;
  for (char bytes[16384]; n > 0; text.append(bytes, static_cast<std::size_t>(n)))
    if (n = ::read(in.get(), bytes, sizeof bytes); n < 0) break;
  const bool passing =
      errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == EIO || errno == EROFS;
  if (n < 0 && passing)
    throw StoreError(fmt::format("{}: cannot be read: {}", file.string(), strerrordesc_np(errno)));
  return n < 0 ? "" : text;
}

std::string first_line(const fs::path& file) {
  std::string line = text_of(file);
  line.resize(std::min(line.find('\n'), line.size()));
  while (!line.empty() && (line.back() == ' ' || line.back() == '\n')) line.pop_back();
  return line;
}

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  return error == std::errc{} ? std::optional(n) : std::nullopt;
}

// The value of "key   : value" or "key: value", of the first such line.
std::string entry(const fs::path& file, std::string_view key) {
  std::istringstream in(text_of(file));
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(key)) continue;
    const auto colon = line.find(':');
    if (colon == std::string::npos) continue;
    const auto start = line.find_first_not_of(" \t", colon + 1);
    return start == std::string::npos ? "" : line.substr(start);
  }
  return {};
}

// This process's path in the hierarchy of a v1 controller, or of v2 where `controller` is empty.
std::optional<std::string> cgroup_path(const fs::path& root, std::string_view controller) {
  std::istringstream in(text_of(root / "proc/self/cgroup"));
  for (std::string line; std::getline(in, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string list = line.substr(first + 1, second - first - 1);
    if (controller.empty() ? list.empty() : is_listed(list, controller))
      return line.substr(second + 1);
  }
  return std::nullopt;
}

// The group's own folder and those above it, up to the mount. Inside a container the path may name
// what only the host sees; the mount itself is then this container's group.
std::vector<fs::path> folders_upwards(const fs::path& mount, const std::string& path) {
  std::vector<fs::path> folders;
  std::error_code failed;
  for (fs::path below = fs::path(path).relative_path(); !below.empty();
       below = below.parent_path()) {
    if (fs::exists(mount / below, failed)) folders.push_back(mount / below);
  }
  folders.push_back(mount);
  return folders;
}

// Returns the folders of this process's groups, of v1's controller, or of v2 where it is empty.
std::vector<fs::path> cgroup_folders(const fs::path& root, std::string_view controller) {
  const auto path = cgroup_path(root, controller);
  return path ? folders_upwards(root / "sys/fs/cgroup" / controller, *path)
              : std::vector<fs::path>{};
}

// Returns the cores of "200000" and "100000"; 0: none, which v1 calls -1 and v2 "max".
double find_quota(std::string_view time, std::string_view period) {
  const auto quota = number(time), of = number(period);
  return quota && of && *quota > 0 && *of > 0
             ? static_cast<double>(*quota) / static_cast<double>(*of)
             : 0;
}

}  // namespace

double cgroup_cpu_quota(const fs::path& root) {
  std::vector<double> quotas;
  for (const auto& folder : cgroup_folders(root, "")) {  // "max 100000" or "200000 100000"
    const std::string line = first_line(folder / "cpu.max");
    if (const auto space = line.find(' '); space != line.npos)
      quotas.push_back(find_quota(line, std::string_view(line).substr(space + 1)));
  }
  for (const auto& folder : cgroup_folders(root, "cpu"))
    quotas.push_back(find_quota(first_line(folder / "cpu.cfs_quota_us"),
                                first_line(folder / "cpu.cfs_period_us")));
  std::erase(quotas, 0);
  return quotas.empty() ? 0 : std::ranges::min(quotas);
}

std::uint64_t cgroup_memory_limit(const fs::path& root) {
  // v1 says "none" as 2^63 rounded down to a page.
  constexpr std::int64_t unlimited = std::int64_t{1} << 60;
  std::int64_t min = unlimited;
  const auto lessen_to = [&](const fs::path& file) {
    if (const auto limit = number(first_line(file)); limit && *limit > 0)
      min = std::min(min, *limit);
  };
  for (const auto& folder : cgroup_folders(root, "")) lessen_to(folder / "memory.max");
  for (const auto& folder : cgroup_folders(root, "memory"))
    lessen_to(folder / "memory.limit_in_bytes");
  return min == unlimited ? 0 : static_cast<std::uint64_t>(min);
}

std::uint64_t physical_memory(const fs::path& root) {
  const auto kib = number(entry(root / "proc/meminfo", "MemTotal"));
  return kib ? static_cast<std::uint64_t>(*kib) * 1024 : 0;
}

std::string cpu_model(const fs::path& root) {
  // x86, old Arm, MIPS, Arm.
  for (const char* key : {"model name", "Hardware", "cpu model", "CPU part"}) {
    if (std::string model = entry(root / "proc/cpuinfo", key); !model.empty()) return model;
  }
  return std::string(kNotAvailable);
}

std::string virtualization(const fs::path& root) {
  if (first_line(root / "sys/hypervisor/type") == "xen") return "xen";
  // Amazon and Google sell whole machines under the same names: these carry no hypervisor flag.
  const std::string flags = " " + entry(root / "proc/cpuinfo", "flags") + " ";
  if (flags.find(" hypervisor ") == flags.npos) return "none";
  const fs::path dmi = root / "sys/class/dmi/id";
  const std::string known = first_line(dmi / "sys_vendor") + " " + first_line(dmi / "product_name");
  for (const auto& [text, name] : kHypervisors)
    if (known.find(text) != known.npos) return name;
  return "unknown hypervisor";
}

std::string frequency_governor(const fs::path& root) {
  std::string governor = first_line(root / "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  return governor.empty() ? std::string(kNotAvailable) : governor;
}

std::string transparent_huge_pages(const fs::path& root) {  // "always [madvise] never"
  const std::string line = first_line(root / "sys/kernel/mm/transparent_hugepage/enabled");
  const auto open = line.find('['), close = line.find(']');
  if (open == std::string::npos || close == std::string::npos || close < open)
    return std::string(kNotAvailable);
  return line.substr(open + 1, close - open - 1);
}

std::uint32_t online_cpus() {
  return static_cast<std::uint32_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
}

// hardware_concurrency() ignores affinity.
std::uint32_t usable_cpus() {
  const auto count = static_cast<std::uint32_t>(allowed_cpus().size());
  return count > 0 ? count : online_cpus();
}

std::string kernel_release() {
  utsname name{};
  return uname(&name) == 0 ? fmt::format("{} {} {}", name.sysname, name.release, name.machine)
                           : "not available";
}

}  // namespace benchbench
