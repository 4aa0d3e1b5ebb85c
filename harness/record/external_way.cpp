#include "harness/record/external_way.h"

namespace benchbench {
namespace {

bool is_external(const SettingsMap& settings, std::string_view key, PartKind kind, const Catalog& catalog) {
  if (!settings.given(key)) return false;
  const PartRow* row = catalog.find(kind, settings.text(key));
  return row && row->description->external;
}

// Made of batches of another loader; both know no data of their own.
bool repeats_batches(const std::string& loader) { return loader == "cached_batch" || loader == "rate_limited"; }

}  // namespace

ExternalWay external_way(const SettingsMap& settings, const Catalog& catalog) {
  const bool loader = is_external(settings, "loader.use", PartKind::loader, catalog);
  const bool trainer = is_external(settings, "trainer.use", PartKind::trainer, catalog);
  if (loader && trainer) return ExternalWay::all_there;
  if (loader) return settings.text("trainer.use") == "discard" ? ExternalWay::self_timed : ExternalWay::hand_over;
  if (!trainer) return ExternalWay::none;
  const bool of_their_own = is_external(settings, "prototype.loader.use", PartKind::loader, catalog);
  return of_their_own && repeats_batches(settings.text("loader.use")) ? ExternalWay::replayed : ExternalWay::hand_over;
}

}  // namespace benchbench
