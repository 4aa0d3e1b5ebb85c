#include "harness/config/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/config/automatic.h"
#include "harness/config/rules.h"
#include "harness/config/value_check.h"
#include "harness/record/external_keys.h"
#include "harness/record/setting_keys.h"

namespace benchbench::config {
namespace {

constexpr std::string_view kDevice = keys::trainer.device;

bool is_part_axis(const std::string& key) { return key.find('.') == std::string::npos; }

// Keys that others follow: what a value changes is found by resolving the whole point.
bool has_followers(const std::string& key) {
  return is_part_axis(key) || part_kind_named_by(key) || key == kDevice ||
         key == keys::dataset.path || key == "loader.python" || key == "trainer.python";
}

bool drops(const Entry& axis) { return !axis.value->list(); }

// --set of a key ends its sweep; of `use`, also that of the whole part.
bool ended_by(const std::string& axis, const Layer& set) {
  return std::ranges::any_of(set.entries, [&](const Entry& e) {
    return e.key == axis ||
           (is_part_axis(axis) && (e.key == axis + ".use" || e.key == axis + ".format")) ||
           (axis == keys::dataset.path && e.key.starts_with("dataset.synthesize"));
  });
}

void end_sweeps(std::vector<WrittenAxis>& axes, const Layer& set,
                std::vector<std::string>& decisions) {
  std::erase_if(axes, [&](const WrittenAxis& a) {
    if (!ended_by(a.key(), set)) return false;
    note(decisions, "sweep of {} dropped: --set gives it a single value", a.entry->written);
    return true;
  });
}

// `sweep: none` empties the sweep, and --only gives it anew: axes that it gives itself are
// replaced, the others dropped.
void empty_sweep(std::vector<WrittenAxis>& axes, const Layer& layer,
                 std::vector<std::string>& decisions) {
  if (!layer.no_sweep && !layer.only) return;
  for (const WrittenAxis& a : axes)
    if (!contains(layer.axes, a.key(), &Entry::key))
      note(decisions, "sweep of {} dropped: {}", a.entry->written,
           layer.only ? std::string("--only names the axes")
                      : fmt::format("{} sets sweep: none", layer.name));
  axes.clear();
}

void lay_axis(std::vector<WrittenAxis>& axes, WrittenAxis axis) {
  const auto same = std::ranges::find(axes, axis.entry->key, &WrittenAxis::key);
  if (same != axes.end())
    *same = axis;
  else
    axes.push_back(axis);
}

std::string label_of(const std::string& part, const Layer& item) {
  std::string given;
  for (const Entry& e : item.entries)
    if (part_kind_named_by(e.key) == nullptr || e.written == keys::loader.access ||
        e.written == "loader.shuffle")
      given += fmt::format("{}{}={}", given.empty() ? "" : " ",
                           e.written.substr(section_of(e.key).size() + 1), e.value->text);
  return given.empty() ? part : fmt::format("{}({})", part, given);
}

// What has to change to get from one point's settings to another's.
AxisValue difference(std::string label, const SettingsMap& from, const SettingsMap& to) {
  AxisValue value{std::move(label), {}, {}};
  for (const auto& [key, held] : from.all())
    if (!to.has(key)) value.erase.push_back(key);
  for (const auto& [key, held] : to.all()) {
    const Value* before = from.find(key);
    if (!before || !(*before == held)) value.set.emplace_back(key, held);
  }
  return value;
}

bool differs_under_one_label(const Axis& axis, const AxisValue& value) {
  return std::ranges::any_of(axis.values, [&](const AxisValue& other) {
    return other.label == value.label && (other.set != value.set || other.erase != value.erase);
  });
}

// A value given several times is measured as often: an A/A by hand.
void number_repeats(Axis& axis) {
  std::map<std::string, std::uint32_t> count;
  for (AxisValue& value : axis.values) value.repeat = ++count[value.label];
  for (AxisValue& value : axis.values)
    if (count[value.label] == 1) value.repeat = 0;
}

class AxisBuilder {
 public:
  AxisBuilder(const SweepContext& context, std::vector<std::string>& decisions,
              Diagnostics& diagnostics)
      : context_(context),
        decisions_(decisions),
        diagnostics_(diagnostics),
        table_(context.base.selection, context.catalog) {}

  // An axis without values where it does not fit this scenario.
  Axis build(const WrittenAxis& written) {
    const Entry& entry = *written.entry;
    Axis axis{entry.written, {}};
    if (!fits(written)) return axis;
    if (entry.value->items.size() > kMaxPoints) {
      diagnostics_.add(entry.at, "the axis {} has {} values; a plan holds at most {} points",
                       entry.written, entry.value->items.size(), kMaxPoints);
      return axis;
    }
    for (const YamlNode& item : entry.value->items) add_value(entry, item, axis);
    number_repeats(axis);
    return axis;
  }

 private:
  bool fits(const WrittenAxis& written) {
    const Entry& entry = *written.entry;
    const Selection& base = context_.base.selection;
    if (const std::string why = why_not_swept(entry.key, base, context_.catalog); !why.empty()) {
      diagnostics_.add(entry.at, "{} cannot be swept: {}", entry.written, why);
      return false;
    }
    if (is_part_axis(entry.key) || table_.find(entry.key) || table_.cannot_judge(entry.key))
      return true;
    const KeyTable as_written(context_.base.selections.at(written.layer), context_.catalog);
    const std::string_view section = section_of(entry.key);
    if (as_written.find(entry.key))
      note(decisions_, "sweep of {} dropped: {} {} has no such setting", entry.written, section,
           base.part_of(section));
    else
      diagnostics_.add(entry.at, as_written.unknown(entry.key, entry.written));
    return false;
  }

  void add_value(const Entry& entry, const YamlNode& item, Axis& axis) {
    const std::size_t before = diagnostics_.count();
    AxisValue value = value_of(entry, item);
    if (diagnostics_.count() > before) return;
    if (differs_under_one_label(axis, value))
      diagnostics_.add(item.at, "{} is in the axis {} twice", value.label, entry.written);
    axis.values.push_back(std::move(value));
    if (entry.key == kDevice) add_swept_on(entry, item, axis);
  }

  AxisValue value_of(const Entry& axis, const YamlNode& item) {
    if (is_part_axis(axis.key)) return part_value(axis, item);
    const Entry entry{axis.key, axis.written, item.at, &item};
    if (has_followers(axis.key)) return resolved_value(axis, entry);
    const KnownKey* known = table_.find(axis.key);
    if (!known) return {item.text, {}, {}};
    const auto value = check_value(entry, *known, context_.catalog, diagnostics_);
    if (!value) return {};
    if (!is_auto(*value) || known->parameter->type == ParameterType::text)
      return {exact_text(axis.key, *value), {}, {{axis.key, *value}}};
    diagnostics_.add(item.at, "{}: auto is not allowed in a sweep: list the values to try",
                     axis.written);
    return {};
  }

  AxisValue part_value(const Entry& axis, const YamlNode& item) {
    if (!item.map() || item.members.empty()) {
      diagnostics_.add(item.at, "a value of the axis {} is a map, such as {{use: ...}}",
                       axis.written);
      return {};
    }
    return resolved_with(axis, layer_of(axis, item), {});
  }

  Layer layer_of(const Entry& axis, const YamlNode& item) {
    Layer layer;
    layer.name = axis.written;
    LayerReader(layer, diagnostics_).read_set(axis.key, item.at, item);
    return layer;
  }

  std::string device_of(const YamlNode& item) const {
    return item.text == "auto" ? context_.device : item.text == "cuda" ? "cuda:0" : item.text;
  }

  // Returns the layers that only a point on this device has.
  std::vector<const Layer*> own_layers_on(const std::string& device) const {
    std::vector<const Layer*> own = context_.layers_on(device);
    std::erase_if(own, [&](const Layer* l) { return std::ranges::count(context_.layers, l) > 0; });
    return own;
  }

  void add_swept_on(const Entry& device, const YamlNode& item, Axis& axis) {
    Diagnostics said_elsewhere;
    if (sweep_mode(context_.layers, said_elsewhere) == SweepMode::zip) return;
    const AxisValue plain = axis.values.back();
    for (const Layer* layer : own_layers_on(device_of(item)))
      for (const Entry& inner : layer->axes)
        if (inner.key != kDevice && inner.value->list())
          for (const YamlNode& value : inner.value->items)
            add_inner(device, item, layer_of(inner, value), plain, axis);
  }

  void add_inner(const Entry& device, const YamlNode& item, const Layer& inner,
                 const AxisValue& plain, Axis& axis) {
    std::vector<const Layer*> layers = context_.layers_on(plain.label);
    const Layer on = layer_of(device, item);
    layers.insert(layers.end(), {&on, &inner});
    const Resolved point = resolve_on(layers);
    std::string label = plain.label;
    for (const Entry& e : inner.entries)
      label += fmt::format(" {}={}", e.written.substr(section_of(e.key).size() + 1), e.value->text);
    AxisValue value = difference(std::move(label), context_.base.settings, point.settings);
    if (value.set != plain.set || value.erase != plain.erase)
      axis.values.push_back(std::move(value));
  }

  // Another device's variant may name other parts: what the command line gives the base's is
  // dropped there.
  Resolved resolve_on(const std::vector<const Layer*>& layers) {
    return resolve(layers, context_.device, context_.catalog, diagnostics_,
                   &context_.base.selection);
  }

  AxisValue resolved_value(const Entry& axis, const Entry& entry) {
    Layer layer;
    layer.name = axis.written;
    layer.entries.push_back(entry);
    return resolved_with(axis, layer, entry.value->text);
  }

  AxisValue resolved_with(const Entry& axis, const Layer& layer, std::string label) {
    const bool of_device = axis.key == kDevice;
    if (of_device) label = device_of(*layer.entries.front().value);
    std::vector<const Layer*> layers = of_device ? context_.layers_on(label) : context_.layers;
    layers.push_back(&layer);
    const Resolved point = of_device
                               ? resolve_on(layers)
                               : resolve(layers, context_.device, context_.catalog, diagnostics_);
    if (label.empty()) label = label_of(point.selection.part_of(axis.key), layer);
    for (const std::string& d : point.decisions)
      if (!contains(context_.base.decisions, d))
        note(decisions_, "at {}={}: {}", axis.written, label, d);
    return difference(std::move(label), context_.base.settings, point.settings);
  }

  const SweepContext& context_;
  std::vector<std::string>& decisions_;
  Diagnostics& diagnostics_;
  KeyTable table_;
};

}  // namespace

std::vector<WrittenAxis> collect_axes(const std::vector<const Layer*>& layers,
                                      std::vector<std::string>& decisions) {
  std::vector<WrittenAxis> axes;
  for (std::size_t n = 0; n < layers.size(); ++n) {
    if (layers[n]->name == "--set") end_sweeps(axes, *layers[n], decisions);
    empty_sweep(axes, *layers[n], decisions);
    for (const Entry& e : layers[n]->axes) lay_axis(axes, {&e, n});
  }
  std::erase_if(axes, [&](const WrittenAxis& a) {
    if (!drops(*a.entry)) return false;
    note(decisions, "sweep of {} dropped: {} sets it to none", a.entry->written,
         layers[a.layer]->name);
    return true;
  });
  return axes;
}

std::vector<Axis> build_axes(const std::vector<WrittenAxis>& written, const SweepContext& context,
                             std::vector<std::string>& decisions, Diagnostics& diagnostics) {
  AxisBuilder builder(context, decisions, diagnostics);
  std::vector<Axis> axes;
  for (const WrittenAxis& w : written) {
    Axis axis = builder.build(w);
    axis.typed = context.layers[w.layer]->name.starts_with("--");
    if (!axis.values.empty()) axes.push_back(std::move(axis));
  }
  return axes;
}

}  // namespace benchbench::config
