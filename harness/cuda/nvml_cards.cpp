#include <string_view>

#include "harness/cuda/nvml_probe.h"

namespace benchbench::cuda {
namespace {

using TextCall = NvmlResult (*)(NvmlDevice device, char* text, unsigned length);

// "" where there is none.
std::string text_from(TextCall call, NvmlDevice device) {
  char text[96] = {};
  return call && call(device, text, sizeof text - 1) == kNvmlSuccess ? text : "";
}

std::vector<NvmlCard> list_cards(const NvmlTable& table) {
  constexpr std::string_view kWhole = "GPU-";
  std::vector<NvmlCard> cards;
  unsigned count = 0;
  if (table.device_count(&count) != kNvmlSuccess) return cards;
  for (unsigned i = 0; i < count; ++i) {
    NvmlDevice device = nullptr;
    if (table.device_by_index(i, &device) != kNvmlSuccess) continue;
    const std::string uuid = text_from(table.uuid, device);
    if (uuid.starts_with(kWhole))
      cards.push_back({uuid.substr(kWhole.size()), text_from(table.model, device)});
  }
  return cards;
}

}  // namespace

std::vector<NvmlCard> list_nvml_cards(const std::string& library) {
  NvmlTable table{};
  if (!load_nvml(library, table).empty() || !table.device_count || !table.device_by_index ||
      table.init() != kNvmlSuccess)
    return {};
  const auto cards = list_cards(table);
  (void)table.shutdown();
  return cards;
}

}  // namespace benchbench::cuda
