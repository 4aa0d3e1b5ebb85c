#include <fmt/format.h>

#include "harness/analysis/rules/checks.h"
#include "harness/core/units.h"

namespace benchbench::rules {
namespace {

constexpr double kOurWrites = 0.01;
constexpr std::uint64_t kNegligible = 1 << 20;  // less than one slow disk writes in 10 ms

}  // namespace

std::optional<Firing> log_path(const TrialRecord& record) {
  const Facts& f = record.facts;
  if (!f.bytes.logged || *f.bytes.logged <= kNegligible) return std::nullopt;
  if (!f.bytes.written_there) return std::nullopt;
  const auto ours = static_cast<double>(*f.bytes.logged);
  const auto all = std::max(ours, static_cast<double>(*f.bytes.written_there));
  if (!(ours > kOurWrites * all)) return std::nullopt;
  return doubt(
      fmt::format("{} of the {} written to the file system under test were benchbench's own "
                  "records (limit 1 %): choose another file system with --out",
                  human_bytes(ours), human_bytes(all)));
}

}  // namespace benchbench::rules
