#include "harness/config/device_rules.h"

#include <fmt/format.h>

#include "harness/record/device_presets.h"
#include "harness/record/setting_keys.h"

namespace benchbench::config {
namespace {

constexpr std::string_view kEmulated = "trainer.emulated.", kWait = keys::trainer.device_wait,
                           kAt = "trainer.at";

void drop_emulated(SettingsMap& settings, std::string_view device,
                   std::vector<std::string>& decisions) {
  bool any = false;
  for (const auto& [key, value] : settings.all())
    any = any || (key.starts_with(kEmulated) && value.text() != "none");
  if (any)
    decisions.push_back(
        fmt::format("trainer.emulated has no effect: trainer.device is {}", device));
  settings.erase_prefix(kEmulated);
}

// Only a driver has two ways to wait.
void drop_wait(SettingsMap& settings, bool given, std::string_view device,
               std::vector<std::string>& decisions) {
  if (is_cuda(device)) return;
  if (given)
    decisions.push_back(fmt::format("{} has no effect: trainer.device is {}", kWait, device));
  settings.erase(kWait);
}

}  // namespace

void settle_device(SettingsMap& settings, const Given& given, std::vector<std::string>& decisions) {
  if (!settings.has(keys::trainer.device)) return;
  const std::string device = settings.get(keys::trainer.device);
  if (!given.contains(std::string(kAt))) settings.erase(kAt);
  if (!has_own_memory(device))
    for (const std::string_view key : upload_keys())
      if (!given.contains(std::string(key))) settings.erase(key);
  drop_wait(settings, given.contains(std::string(kWait)), device, decisions);
  if (device != "emulated") return drop_emulated(settings, device, decisions);
  decisions.push_back(fmt::format("trainer.device emulates an accelerator: {}",
                                  text_of(emulated_device_of(settings))));
}

}  // namespace benchbench::config
