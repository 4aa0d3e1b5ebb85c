#include "harness/report/text/formats.h"

#include <algorithm>

namespace benchbench {

// BENCHBENCH_REPORT_FORMATS is FORMAT(terminal) FORMAT(json) ..., from CMakeLists.txt.
#define FORMAT(name) extern const ReportFormat name##_format;
BENCHBENCH_REPORT_FORMATS
#undef FORMAT

std::span<const ReportFormat* const> report_formats() noexcept {
#define FORMAT(name) &name##_format,
  static constexpr const ReportFormat* kFormats[] = {BENCHBENCH_REPORT_FORMATS};
#undef FORMAT
  return kFormats;
}

const ReportFormat* find_report_format(std::string_view name) noexcept {
  const auto at = std::ranges::find(report_formats(), name, &ReportFormat::name);
  return at == report_formats().end() ? nullptr : *at;
}

}  // namespace benchbench
