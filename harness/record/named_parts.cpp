#include "harness/record/named_parts.h"
#include "harness/record/setting_keys.h"

#include <fmt/format.h>

namespace benchbench {

const PartRow* find_part(const NamedPart& part, const SettingsMap& settings,
                         const Catalog& catalog) {
  const Value* name = settings.find(part.use);
  return name ? catalog.find(part.kind, name->text()) : nullptr;
}

const PartRow* find_loader(const SettingsMap& settings, const Catalog& catalog) {
  return find_part(kNamedParts[0], settings, catalog);
}

const PartRow* find_trainer(const SettingsMap& settings, const Catalog& catalog) {
  return find_part(kNamedParts[1], settings, catalog);
}

namespace {

void check_channels(const PartDescription& trainer, const SettingsMap& settings) {
  for (const char* key : {"loader.channels", "loader.of.channels"})
    if (settings.has(key) && settings.integer(key) != trainer.channels)
      throw ScenarioError(fmt::format("trainer {} takes images of {} channels, but {} is {}",
                                      trainer.name, trainer.channels, key, settings.integer(key)),
                          fmt::format("set {} to {}", key, trainer.channels));
}

// Throws ScenarioError where the loader is known to make other images than the trainer takes, or
// none; not where the loader is measured alone.
void check_images(const PartDescription& trainer, const SettingsMap& settings) {
  if (settings.get_if(keys::measure.modes) == "loader") return;
  for (const char* key : {"loader.payload", "loader.of.payload"})
    if (trainer.data == DataKind::image && settings.text_or(key) == "raw_bytes")
      throw ScenarioError(
          fmt::format("trainer {} takes images, but {}: raw_bytes decodes none", trainer.name, key),
          fmt::format("leave out {}", key));
  if (trainer.channels > 0) check_channels(trainer, settings);
}

// Throws ScenarioError where made sequences have tokens that the trainer has no embedding of.
void check_vocabulary(const SettingsMap& settings) {
  constexpr const char *made = "dataset.synthesize.tokens.vocab_size",
                       *known = "trainer.vocab_size";
  if (!settings.given(made) || !settings.given(known) ||
      settings.integer(made) <= settings.integer(known))
    return;
  throw ScenarioError(fmt::format("{} is {}, but {} is {}", known, settings.integer(known), made,
                                  settings.integer(made)),
                      fmt::format("set {} to {}", known, settings.integer(made)));
}
}  // namespace

std::optional<ScenarioError> find_contradiction(const NamedPart& part, const SettingsMap& settings,
                                                const Catalog& catalog) try {
  const PartRow* row = find_part(part, settings, catalog);
  if (row && row->description->check)
    row->description->check(PrefixedSettings(settings, std::string(part.prefix)));
  if (row && part.kind == PartKind::trainer) {
    check_images(*row->description, settings);
    check_vocabulary(settings);
  }
  return std::nullopt;
} catch (const ScenarioError& error) {
  return error;
}

const PartDescription* external_part(PartKind kind, std::string_view name, const Catalog& catalog) {
  const PartRow* row = catalog.find(kind, name);
  return row && row->description->external ? row->description : nullptr;
}

bool is_external(PartKind kind, std::string_view name, const Catalog& catalog) {
  return external_part(kind, name, catalog) != nullptr;
}

bool external_loader(const SettingsMap& settings, const Catalog& catalog,
                     std::string_view section) {
  const Value* use = settings.find(std::string(section) + "use");
  return use && is_external(PartKind::loader, use->text(), catalog);
}

bool external_trainer(const SettingsMap& settings, const Catalog& catalog) {
  return is_external(PartKind::trainer, settings.get_if(keys::trainer.use).value_or(""), catalog);
}

bool repeats_batches(std::string_view loader) noexcept {
  return loader == "cached_batch" || loader == "rate_limited";
}

}  // namespace benchbench
