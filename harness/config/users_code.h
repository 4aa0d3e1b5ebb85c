// What a look at the user's own code adds to a scenario: settings that it brings, and what cannot be asked of it.
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
  const std::map<std::string, const Entry*>& given;  // to the base point
  const std::vector<WrittenAxis>& written;
  const ScenarioRequest& request;
  const Catalog& catalog;
};

// Keys that were given by no layer take the value that the user's DataLoader has; those that cannot be given are dropped in
// words, or refused where they are swept. What is wrong with the code is told at the line that names it.
class UsersCode {
 public:
  UsersCode(Scenario& scenario, CodeContext context, Diagnostics& diagnostics)
      : scenario_(scenario), context_(std::move(context)), diagnostics_(diagnostics) {}
  void run();

 private:
  using Keys = std::set<std::string>;
  bool is_external(PartKind kind, const SettingsMap& settings) const;
  void look_at_base();
  void look_at(AxisValue& value, const YamlNode* item, const SettingsMap& before);
  std::optional<ExternalCheck> ask(CodeQuestion question);
  Span place_of_fault(const Error& e, const CodeQuestion& question) const;
  std::vector<SettingsMap> with_other_arguments() const;
  void adopt_into_base(const ExternalCheck& check);
  void adopt_into(AxisValue& value, const ExternalCheck& check, const Keys& given_there);
  void keep_given_in_items(const std::string& key, const Value& before);
  std::optional<Value> own_value(const ExternalCheck& check, std::string_view own, const std::string& part) const;
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
};

}  // namespace benchbench::config
