#include "harness/app/tune/tune_asked_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "harness/app/tune/tune_options.h"
#include "harness/core/contains.h"
#include "harness/core/error.h"
#include "harness/core/files/folder_paths.h"
#include "harness/core/files/whole_file.h"
#include "harness/store/durable_file.h"

namespace benchbench {
namespace {

constexpr std::array<std::string_view, 5> kOfThisCommand{"--out", "--resume", "--strict", "--json",
                                                         "--quiet"};

std::string file_in(const std::string& folder) { return fmt::format("{}/{}", folder, kTuneFile); }

bool is_kept(std::string_view option) { return !contains(kOfThisCommand, option); }

// Returns what `take` makes of the folder's file.
template <class Take>
auto read(const std::string& folder, const Take& take) try {
  return take(nlohmann::json::parse(read_whole(file_in(folder))));
} catch (const nlohmann::json::exception& e) {
  throw StoreError(fmt::format("{}: {}", file_in(folder), e.what()));
}

}  // namespace

void write_asked(const std::string& folder, const Arguments& arguments, const TuneKept& tune) {
  nlohmann::json kept = nlohmann::json::object();
  for (const Option& o : tune_options())
    if (is_kept(o.name) && arguments.flag(o.name))
      kept[std::string(o.name)] = arguments.list(o.name);
  nlohmann::json all{{"options", kept},
                     {"not_tried", nlohmann::json::array()},
                     {"guessed_full_run", tune.guessed_full_run}};
  for (const UntriedKnob& n : tune.not_tried)
    all["not_tried"].push_back({{"knob", n.name}, {"why", n.why}});
  if (!arguments.flag("--python"))
    all["file"] = absolute_path(arguments.positional().front()).lexically_normal().string();
  write_whole(file_in(folder),
              all.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

bool is_tune_folder(const std::string& folder) { return is_there(file_in(folder)); }

TuneKept kept_in(const std::string& folder) {
  return read(folder, [](const nlohmann::json& all) {
    TuneKept kept;
    kept.guessed_full_run = all.value("guessed_full_run", 1.0);
    for (const nlohmann::json& n : all.value("not_tried", nlohmann::json::array()))
      kept.not_tried.push_back({n.at("knob").get<std::string>(), n.at("why").get<std::string>()});
    return kept;
  });
}

Arguments with_stored_options(const std::string& folder, const Arguments& arguments) {
  if (!is_there(file_in(folder))) return arguments;
  return read(folder, [&](const nlohmann::json& kept) {
    Arguments out = arguments;
    for (const auto& [name, values] : kept.at("options").items())
      if (!arguments.flag(name) && (name != "--python" || arguments.positional().empty()))
        out.add(name, values.get<std::vector<std::string>>());
    if (kept.contains("file") && arguments.positional().empty() && !arguments.flag("--python"))
      out.set_positional({kept["file"].get<std::string>()});
    return out;
  });
}

}  // namespace benchbench
