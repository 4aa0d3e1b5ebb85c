#include "harness/cuda/nvml_probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <span>
#include <string_view>

namespace benchbench::cuda {
namespace {

constexpr const char *kNotAsked = "not asked for", *kDriverVersion = "nvmlSystemGetDriverVersion";

std::string refusal(const NvmlTable& table, NvmlResult result, std::string_view call) {
  const char* const text = table.error_text(result);
  return fmt::format("{} failed: {} ({})", call, text ? text : "without a reason", result);
}

std::string no_function(std::string_view name) {
  return fmt::format("this driver's NVML has no function {}", name);
}

template <class T>
Read<T> given(T value) {
  return {std::move(value), {}};
}
template <class T>
Read<T> missing(std::string why) {
  return {std::nullopt, std::move(why)};
}

using Bits = unsigned long long;
constexpr auto kBits = [](Bits bits) { return static_cast<std::uint64_t>(bits); };
constexpr auto kThousandths = [](auto n) { return static_cast<double>(n) * 1e-3; };
constexpr auto kPercent = [](unsigned n) { return n / 100.0; };
constexpr auto kThousands = [](unsigned n) { return 1e3 * n; };

class LoadedNvml final : public NvmlProbe {
 public:
  LoadedNvml(const std::string& uuid, const std::string& library) { open(uuid, library); }
  LoadedNvml(const LoadedNvml&) = delete;
  LoadedNvml& operator=(const LoadedNvml&) = delete;
  ~LoadedNvml() override {
    if (started_) (void)table_.shutdown();
  }
  const std::string& absent() const noexcept override { return absent_; }
  const Read<std::string>& driver() const noexcept override { return driver_; }
  NvmlReading read(bool pcie) const override;
  Read<std::vector<NvmlUser>> read_users() const override;

 private:
  void open(const std::string& uuid, const std::string& library);
  NvmlResult find(const std::string& uuid);
  Read<std::string> read_driver() const;
  Read<bool> read_divided() const;
  void read_load(NvmlReading& reading) const;
  void read_memory(NvmlReading& reading) const;

  // Returns what `function(device, arguments..., &raw)` gives, by `convert`; else why it is absent.
  template <class Raw, class Function, class Convert, class... Arguments>
  auto ask(std::string_view name, Function* function, Convert convert,
           Arguments... arguments) const {
    using T = std::remove_cvref_t<std::invoke_result_t<Convert, Raw&>>;
    if (!absent_.empty()) return missing<T>(absent_);
    if (!function) return missing<T>(no_function(name));
    Raw raw{};
    const NvmlResult result = function(device_, arguments..., &raw);
    if (result != kNvmlSuccess) return missing<T>(refusal(table_, result, name));
    return given<T>(convert(raw));
  }
  Read<unsigned> ask_clock(int which) const {
    return ask<unsigned>("nvmlDeviceGetClockInfo", table_.clock, std::identity(), which);
  }
  Read<double> ask_pcie(int way) const {
    return ask<unsigned>("nvmlDeviceGetPcieThroughput", table_.pcie, kThousands, way);
  }
  Read<unsigned> read_temperature() const;
  Read<std::uint64_t> read_throttle() const;

  NvmlTable table_{};
  NvmlDevice device_ = nullptr;
  bool started_ = false;
  bool part_ = false;  // of a divided device
  std::string absent_;
  Read<std::string> driver_;
};

void LoadedNvml::open(const std::string& uuid, const std::string& library) {
  absent_ = load_nvml(library, table_);
  driver_ = missing<std::string>(absent_);
  if (!absent_.empty()) return;
  if (const NvmlResult result = table_.init(); result != kNvmlSuccess) {
    absent_ = refusal(table_, result, "nvmlInit_v2");
    driver_ = missing<std::string>(absent_);
    return;
  }
  started_ = true;
  driver_ = read_driver();
  if (const NvmlResult result = find(uuid); result != kNvmlSuccess)
    absent_ = refusal(table_, result, fmt::format("nvmlDeviceGetHandleByUUID of {}", uuid));
}

// The driver gives the same 16 bytes for a device and for a part of a divided one; NVML wants to
// know which it is.
NvmlResult LoadedNvml::find(const std::string& uuid) {
  const NvmlResult whole = table_.device_by_uuid(("GPU-" + uuid).c_str(), &device_);
  if (whole == kNvmlSuccess) return whole;
  part_ = table_.device_by_uuid(("MIG-" + uuid).c_str(), &device_) == kNvmlSuccess;
  return part_ ? kNvmlSuccess : whole;
}

Read<std::string> LoadedNvml::read_driver() const {
  if (!table_.driver_version) return missing<std::string>(no_function(kDriverVersion));
  char text[96] = {};
  const NvmlResult result = table_.driver_version(text, sizeof text - 1);
  return result == kNvmlSuccess ? given<std::string>(text)
                                : missing<std::string>(refusal(table_, result, kDriverVersion));
}

std::vector<NvmlUser> users_in(std::span<const NvmlProcess> processes) {
  std::vector<NvmlUser> users;
  for (const NvmlProcess& process : processes) {
    users.push_back({process.pid, std::nullopt});
    if (process.memory != ~0ULL) users.back().memory = process.memory;
  }
  return users;
}

// The number is asked for first; those that come between the two calls are asked for again. There
// is room for entries of twice the length, which some drivers write.
Read<std::vector<NvmlUser>> LoadedNvml::read_users() const {
  using Users = std::vector<NvmlUser>;
  if (!absent_.empty()) return missing<Users>(absent_);
  if (!table_.processes) return missing<Users>(no_function(kNvmlProcesses));
  std::vector<NvmlProcess> raw;
  unsigned room = 8;
  NvmlResult result = kNvmlTooSmall;
  for (int tries = 0; tries < 4 && result == kNvmlTooSmall; ++tries) {
    raw.assign(2 * std::size_t{room}, {});
    unsigned count = room;
    result = table_.processes(device_, &count, raw.data());
    if (result == kNvmlTooSmall)
      room = count + 8;
    else
      raw.resize(result == kNvmlSuccess ? count : 0);
  }
  if (result != kNvmlSuccess) return missing<Users>(refusal(table_, result, kNvmlProcesses));
  if (raw.size() > 1 && driver_.value && !lists_processes(*driver_.value))
    return missing<Users>(
        fmt::format("driver {} may list several processes wrongly", *driver_.value));
  return given(users_in(raw));
}

// Gives one part of an answer, or why there is none, to `to`.
template <class Raw, class Part, class Convert, class T>
void take_part(const Read<Raw>& answer, Part Raw::* part, Convert convert, Read<T>& to) {
  to = answer.value ? given<T>(convert((*answer.value).*part)) : missing<T>(answer.absent);
}

void LoadedNvml::read_load(NvmlReading& reading) const {
  const auto both =
      ask<NvmlUtilization>("nvmlDeviceGetUtilizationRates", table_.utilization, std::identity());
  take_part(both, &NvmlUtilization::device, kPercent, reading.busy);
  take_part(both, &NvmlUtilization::memory, kPercent, reading.memory_busy);
}

void LoadedNvml::read_memory(NvmlReading& reading) const {
  const auto bytes = ask<NvmlMemory>("nvmlDeviceGetMemoryInfo", table_.memory, std::identity());
  take_part(bytes, &NvmlMemory::used, kBits, reading.memory_used);
  take_part(bytes, &NvmlMemory::total, kBits, reading.memory_total);
}

// A part does not answer for the whole.
Read<bool> LoadedNvml::read_divided() const {
  if (part_) return given(true);
  const char* const call = "nvmlDeviceGetMigMode";
  if (!absent_.empty()) return missing<bool>(absent_);
  if (!table_.mig_mode) return missing<bool>(no_function(call));
  unsigned now = 0, after_reset = 0;
  const NvmlResult result = table_.mig_mode(device_, &now, &after_reset);
  return result == kNvmlSuccess ? given(now != 0) : missing<bool>(refusal(table_, result, call));
}

// The newer call may know no such version of its structure.
Read<unsigned> LoadedNvml::read_temperature() const {
  NvmlTemperature newer{kNvmlTemperatureVersion, kNvmlCoreSensor, 0};
  if (absent_.empty() && table_.temperature_v &&
      table_.temperature_v(device_, &newer) == kNvmlSuccess)
    return given(static_cast<unsigned>(std::max(0, newer.celsius)));
  return ask<unsigned>("nvmlDeviceGetTemperature", table_.temperature, std::identity(),
                       kNvmlCoreSensor);
}

Read<std::uint64_t> LoadedNvml::read_throttle() const {
  const bool newer = table_.event_reasons != nullptr;
  return ask<Bits>(newer ? kNvmlEventReasons : kNvmlThrottleReasons,
                   newer ? table_.event_reasons : table_.throttle_reasons, kBits);
}

NvmlReading LoadedNvml::read(bool pcie) const {
  NvmlReading reading;
  read_load(reading);
  read_memory(reading);
  reading.clock_mhz = ask_clock(kNvmlProcessorClock);
  reading.memory_clock_mhz = ask_clock(kNvmlMemoryClock);
  reading.power = ask<unsigned>("nvmlDeviceGetPowerUsage", table_.power, kThousandths);
  reading.power_limit =
      ask<unsigned>("nvmlDeviceGetEnforcedPowerLimit", table_.power_limit, kThousandths);
  reading.energy = ask<Bits>("nvmlDeviceGetTotalEnergyConsumption", table_.energy, kThousandths);
  reading.temperature = read_temperature();
  reading.throttle = read_throttle();
  reading.uncorrected_errors = ask<Bits>("nvmlDeviceGetTotalEccErrors", table_.ecc_errors, kBits,
                                         kNvmlUncorrected, kNvmlSinceReboot);
  reading.users = read_users();
  reading.sent = pcie ? ask_pcie(kNvmlSent) : missing<double>(kNotAsked);
  reading.received = pcie ? ask_pcie(kNvmlReceived) : missing<double>(kNotAsked);
  reading.pcie_generation =
      ask<unsigned>("nvmlDeviceGetCurrPcieLinkGeneration", table_.pcie_generation, std::identity());
  reading.pcie_width =
      ask<unsigned>("nvmlDeviceGetCurrPcieLinkWidth", table_.pcie_width, std::identity());
  reading.divided = read_divided();
  return reading;
}

}  // namespace

bool lists_processes(std::string_view driver) noexcept {
  const std::size_t point = driver.find('.');
  const auto number = [](std::string_view text) {
    int value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  };
  const int branch = number(driver.substr(0, point));
  const int of_branch = point == std::string_view::npos ? 0 : number(driver.substr(point + 1));
  return branch < 530 || branch > 535 || (branch == 535 && of_branch >= 154);
}

std::unique_ptr<NvmlProbe> make_nvml_probe(const std::string& uuid, const std::string& library) {
  return std::make_unique<LoadedNvml>(uuid, library);
}

}  // namespace benchbench::cuda
