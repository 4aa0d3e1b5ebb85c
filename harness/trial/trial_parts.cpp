#include "harness/trial/trial_parts.h"

#include <fmt/format.h>

#include "harness/core/error.h"

namespace benchbench {

const PartRow& row_of(const Catalog& catalog, PartKind kind, std::string_view name, bool simulated) {
  catalog.maker(kind, name);  // says what is wrong with the name, or loads its module
  const PartRow& row = *catalog.find(kind, name);
  if (simulated && !row.description->simulated)
    throw PartError(
        fmt::format("the {} \"{}\" cannot run on a simulated clock", benchbench::name_of(kind), name),
        "leave out --clock simulated, or use a part whose description says that it can");
  return row;
}

std::unique_ptr<Device> device_named(std::string_view name) {
  if (name == "cpu") return make_cpu_device();
  throw DeviceError(fmt::format("no device \"{}\" in this build", name),
                    "trainer.device: cpu works everywhere");
}

}  // namespace benchbench
