// What a look at the user's own code adds to a scenario: settings that it brings, and what cannot
// be asked of it.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/config/layer.h"
#include "harness/config/scenario_file.h"
#include "harness/config/sweep.h"

namespace benchbench::config {

struct CodeContext {
  const Given& given;  // to the base point
  const std::vector<WrittenAxis>& written;
  const ScenarioRequest& request;
  const Catalog& catalog;
};

// Keys that were given by no layer take the value that the user's DataLoader has; those that cannot
// be given are dropped in words, or refused where they are swept. What is wrong with the code is
// told at the line that names it.
class UsersCode {
 public:
  UsersCode(Scenario& scenario, CodeContext context, Diagnostics& diagnostics)
      : scenario_(scenario), context_(std::move(context)), diagnostics_(diagnostics) {}
  void run();

 private:
  using Keys = std::set<std::string>;
  bool is_external(PartKind kind, const SettingsMap& settings) const;
  void look_at_base();
  bool hands_over() const;
  void adopt_batch(const ExternalCheck& check);
  void look_at_axes(const SettingsMap& before);
  void look_at(std::size_t axis, std::size_t v, const SettingsMap& before);
  SettingsMap settings_at(std::size_t axis, std::size_t v, const SettingsMap& before) const;
  Keys kept_at(std::size_t axis, std::size_t v) const;
  // The code as a value of an axis has it; of no axis: as the base has it.
  std::optional<ExternalCheck> ask(const CodeQuestion& question, const Axis* axis = nullptr,
                                   std::size_t v = 0);
  Span place_of_fault(const Error& e, const CodeQuestion& question, const YamlNode* item) const;
  void adopt_into_base(const ExternalCheck& check);
  void adopt_into(AxisValue& value, const std::string& name, const ExternalCheck& check,
                  const Keys& kept, const SettingsMap& before);
  std::optional<Value> value_there(std::string_view own, const ExternalCheck& check,
                                   const std::string& part, const SettingsMap& before);
  void tell_defaults(const ExternalCheck& check);
  void tell_batch_size(const ExternalCheck& check);
  void keep_given_in_items(const std::string& key, const Value& before);
  std::optional<Value> own_value(const ExternalCheck& check, std::string_view own,
                                 const std::string& part) const;
  bool cannot_pin(std::string_view own, const Value& value);
  void keep_fixed(const ExternalCheck& check);
  void check_size(const ExternalCheck& check);
  void tell_what_needs_workers();
  Span place_of(const std::string& key) const;
  const Entry* axis_of(const std::string& key) const;
  const YamlNode* item_of(const Axis& axis, std::size_t value) const;

  Scenario& scenario_;
  CodeContext context_;
  Diagnostics& diagnostics_;
  std::vector<Keys> swept_;  // of each axis, as it was written
};

}  // namespace benchbench::config
