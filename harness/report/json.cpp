#include <ostream>

#include "harness/report/fields/report_fields.h"
#include "harness/report/machines/report_document.h"

namespace benchbench {

JsonValue report_document(const ReportInput& in) { return make_json(in, in); }

extern constinit const ReportFormat json_format{
    "--json", "write everything as JSON; \"-\" is standard output",
    [](std::ostream& out, const ReportInput& in) {
      out << json_text(report_document(in)) << '\n';
    }};

}  // namespace benchbench
