// The resolved settings a part is made with: every parameter of its description is present,
// checked, in range; or `none`, where that is the description's default.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/units.h"

namespace benchbench {

// Keys are the parameter's name as the description has it ("step_time",
// "transform.random_resized_crop"), without the "loader." or "trainer." in front. Asking for a key
// that the description lacks, that is `none`, or with another type, is a bug of the part and throws
// PartError that names it. The harness owns it; it and the views that it returns are valid while
// the part's factory runs: a part copies what it needs later. Any threads.
class Settings {
 public:
  virtual ~Settings() = default;
  // False where there is no such key, and where its value is `none`. Asked before a parameter that
  // may be `none`.
  virtual bool has(std::string_view key) const noexcept = 0;
  virtual bool boolean(std::string_view key) const = 0;
  virtual std::int64_t integer(std::string_view key) const = 0;
  virtual double real(std::string_view key) const = 0;  // an integer is read as a real too
  virtual std::string_view text(std::string_view key) const = 0;  // text and choices
  virtual Nanoseconds duration(std::string_view key) const = 0;
  virtual Bytes bytes(std::string_view key) const = 0;
  // Per second; bandwidths in bytes per second.
  virtual double rate(std::string_view key) const = 0;
  // Keys that begin with `prefix` ("args."), in order; for parts whose description has free keys.
  virtual std::vector<std::string> keys_below(std::string_view /*prefix*/) const { return {}; }
  enum class Kind : std::uint8_t { none, boolean, integer, real, text, other };
  // Of what type a free key's value is; none where there is no such key.
  virtual Kind kind_of(std::string_view /*key*/) const noexcept { return Kind::none; }
};

}  // namespace benchbench
