#include "harness/config/after_step_rules.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>

namespace benchbench::config {
namespace {

constexpr const char* kPostprocessEvery = "trainer.postprocess.every";
constexpr const char* kPostprocessTime = "trainer.postprocess.time";
constexpr const char* kPostprocessImages = "trainer.postprocess.images";
constexpr const char* kCheckpointEvery = "trainer.checkpoint.every";
constexpr const char* kCheckpointPath = "trainer.checkpoint.path";
constexpr const char* kCheckpointBytes = "trainer.checkpoint.bytes";

class Check {
 public:
  Check(const SettingsMap& settings, const std::map<std::string, const Entry*>& given,
        const std::vector<const Layer*>& layers, Diagnostics& diagnostics)
      : settings_(settings), given_(given), layers_(layers), diagnostics_(diagnostics) {}

  void postprocess() {
    const Entry* time = entry(kPostprocessTime);
    const Entry* images = entry(kPostprocessImages);
    if (time && images && settings_.has(kPostprocessTime) && settings_.has(kPostprocessImages))
      diagnostics_.add(
          images->at,
          "trainer.postprocess.time and trainer.postprocess.images are mutually exclusive");
    if (settings_.has(kPostprocessEvery) && !mentioned(kPostprocessTime) &&
        !mentioned(kPostprocessImages))
      diagnostics_.add(
          entry(kPostprocessEvery)->at,
          "trainer.postprocess.every needs trainer.postprocess.time or trainer.postprocess.images");
    for (const Entry* what : {time, images})
      if (what) needs(*what, kPostprocessEvery, "10");
  }

  void checkpoint(const PartRow* trainer) {
    for (const char* key :
         {kCheckpointBytes, "trainer.checkpoint.path", "trainer.checkpoint.fsync"})
      if (const Entry* what = entry(key)) needs(*what, kCheckpointEvery, "100");
    const Entry* every = entry(kCheckpointEvery);
    check_folder();
    if (!every || !settings_.has(kCheckpointEvery) || !trainer || !trainer->description->mock)
      return;
    const Value* size = settings_.find(kCheckpointBytes);
    if (swept(kCheckpointBytes) || !size || size->text() != "model") return;
    const Entry* bytes = entry(kCheckpointBytes);
    diagnostics_.add(
        (bytes ? bytes : every)->at,
        fmt::format(
            "trainer {} has no parameters: set trainer.checkpoint.bytes to a size such as 64MiB",
            trainer->description->name));
  }

 private:
  const Entry* entry(const char* key) const {
    const auto found = given_.find(key);
    return found == given_.end() ? nullptr : found->second;
  }
  bool swept(const char* key) const {
    return std::ranges::any_of(layers_, [&](const Layer* layer) {
      return std::ranges::any_of(layer->axes, [&](const Entry& e) { return e.key == key; });
    });
  }
  // Found out here and not by the first checkpoint, minutes later.
  void check_folder() {
    const Entry* path = entry(kCheckpointPath);
    if (!path || !settings_.has(kCheckpointPath)) return;
    const std::string folder = settings_.text(kCheckpointPath);
    std::error_code ignored;
    if (!std::filesystem::is_directory(folder, ignored))
      diagnostics_.add(path->at,
                       fmt::format("trainer.checkpoint.path: {} is not a folder", folder));
    else if (::access(folder.c_str(), W_OK | X_OK) != 0)
      diagnostics_.add(path->at,
                       fmt::format("trainer.checkpoint.path: {} is not writable", folder));
  }
  bool mentioned(const char* key) const { return entry(key) || swept(key); }

  void needs(const Entry& what, const char* every, const char* example) {
    if (!mentioned(every))
      diagnostics_.add(what.at,
                       fmt::format("{} needs {}, such as {}", what.written, every, example));
  }

  const SettingsMap& settings_;
  const std::map<std::string, const Entry*>& given_;
  const std::vector<const Layer*>& layers_;
  Diagnostics& diagnostics_;
};

}  // namespace

void check_after_step(const SettingsMap& settings, const std::map<std::string, const Entry*>& given,
                      const std::vector<const Layer*>& layers, const PartRow* trainer,
                      Diagnostics& diagnostics) {
  Check check(settings, given, layers, diagnostics);
  check.postprocess();
  check.checkpoint(trainer);
}

}  // namespace benchbench::config
