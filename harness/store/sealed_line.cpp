#include "harness/store/sealed_line.h"

#include <fmt/format.h>

#include <cassert>

#include "harness/core/digest.h"

namespace benchbench {
namespace {

constexpr std::string_view kSeal = R"(,"crc":")";
constexpr std::size_t kDigits = 8;
constexpr std::size_t kTail = kSeal.size() + kDigits + 2;  // and "}

}  // namespace

std::string sealed(std::string json) {
  assert(json.size() > 2 && json.back() == '}');
  json.pop_back();
  const std::uint32_t crc = crc32c(json);
  json += fmt::format("{}{:08x}\"}}\n", kSeal, crc);
  return json;
}

bool is_whole(std::string_view line) noexcept {
  if (line.size() <= kTail) return false;
  const std::string_view body = line.substr(0, line.size() - kTail);
  char tail[kTail + 1];
  fmt::format_to_n(tail, sizeof tail, "{}{:08x}\"}}", kSeal, crc32c(body));
  return line.substr(body.size()) == std::string_view(tail, kTail);
}

}  // namespace benchbench
