#include <algorithm>

#include "harness/config/rules.h"
#include "harness/record/device_presets.h"
#include "harness/record/setting_keys.h"

namespace benchbench::config {
namespace {

constexpr std::string_view kEmulated = "trainer.emulated.", kWait = keys::trainer.device_wait,
                           kAt = "trainer.at";

void drop_emulated(const RuleContext& c, std::string_view device) {
  const auto is_given = [](const auto& pair) { return pair.second.text() != "none"; };
  if (std::ranges::any_of(c.settings.below(kEmulated), is_given))
    note(c.decisions, "trainer.emulated has no effect: trainer.device is {}", device);
  c.settings.erase_prefix(kEmulated);
}

// Only a driver has two ways to wait.
void drop_wait(const RuleContext& c, std::string_view device) {
  if (is_cuda(device)) return;
  if (c.entry(kWait)) note(c.decisions, "{} has no effect: trainer.device is {}", kWait, device);
  c.settings.erase(kWait);
}

}  // namespace

void settle_device(const RuleContext& c) {
  if (!c.settings.has(keys::trainer.device)) return;
  const std::string device = c.settings.get(keys::trainer.device);
  if (!c.entry(kAt)) c.settings.erase(kAt);
  if (!has_own_memory(device))
    for (const std::string_view key : upload_keys())
      if (!c.entry(key)) c.settings.erase(key);
  drop_wait(c, device);
  if (device != "emulated") return drop_emulated(c, device);
  note(c.decisions, "trainer.device emulates an accelerator: {}",
       text_of(emulated_device_of(c.settings)));
}

}  // namespace benchbench::config
