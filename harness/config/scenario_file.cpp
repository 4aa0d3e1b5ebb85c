#include "harness/config/scenario_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <filesystem>

#include "harness/config/automatic.h"
#include "harness/config/layer.h"
#include "harness/config/named_libraries.h"
#include "harness/config/replaced.h"
#include "harness/config/resolve.h"
#include "harness/config/sweep.h"
#include "harness/config/users_code.h"
#include "harness/core/digest.h"
#include "harness/record/named_parts.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace config {
namespace {

using Layers = std::vector<const Layer*>;

class Loading {
 public:
  Loading(const ScenarioRequest& request, const Catalog& catalog)
      : request_(request), catalog_(catalog) {}

  Scenario run() {
    read_file();
    read_overlays();
    libraries_.throw_if_any();  // which keys there are is not known without them
    choose_variants();
    const Resolved base = resolve(layers(device_), device_, catalog_, diagnostics_);
    resolve_sweep(base);
    check_other_variants();
    diagnostics_.throw_if_any();
    scenario_.base = base.settings;
    tell_shuffle(base);
    yield_budget();
    look_at_code(base);
    settle_automatic(scenario_, request_, base.given, catalog_);
    note_subject();
    return std::move(scenario_);
  }

 private:
  // Judged already, as part of all layers: what is said of the file alone is not.
  void note_subject() {
    Diagnostics unsaid;
    const SettingsMap alone = resolve({&file_}, device_, catalog_, unsaid).settings;
    scenario_.replaced = replaced_by(layers(device_), alone, scenario_.base);
    scenario_.mocks = mocks_of(scenario_, catalog_);
  }

  // Printed back as it was written, with what it comes to; an axis says it by its labels.
  void tell_shuffle(const Resolved& base) {
    const Entry* access = find_entry(base.given, keys::loader.access);
    if (!access || access->written != "loader.shuffle") return;
    note(scenario_.decisions, "loader.shuffle: {} is loader.access: {}", access->value->text,
         base.settings.get(keys::loader.access));
  }

  // A file that is no YAML map says so at once: whatever else could be said would follow from that.
  void read_file() {
    std::string text = read_scenario_text(request_.path, diagnostics_);
    diagnostics_.throw_if_any();
    scenario_.source = request_.path;
    scenario_.source_digest = digest_of(text).text();
    const Source& source =
        sources_.emplace_back(request_.path == "-" ? "stdin" : request_.path, std::move(text));
    std::optional<YamlNode> tree = parse_yaml(source, diagnostics_);
    if (!tree) diagnostics_.throw_if_any();
    YamlNode& root = trees_.emplace_back(std::move(*tree));
    settle_libraries(root, "", folder_of_file(), request_.load_library, libraries_);
    require_scenario(root, source);
    file_.top = {&source, 1, 1, 1};
    file_.name = "the file";
    LayerReader(file_, diagnostics_, {.title = true, .sweep = true, .variants = true}).read(root);
    if (const YamlMember* variants = root.find("variants")) read_variants(*variants);
  }

  void require_scenario(const YamlNode& root, const Source& source) {
    if (root.map()) return;
    diagnostics_.add(
        root.at.source ? Span{&source, root.at.line, root.at.column, 1} : Span{&source, 1, 1, 1},
        "the file contains no scenario: it needs `loader:` and `trainer:`");
    diagnostics_.throw_if_any();
  }

  std::string folder_of_file() const {
    return std::filesystem::path(request_.path).parent_path().string();
  }

  void read_variants(const YamlMember& variants) {
    if (!variants.value.map())
      return diagnostics_.add(variants.value.at,
                              "variants takes names, each with the keys that it changes");
    for (const YamlMember& m : variants.value.members) {
      Layer& layer = variants_[m.key];
      layer.top = m.at;
      layer.name = fmt::format("variant {}", m.key);
      if (m.value.map())
        LayerReader(layer, diagnostics_, {.sweep = true}).read(m.value);
      else
        diagnostics_.add(m.value.at, "{} takes the keys that it changes", layer.name);
    }
  }

  void read_overlays() {
    set_.name = "--set";
    sweep_.name = "--sweep";
    only_.name = "--only";
    only_.only = !request_.only.empty();
    for (const Overlay& o : request_.sets)
      if (const YamlNode* value =
              parse_overlay(o.option.empty() ? "--set" : o.option, o, o.text, 0))
        read_one_set(o, *value);
    for (const Overlay& o : request_.only) read_one_axis("--only", o, only_);
    for (const Overlay& o : request_.sweeps) read_one_axis("--sweep", o, sweep_);
    check_one_sweep();
  }

  void read_one_axis(const char* option, const Overlay& o, Layer& layer) {
    const bool bare = o.text.empty() || o.text.front() != '[';
    const YamlNode* value =
        parse_overlay(option, o, bare ? "[" + o.text + "]" : o.text, bare ? -1 : 0);
    if (!value) return;
    if (const Entry* before = axis_in(layer, o.key))
      return diagnostics_.add(key_place(o), "{} {} is given twice: list all its values at once",
                              option, before->written);
    LayerReader(layer, diagnostics_).read_axis(o.key, key_place(o), *value);
  }
  static const Entry* axis_in(const Layer& layer, const std::string& key) {
    return find_element(layer.axes, canonical_key(key), &Entry::key);
  }

  // The command line says once what is swept.
  void check_one_sweep() {
    for (const Layer* layer : {&only_, &sweep_})
      for (const Entry& e : layer->axes)
        if (set_.no_sweep)
          diagnostics_.add(
              e.at, "{} {} adds an axis, but --set sweep=none empties the sweep: drop one of them",
              layer->name, e.written);
    if (!only_.only) return;
    for (const Layer* layer : {&set_, &sweep_})
      for (const Entry& e : layer->axes)
        if (axis_in(only_, e.key))
          diagnostics_.add(e.at, "the axis {} is given by {} and by --only: drop one of them",
                           e.written, layer->name);
        else if (layer == &set_)
          diagnostics_.add(
              e.at, "--only drops the axis {} that --set gives: give it with --only or --sweep",
              e.written);
  }

  // Of two --set of one key the last counts, as on other command lines.
  void read_one_set(const Overlay& o, const YamlNode& value) {
    Layer one;
    LayerReader(one, diagnostics_, {.title = true, .sweep = true})
        .read_member(set_members_.emplace_back(YamlMember{o.key, key_place(o), value}));
    const auto take = [](std::vector<Entry>& into, std::vector<Entry>& from) {
      for (Entry& e : from) {
        std::erase_if(into, [&](const Entry& old) { return old.key == e.key; });
        into.push_back(std::move(e));
      }
    };
    take(set_.entries, one.entries);
    if (one.no_sweep) set_.axes.clear(), set_.no_sweep = one.no_sweep;
    take(set_.axes, one.axes);
    take(set_.mode, one.mode);
    take(set_.title, one.title);
  }

  // nullptr, with a diagnostic, where the text after `=` is no YAML. `shift` is by how much `yaml`
  // begins before it.
  const YamlNode* parse_overlay(const std::string& option, const Overlay& o,
                                const std::string& yaml, int shift) {
    const Source& source = sources_.emplace_back(option, o.before_text() + o.text);
    const int column = static_cast<int>(o.before_text().size()) + 1;
    auto tree = parse_yaml(source, yaml, column + shift, diagnostics_);
    if (!tree) return nullptr;
    if (tree->kind == YamlNode::Kind::none) tree->at = {&source, 1, column, 1};
    settle_libraries(*tree, canonical_key(o.key), "", request_.load_library, libraries_);
    return &trees_.emplace_back(std::move(*tree));
  }
  Span key_place(const Overlay& o) const {
    return {&sources_.back(), 1, 1, static_cast<int>(o.before_text().size()) - 1};
  }

  void choose_variants() {
    for (const std::string& name : request_.variants) {
      if (const Layer* found = find_value(variants_, name))
        chosen_.push_back(found);
      else
        refuse_variant(name);
    }
    Layers without{&file_};
    without.insert(without.end(), chosen_.begin(), chosen_.end());
    without.push_back(&set_);
    device_ =
        base_device(without, request_, cuda_use(layers("cuda:0"), catalog_), scenario_.decisions);
    refuse_devices_in_variants();
    tell_variants();
  }

  void tell_variants() {
    if (const Layer* laid = device_layer(device_))
      note(scenario_.decisions, "{} applied: trainer.device is {}", laid->name, device_);
    for (const Layer* v : chosen_) note(scenario_.decisions, "{} applied: --variant", v->name);
  }

  void refuse_devices_in_variants() {
    for (const std::string name : {"cpu", "cuda", "emulated"})
      if (const Layer* variant = find_value(variants_, name))
        if (const Entry* e =
                find_element(variant->entries, std::string_view(keys::trainer.device), &Entry::key))
          diagnostics_.add(e->at, "variant {} is applied by device and cannot set trainer.device",
                           name);
  }

  // Who asks for ten rounds on the command line does not want the file's budget to make three of
  // them.
  void yield_budget() {
    const auto gives = [&](std::string_view key) {
      return contains(set_.entries, key, &Entry::key);
    };
    if (!gives(keys::measure.rounds) || gives(keys::measure.budget) ||
        !scenario_.base.has(keys::measure.budget))
      return;
    note(scenario_.decisions, "measure.budget of {} dropped: --set gives measure.rounds",
         scenario_.base.text(keys::measure.budget));
    scenario_.base.erase(keys::measure.budget);
  }

  void refuse_variant(const std::string& name) {
    std::vector<std::string> names;
    for (const auto& [n, layer] : variants_) names.push_back(n);
    const Source& source = sources_.emplace_back("--variant", name);
    diagnostics_.add({&source, 1, 1, static_cast<int>(name.size())}, no_variant_text(name, names));
  }

  const Layer* device_layer(const std::string& device) const {
    return find_value(variants_, device.starts_with("cuda") ? "cuda"
                                 : device == "emulated"     ? device
                                                            : "cpu");
  }

  Layers layers(const std::string& device) const {
    Layers all{&file_};
    if (const Layer* laid = device_layer(device)) all.push_back(laid);
    for (const Layer* v : chosen_)
      if (!contains(all, v)) all.push_back(v);
    all.push_back(&set_);
    all.push_back(&only_);
    all.push_back(&sweep_);
    return all;
  }

  void resolve_sweep(const Resolved& base) {
    const Layers all = layers(device_);
    scenario_.decisions.insert(scenario_.decisions.end(), base.decisions.begin(),
                               base.decisions.end());
    const SweepContext context{all, base, device_, [&](const std::string& d) { return layers(d); },
                               catalog_};
    written_ = collect_axes(all, scenario_.decisions);
    scenario_.axes = build_axes(written_, context, scenario_.decisions, diagnostics_);
    scenario_.mode = sweep_mode(all, diagnostics_);
    if (scenario_.mode == SweepMode::zip) check_zip(scenario_.axes, written_, diagnostics_);
    read_title(all, scenario_, diagnostics_);
  }

  void look_at_code(const Resolved& base) {
    look_at_users_code(scenario_, {base.given, written_, request_, catalog_}, diagnostics_);
    diagnostics_.throw_if_any();
  }

  // Variants not laid on this time are judged too, so that a file is right on every machine or on
  // none.
  void check_other_variants() {
    const Layers used = layers(device_);
    for (const auto& [name, layer] : variants_) {
      if (contains(used, &layer)) continue;
      const Layers both{&file_, &layer};
      std::vector<std::string> unsaid;
      const std::string device = name == "cuda" ? "cuda:0" : name == "emulated" ? name : device_;
      const Resolved resolved = resolve(both, device, catalog_, diagnostics_);
      const SweepContext context{both, resolved, device, [&](const std::string&) { return both; },
                                 catalog_};
      build_axes(collect_axes(both, unsaid), context, unsaid, diagnostics_);
      sweep_mode(both, diagnostics_);
    }
  }

  const ScenarioRequest& request_;
  const Catalog& catalog_;
  Diagnostics diagnostics_;
  Diagnostics libraries_;       // what is wrong with those of the user's own
  std::deque<Source> sources_;  // deques: what points into them stays
  std::deque<YamlNode> trees_;
  std::deque<YamlMember> set_members_;
  Layer file_, set_, only_, sweep_;
  std::map<std::string, Layer> variants_;
  Layers chosen_;
  std::vector<WrittenAxis> written_;
  std::string device_;
  Scenario scenario_;
};

}  // namespace
}  // namespace config

Scenario load_scenario(const ScenarioRequest& request, const Catalog& catalog) {
  return config::Loading(request, catalog).run();
}

}  // namespace benchbench
