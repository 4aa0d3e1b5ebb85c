#include "harness/record/external_way.h"

#include "harness/record/keys.h"
#include "harness/record/named_parts.h"
#include "harness/record/setting_keys.h"

namespace benchbench {

ExternalWay external_way(const SettingsMap& settings, const Catalog& catalog) {
  const bool loader = external_loader(settings, catalog);
  const bool trainer = external_trainer(settings, catalog);
  if (loader && trainer) return ExternalWay::all_there;
  if (loader)
    return settings.get(keys::trainer.use) == "discard" ? ExternalWay::self_timed
                                                        : ExternalWay::hand_over;
  if (!trainer) return ExternalWay::none;
  const bool of_their_own = external_loader(settings, catalog, kRepeated);
  return of_their_own && repeats_batches(settings.get(keys::loader.use)) ? ExternalWay::replayed
                                                                         : ExternalWay::hand_over;
}

bool steps_in_users_process(const SettingsMap& settings, const Catalog& catalog) {
  return external_trainer(settings, catalog) || runs_externally(external_way(settings, catalog));
}

}  // namespace benchbench
