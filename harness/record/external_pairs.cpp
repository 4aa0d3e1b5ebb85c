#include "harness/record/external_pairs.h"

#include <fmt/format.h>

namespace benchbench {

const PartDescription* external_part(PartKind kind, std::string_view name, const Catalog& catalog) {
  const PartRow* row = catalog.find(kind, name);
  return row && row->description->external ? row->description : nullptr;
}

bool is_external(PartKind kind, std::string_view name, const Catalog& catalog) {
  return external_part(kind, name, catalog) != nullptr;
}

bool external_loader(const SettingsMap& settings, const Catalog& catalog, std::string_view prefix) {
  const Value* use = settings.find(std::string(prefix) + "loader.use");
  return use && is_external(PartKind::loader, use->text(), catalog);
}

bool external_trainer(const SettingsMap& settings, const Catalog& catalog) {
  const Value* use = settings.find("trainer.use");
  return use && is_external(PartKind::trainer, use->text(), catalog);
}

bool repeats_batches(std::string_view loader) noexcept {
  return loader == "cached_batch" || loader == "rate_limited";
}

std::string why_no_pair(std::string_view loader, std::string_view trainer, const Catalog& catalog) {
  if (!is_external(PartKind::trainer, trainer, catalog) ||
      is_external(PartKind::loader, loader, catalog))
    return {};
  if (repeats_batches(loader) || loader == "synthetic") return {};
  return fmt::format(
      "loader {0} cannot feed trainer {1}: a step of yours takes batches of your own loader "
      "(loader.use: {1}) or those of cached_batch, synthetic and rate_limited; loader {0} can be "
      "measured with any other trainer",
      loader, trainer);
}

}  // namespace benchbench
