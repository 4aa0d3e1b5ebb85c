#include "harness/record/trial.h"

#include "harness/record/trial_record.h"

namespace benchbench {
namespace {

constexpr std::string_view kModes[] = {"loader", "trainer", "pipeline"};
constexpr std::string_view kStatuses[] = {"VALID", "NOISY", "INVALID", "FAILED", "SKIPPED", "ABORTED"};

template <class E>
std::optional<E> named(std::span<const std::string_view> names, std::string_view text) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == text) return static_cast<E>(i);
  }
  return std::nullopt;
}

// "loader.num_workers" is plain num_workers in a table's row; "loader" stays.
std::string_view last_word(std::string_view key) {
  const auto dot = key.rfind('.');
  return dot == std::string_view::npos ? key : key.substr(dot + 1);
}

}  // namespace

std::string_view name_of(Mode m) noexcept { return kModes[static_cast<int>(m)]; }
std::optional<Mode> mode_from(std::string_view text) noexcept { return named<Mode>(kModes, text); }
std::string_view name_of(Status s) noexcept { return kStatuses[static_cast<int>(s)]; }
std::optional<Status> status_from(std::string_view text) noexcept { return named<Status>(kStatuses, text); }

std::string Point::name() const {
  if (labels.empty()) return "base";
  std::string name;
  for (const auto& [key, label] : labels) {
    if (!name.empty()) name += ' ';
    name.append(last_word(key)).append("=").append(label);
  }
  return name;
}

}  // namespace benchbench
