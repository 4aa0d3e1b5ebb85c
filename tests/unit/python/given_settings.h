// Settings of a part as a test gives them, of whatever type.
#pragma once
#include <cstdlib>
#include <map>
#include <string>
#include <variant>

#include "harness/core/error.h"
#include "harness/part/settings.h"

namespace benchbench::test {

class GivenSettings final : public Settings {
 public:
  using Held = std::variant<std::monostate, bool, std::int64_t, double, std::string>;
  GivenSettings(std::initializer_list<std::pair<const std::string, Held>> given) : given_(given) {}
  void set(const std::string& key, Held value) { given_[key] = std::move(value); }

  bool has(std::string_view key) const noexcept override {
    const auto at = given_.find(key);
    return at != given_.end() && at->second.index() != 0;
  }
  bool boolean(std::string_view key) const override { return std::get<bool>(at(key)); }
  std::int64_t integer(std::string_view key) const override {
    return std::get<std::int64_t>(at(key));
  }
  double real(std::string_view key) const override { return std::get<double>(at(key)); }
  std::string_view text(std::string_view key) const override {
    return std::get<std::string>(at(key));
  }
  Nanoseconds duration(std::string_view key) const override { return from_seconds(real(key)); }
  Bytes bytes(std::string_view key) const override {
    return {static_cast<std::uint64_t>(integer(key))};
  }
  double rate(std::string_view key) const override { return real(key); }
  std::vector<std::string> keys_below(std::string_view prefix) const override {
    std::vector<std::string> keys;
    for (const auto& [key, value] : given_)
      if (key.starts_with(prefix)) keys.push_back(key);
    return keys;
  }
  Kind kind_of(std::string_view key) const noexcept override {
    const auto found = given_.find(key);
    constexpr Kind kinds[] = {Kind::none, Kind::boolean, Kind::integer, Kind::real, Kind::text};
    return found == given_.end() ? Kind::none : kinds[found->second.index()];
  }

 private:
  const Held& at(std::string_view key) const {
    const auto found = given_.find(key);
    if (found == given_.end()) throw PartError("no setting " + std::string(key));
    return found->second;
  }
  std::map<std::string, Held, std::less<>> given_;
};

// The interpreter that tests of the user's Python run.
inline std::string test_python() {
  const char* given = std::getenv("BENCHBENCH_PYTHON");
  return given ? given : "/usr/bin/python3";
}

}  // namespace benchbench::test
