// Inside harness/record only: the record's types as JSON text, members in the order of fields.h.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/record/fields.h"

namespace benchbench {

class JsonWriter {
 public:
  // Settings called "settings" are then told as what they change in `base`, which must outlive the writer.
  void tell_changes_of(const SettingsMap& base) { base_ = &base; }
  std::string take() { return std::move(out_); }

  template <class T>
  void object(const T& value, int version = 0) {
    open('{');
    if (version) member("version", static_cast<std::int64_t>(version));
    visit_fields(value, [this](std::string_view name, const auto& field) { member(name, field); });
    close('}');
  }

 private:
  template <class T>
  void member(std::string_view name, const T& value) {
    key(name);
    write(value);
  }
  void member(std::string_view name, const SettingsMap& settings);
  void settings_members(std::string_view name, const std::map<std::string, Value, std::less<>>& values);

  void write(bool value) { out_ += value ? "true" : "false"; }
  void write(std::int64_t value) { out_ += std::to_string(value); }
  void write(std::uint64_t value) { out_ += std::to_string(value); }
  void write(std::uint32_t value) { out_ += std::to_string(value); }
  void write(double value);
  void write(std::string_view text);
  template <HasWords E>
  void write(E value) {
    write(name_of(value));
  }
  void write(const Ablation& ablation) { write(ablation.text()); }
  void write(const CacheState& state) { write(state.text()); }
  void write(const Value& value);
  void write(const std::array<StageTotal, kStages>& stages);
  void write(const std::pair<std::string, Value>& setting);
  template <class T>
  void write(const std::optional<T>& value) {
    if (value) {
      write(*value);
    } else {
      out_ += "null";
    }
  }
  template <class A, class B>
  void write(const std::pair<A, B>& pair) {
    open('[');
    item(pair.first);
    item(pair.second);
    close(']');
  }
  template <class T>
  void write(const std::vector<T>& values) {
    open('[');
    for (const auto& value : values) item(value);
    close(']');
  }
  template <class T>
  requires requires(const T& t) {
    visit_fields(t, [](std::string_view, const auto&) {});
  }
  void write(const T& value) { object(value); }

  template <class T>
  void item(const T& value) {
    separate();
    write(value);
  }
  void key(std::string_view name);
  void open(char bracket) {
    out_ += bracket;
    first_ = true;
  }
  void close(char bracket) {
    out_ += bracket;
    first_ = false;
  }
  void separate() {
    if (!first_) out_ += ',';
    first_ = false;
  }

  std::string out_;
  bool first_ = true;
  const SettingsMap* base_ = nullptr;
};

}  // namespace benchbench
