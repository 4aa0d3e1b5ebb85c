#include "harness/config/replaced.h"

#include <algorithm>

#include "harness/config/key_table.h"

namespace benchbench::config {
namespace {

std::string text_of(const SettingsMap& settings, const std::string& key) {
  const Value* value = settings.find(key);
  return value ? value->text() : "";
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
      Replaced replaced{name_of_layer(*layers[n]), e.key, text_of(before, e.key),
                        text_of(after, e.key)};
      if (replaced.from != replaced.to) all.push_back(std::move(replaced));
    }
  return all;
}

std::vector<std::string> mocks_of(const Scenario& scenario, const Catalog& catalog) {
  std::vector<std::string> mocks;
  const auto look = [&](const std::string& key, const Value& value) {
    for (const PartKind kind : {PartKind::loader, PartKind::trainer}) {
      const std::string section(name_of(kind));
      if (key != section + ".use") continue;
      const PartRow* row = catalog.find(kind, value.text());
      std::string mock = section + "=" + value.text();
      if (row && row->description->mock && std::ranges::find(mocks, mock) == mocks.end())
        mocks.push_back(std::move(mock));
    }
  };
  for (const auto& [key, value] : scenario.base.all()) look(key, value);
  for (const Axis& axis : scenario.axes)
    for (const AxisValue& v : axis.values)
      for (const auto& [key, value] : v.set) look(key, value);
  return mocks;
}

}  // namespace benchbench::config
