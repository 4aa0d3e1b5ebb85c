#include "harness/report/machines/surroundings_values.h"

#include <fmt/format.h>

namespace benchbench {

std::vector<std::pair<std::string, std::string>> surroundings_values(const Environment& e) {
  std::vector<std::pair<std::string, std::string>> all{{"machine", e.machine},
                                                       {"cpu_model", e.cpu_model}};
  if (e.cores_available > 0)
    all.emplace_back("cores_available", fmt::format("{:g}", e.cores_available));
  if (e.memory_bytes > 0) all.emplace_back("memory_bytes", std::to_string(e.memory_bytes));
  for (const auto& [name, text] :
       {std::pair("kernel", &e.kernel), std::pair("virtualization", &e.virtualization),
        std::pair("build", &e.build), std::pair("build_digest", &e.build_digest),
        std::pair("libtorch", &e.libtorch), std::pair("cuda", &e.cuda), std::pair("gpus", &e.gpus)})
    all.emplace_back(name, *text);
  std::erase_if(all, [](const auto& one) { return one.second.empty(); });
  return all;
}

}  // namespace benchbench
