#include "harness/config/replaced.h"

#include "harness/config/key_table.h"
#include "harness/core/contains.h"

namespace benchbench::config {
namespace {

std::string text_of(const SettingsMap& settings, const std::string& key) {
  const Value* value = settings.find(key);
  return value ? value->text() : "";
}

// Returns "loader=synthetic" where the key names a mock; "" elsewhere.
std::string mock_named(const std::string& key, const Value& value, const Catalog& catalog) {
  for (const PartKind kind : {PartKind::loader, PartKind::trainer}) {
    if (key != fmt::format("{}.use", name_of(kind))) continue;
    const PartRow* row = catalog.find(kind, value.text());
    if (row && row->description->mock) return fmt::format("{}={}", name_of(kind), value.text());
  }
  return "";
}

std::string name_of_layer(const Layer& layer) {
  constexpr std::string_view kVariant = "variant ";
  return layer.name.starts_with(kVariant) ? layer.name.substr(kVariant.size()) : layer.name;
}

}  // namespace

std::vector<Replaced> replaced_by(const std::vector<const Layer*>& layers,
                                  const SettingsMap& before, const SettingsMap& after) {
  std::vector<Replaced> all;
  for (std::size_t n = 1; n < layers.size(); ++n)
    for (const Entry& e : layers[n]->entries) {
      if (section_of(e.key) == "measure") continue;
      std::erase_if(all, [&](const Replaced& r) { return r.key == e.key; });
      const std::string from = text_of(before, e.key), to = text_of(after, e.key);
      if (from != to) all.push_back({name_of_layer(*layers[n]), e.key, from, to});
    }
  return all;
}

std::vector<std::string> mocks_of(const Scenario& scenario, const Catalog& catalog) {
  std::vector<std::string> mocks;
  const auto look = [&](const std::string& key, const Value& value) {
    const std::string mock = mock_named(key, value, catalog);
    if (!mock.empty() && !contains(mocks, mock)) mocks.push_back(mock);
  };
  for (const auto& [key, value] : scenario.base.all()) look(key, value);
  for (const Axis& axis : scenario.axes)
    for (const AxisValue& v : axis.values)
      for (const auto& [key, value] : v.set) look(key, value);
  return mocks;
}

}  // namespace benchbench::config
