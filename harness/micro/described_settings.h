// Settings made from a part's own description: its defaults, with some values given.
#pragma once
#include <map>
#include <string>

#include "harness/part/description.h"
#include "harness/part/settings.h"

namespace benchbench::micro {

// Values are given as YAML text. PartError where the description lacks a key that is given or asked
// for, or where a parameter that has no default is not given.
class DescribedSettings final : public Settings {
 public:
  using Given = std::map<std::string, std::string, std::less<>>;
  DescribedSettings(const PartDescription& description, const Given& given);

  bool has(std::string_view key) const noexcept override;
  bool boolean(std::string_view key) const override { return at(key) == "true"; }
  std::int64_t integer(std::string_view key) const override;
  double real(std::string_view key) const override;
  std::string_view text(std::string_view key) const override { return at(key); }
  Nanoseconds duration(std::string_view key) const override;
  Bytes bytes(std::string_view key) const override;
  double rate(std::string_view key) const override;

 private:
  const std::string& at(std::string_view key) const;
  std::string_view part_;
  Given values_;
};

}  // namespace benchbench::micro
