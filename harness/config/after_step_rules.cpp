#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "harness/config/rules.h"
#include "harness/core/contains.h"
#include "harness/record/setting_keys.h"

namespace benchbench::config {
namespace {

constexpr auto& kPostprocess = keys::trainer.postprocess;
constexpr auto& kCheckpoint = keys::trainer.checkpoint;

class AfterStepRules : RuleContext {
 public:
  explicit AfterStepRules(const RuleContext& context) : RuleContext(context) {}

  void check_postprocess() {
    const Entry* time = entry(kPostprocess.time);
    const Entry* images = entry(kPostprocess.images);
    if (time && images && settings.has(kPostprocess.time) && settings.has(kPostprocess.images))
      diagnostics.add(
          images->at,
          "trainer.postprocess.time and trainer.postprocess.images are mutually exclusive");
    if (settings.has(kPostprocess.every) && !is_mentioned(kPostprocess.time) &&
        !is_mentioned(kPostprocess.images))
      diagnostics.add(
          entry(kPostprocess.every)->at,
          "trainer.postprocess.every needs trainer.postprocess.time or trainer.postprocess.images");
    require(kPostprocess.time, kPostprocess.every, "10");
    require(kPostprocess.images, kPostprocess.every, "10");
  }

  void check_checkpoint() {
    require(kCheckpoint.bytes, kCheckpoint.every, "100");
    require(kCheckpoint.path, kCheckpoint.every, "100");
    require(kCheckpoint.fsync, kCheckpoint.every, "100");
    check_folder();
    check_size();
  }

 private:
  // Found out here and not by the first checkpoint, minutes later.
  void check_folder() {
    const Entry* path = entry(kCheckpoint.path);
    if (!path || !settings.has(kCheckpoint.path)) return;
    const std::string folder = settings.get(kCheckpoint.path);
    std::error_code ignored;
    if (!std::filesystem::is_directory(folder, ignored))
      diagnostics.add(path->at, "trainer.checkpoint.path: {} is not a folder", folder);
    else if (::access(folder.c_str(), W_OK | X_OK) != 0)
      diagnostics.add(path->at, "trainer.checkpoint.path: {} is not writable", folder);
  }

  // A mock has no parameters to write.
  void check_size() {
    const Entry* every = entry(kCheckpoint.every);
    const PartRow* trainer = catalog.find(PartKind::trainer, selection.trainer);
    if (!every || !settings.has(kCheckpoint.every) || !trainer || !trainer->description->mock ||
        is_swept(kCheckpoint.bytes) || settings.get_if(kCheckpoint.bytes) != "model")
      return;
    const Entry* bytes = entry(kCheckpoint.bytes);
    diagnostics.add(
        (bytes ? bytes : every)->at,
        "trainer {} has no parameters: set trainer.checkpoint.bytes to a size such as 64MiB",
        trainer->description->name);
  }

  bool is_swept(std::string_view key) const {
    return std::ranges::any_of(
        layers, [&](const Layer* layer) { return contains(layer->axes, key, &Entry::key); });
  }
  bool is_mentioned(std::string_view key) const { return entry(key) || is_swept(key); }

  void require(std::string_view what, std::string_view every, std::string_view example) {
    if (const Entry* found = entry(what); found && !is_mentioned(every))
      diagnostics.add(found->at, "{} needs {}, such as {}", found->written, every, example);
  }
};

}  // namespace

void check_after_step(const RuleContext& context) {
  AfterStepRules rules(context);
  rules.check_postprocess();
  rules.check_checkpoint();
}

}  // namespace benchbench::config
