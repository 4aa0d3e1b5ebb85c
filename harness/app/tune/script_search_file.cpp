#include "harness/app/tune/script_search_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "harness/core/error.h"
#include "harness/core/files/whole_file.h"
#include "harness/store/durable_file.h"

namespace benchbench {
namespace {

std::string asked_file(const std::string& folder) {
  return fmt::format("{}/{}", search_folder(folder), kSearchFile);
}

ScriptSearchAsked read_members(const nlohmann::json& all) {
  ScriptSearchAsked asked;
  asked.budget_seconds = all.at("budget_seconds").get<double>();
  if (const auto& rate = all.at("target_rate"); !rate.is_null())
    asked.target_rate = rate.get<double>();
  asked.streams = all.at("streams").get<bool>();
  for (const nlohmann::json& n : all.at("not_tried"))
    asked.not_tried.push_back({n.at("knob").get<std::string>(), n.at("why").get<std::string>()});
  return asked;
}

}  // namespace

std::string search_folder(const std::string& folder) {
  return fmt::format("{}/{}", folder, kSearchFolder);
}

void write_search_asked(const std::string& folder, const ScriptSearchAsked& asked) {
  nlohmann::json all{{"budget_seconds", asked.budget_seconds},
                     {"target_rate", nullptr},
                     {"streams", asked.streams},
                     {"not_tried", nlohmann::json::array()}};
  if (asked.target_rate) all["target_rate"] = *asked.target_rate;
  for (const UntriedKnob& n : asked.not_tried)
    all["not_tried"].push_back({{"knob", n.name}, {"why", n.why}});
  write_whole(asked_file(folder),
              all.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

std::optional<ScriptSearchAsked> read_search_asked(const std::string& folder) try {
  if (!is_there(asked_file(folder))) return std::nullopt;
  return read_members(nlohmann::json::parse(read_whole(asked_file(folder))));
} catch (const nlohmann::json::exception& e) {
  throw StoreError(fmt::format("{}: {}", asked_file(folder), e.what()));
}

}  // namespace benchbench
