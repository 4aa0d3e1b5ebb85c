#include "harness/app/commands/report_schema.h"

#include <array>
#include <nlohmann/json.hpp>

#include "harness/app/wrap/ending/wrap_ending.h"
#include "harness/report/machines/report_document.h"

namespace benchbench {

std::string write_report_schema() {
  const nlohmann::ordered_json ending = ending_schema();
  const nlohmann::ordered_json tune{
      {"type", "object"},
      {"description", "Of `wrap --tune` and `require` only: what that command reports."}};
  return report_schema(std::array{AddedMember{"ending", &ending}, AddedMember{"tune", &tune}});
}

}  // namespace benchbench
