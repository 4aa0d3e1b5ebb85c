#include "harness/config/after_step_rules.h"
#include "harness/record/setting_keys.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>

namespace benchbench::config {
namespace {

class Check {
 public:
  Check(const SettingsMap& settings, const Given& given, const std::vector<const Layer*>& layers,
        Diagnostics& diagnostics)
      : settings_(settings), given_(given), layers_(layers), diagnostics_(diagnostics) {}

  void postprocess() {
    const Entry* time = entry(keys::trainer.postprocess.time);
    const Entry* images = entry(keys::trainer.postprocess.images);
    if (time && images && settings_.has(keys::trainer.postprocess.time) &&
        settings_.has(keys::trainer.postprocess.images))
      diagnostics_.add(
          images->at,
          "trainer.postprocess.time and trainer.postprocess.images are mutually exclusive");
    if (settings_.has(keys::trainer.postprocess.every) &&
        !mentioned(keys::trainer.postprocess.time) && !mentioned(keys::trainer.postprocess.images))
      diagnostics_.add(
          entry(keys::trainer.postprocess.every)->at,
          "trainer.postprocess.every needs trainer.postprocess.time or trainer.postprocess.images");
    for (const Entry* what : {time, images})
      if (what) needs(*what, keys::trainer.postprocess.every, "10");
  }

  void checkpoint(const PartRow* trainer) {
    for (const std::string_view key : std::initializer_list<std::string_view>{
             keys::trainer.checkpoint.bytes, keys::trainer.checkpoint.path,
             keys::trainer.checkpoint.fsync})
      if (const Entry* what = entry(key)) needs(*what, keys::trainer.checkpoint.every, "100");
    const Entry* every = entry(keys::trainer.checkpoint.every);
    check_folder();
    if (!every || !settings_.has(keys::trainer.checkpoint.every) || !trainer ||
        !trainer->description->mock)
      return;
    const Value* size = settings_.find(keys::trainer.checkpoint.bytes);
    if (swept(keys::trainer.checkpoint.bytes) || !size || size->text() != "model") return;
    const Entry* bytes = entry(keys::trainer.checkpoint.bytes);
    diagnostics_.add(
        (bytes ? bytes : every)->at,
        fmt::format(
            "trainer {} has no parameters: set trainer.checkpoint.bytes to a size such as 64MiB",
            trainer->description->name));
  }

 private:
  const Entry* entry(std::string_view key) const { return find_entry(given_, key); }
  bool swept(std::string_view key) const {
    return std::ranges::any_of(layers_, [&](const Layer* layer) {
      return std::ranges::any_of(layer->axes, [&](const Entry& e) { return e.key == key; });
    });
  }
  // Found out here and not by the first checkpoint, minutes later.
  void check_folder() {
    const Entry* path = entry(keys::trainer.checkpoint.path);
    if (!path || !settings_.has(keys::trainer.checkpoint.path)) return;
    const std::string folder = settings_.text(keys::trainer.checkpoint.path);
    std::error_code ignored;
    if (!std::filesystem::is_directory(folder, ignored))
      diagnostics_.add(path->at,
                       fmt::format("trainer.checkpoint.path: {} is not a folder", folder));
    else if (::access(folder.c_str(), W_OK | X_OK) != 0)
      diagnostics_.add(path->at,
                       fmt::format("trainer.checkpoint.path: {} is not writable", folder));
  }
  bool mentioned(std::string_view key) const { return entry(key) || swept(key); }

  void needs(const Entry& what, std::string_view every, std::string_view example) {
    if (!mentioned(every))
      diagnostics_.add(what.at,
                       fmt::format("{} needs {}, such as {}", what.written, every, example));
  }

  const SettingsMap& settings_;
  const Given& given_;
  const std::vector<const Layer*>& layers_;
  Diagnostics& diagnostics_;
};

}  // namespace

void check_after_step(const SettingsMap& settings, const Given& given,
                      const std::vector<const Layer*>& layers, const PartRow* trainer,
                      Diagnostics& diagnostics) {
  Check check(settings, given, layers, diagnostics);
  check.postprocess();
  check.checkpoint(trainer);
}

}  // namespace benchbench::config
