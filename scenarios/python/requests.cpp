#include "scenarios/python/requests.h"

#include <fmt/format.h>

#include <filesystem>

#include "harness/core/error.h"

namespace benchbench::python_part {
namespace {

constexpr std::string_view kArgs = "args.";

Json value_of(const Settings& settings, const std::string& key) {
  switch (settings.kind_of(key)) {
    case Settings::Kind::none:
      return nullptr;
    case Settings::Kind::boolean:
      return settings.boolean(key);
    case Settings::Kind::integer:
      return settings.integer(key);
    case Settings::Kind::real:
      return settings.real(key);
    case Settings::Kind::text:
      return settings.text(key);
    case Settings::Kind::other:
      break;
  }
  throw ScenarioError(fmt::format("loader.{} is not a scalar", key),
                      "a number, a text, true, false or none can be passed to the user's code");
}

Json code_of(const Settings& part) {
  return {{"script", text_or_null(part, "script")},
          {"module", text_or_null(part, "module")},
          {"call", part.text("call")}};
}

template <class T>
void give(Json& settings, const char* name, const std::optional<T>& value) {
  if (value) settings[name] = *value;
}

Json nanoseconds(const std::optional<Nanoseconds>& time) {
  return time ? Json(time->count()) : Json(nullptr);
}

// `args` of a loader by name; ScenarioError for a value that is no scalar.
Json args_of(const Settings& loader) {
  Json args = Json::object();
  for (const std::string& key : loader.keys_below(kArgs))
    args[key.substr(kArgs.size())] = value_of(loader, key);
  return args;
}

Json loader_of(const Settings& loader) {
  Json request = code_of(loader);
  request["pick"] = loader.has("pick") ? Json(loader.integer("pick")) : Json(nullptr);
  request["args"] = args_of(loader);
  return request;
}

Json trainer_of(const Settings& trainer) {
  Json request = code_of(trainer);
  request["setup"] = text_or_null(trainer, "setup");
  return request;
}

}  // namespace

Json text_or_null(const Settings& settings, std::string_view key) {
  return settings.has(key) ? Json(settings.text(key)) : Json(nullptr);
}

std::string call_of(const Settings& part) {
  const std::string script = part.has("script") ? std::string(part.text("script")) : "";
  const std::string place = script.empty()
                                ? std::string(part.has("module") ? part.text("module") : "")
                                : std::filesystem::path(script).filename().string();
  return fmt::format("{}:{}", place, part.text("call"));
}

Json load_request(std::string_view kind, const Settings* loader, const Settings* trainer,
                  std::string_view root, std::string_view device, bool rests) {
  return {{"type", kind},
          {"loader", loader ? loader_of(*loader) : Json(nullptr)},
          {"trainer", trainer ? trainer_of(*trainer) : Json(nullptr)},
          {"device", device},
          {"rests", rests},
          {"root", root.empty() ? Json(nullptr) : Json(root)}};
}

Json settings_of(const ExternalLoaderKeys& keys, const Settings* loader) {
  Json settings = Json::object();
  give(settings, "num_workers", keys.num_workers);
  give(settings, "batch_size", keys.batch_size);
  give(settings, "prefetch_factor", keys.prefetch_factor);
  give(settings, "in_order", keys.in_order);
  give(settings, "drop_last", keys.drop_last);
  give(settings, "pin_memory", keys.pin_memory);
  give(settings, "shuffle", keys.shuffle);
  if (loader && loader->has("persistent_workers"))
    settings["persistent_workers"] = loader->boolean("persistent_workers");
  if (loader && loader->has("multiprocessing_context") &&
      loader->text("multiprocessing_context") != "none")
    settings["multiprocessing_context"] = loader->text("multiprocessing_context");
  return settings;
}

Json run_request(const ExternalOrder& order) {
  constexpr std::uint64_t kDistinct = 16;  // batches that `replayed` has at least
  return {{"type", "run"},
          {"way", name_of(order.way)},
          {"settings", settings_of(order.keys, order.loader)},
          {"seed", order.loader_seed},
          {"trainer_seed", order.trainer_seed},
          {"device", order.device},
          {"intra_op_threads", order.intra_op_threads},
          {"observer", order.observer},
          {"rate", order.rate ? Json(*order.rate) : Json(nullptr)},
          {"distinct", kDistinct},
          {"window", {{"ns", order.window.count()}, {"batches", order.window_batches}}},
          {"warmup",
           {{"ns", nanoseconds(order.warmup)},
            {"cap_ns", nanoseconds(order.warmup_cap)},
            {"slope", order.slope}}}};
}

}  // namespace benchbench::python_part
