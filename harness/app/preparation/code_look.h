// The look at the user's own code before anything is measured: one process of their interpreter, in
// which it is loaded and called.
#pragma once
#include <map>
#include <optional>
#include <string>

#include "harness/config/scenario_file.h"

namespace benchbench {

// Answers are kept, so that planning again asks nothing twice. One thread.
class CodeLooker {
 public:
  // `catalog` outlives it.
  CodeLooker(const Catalog& catalog, std::string cache_folder)
      : catalog_(catalog), cache_folder_(std::move(cache_folder)) {}

  // As CodeLook says, with progress on standard error after two seconds. Where a package is
  // missing, which one is kept.
  std::optional<ExternalCheck> operator()(const CodeQuestion& question);

  // Says whether the torch of the user's interpreter has a CUDA device; as `ask_torch`.
  ExternalCuda torch_cuda(const std::string& trainer, const std::string& python);

  // The code is called with the folder of its data, and those are not made yet: to be asked again
  // once they are. Until then it is only imported.
  bool waits_for_data() const noexcept { return waits_for_data_; }
  void ask_again() noexcept { waits_for_data_ = false; }
  // code_of() -> "needs torch: ...".
  const std::map<std::string, std::string>& missing_packages() const noexcept { return missing_; }

 private:
  std::optional<ExternalCheck> look(const CodeQuestion& question, const std::string& root,
                                    bool names_only);
  const Catalog& catalog_;
  std::string cache_folder_;
  bool waits_for_data_ = false;
  std::map<std::string, std::optional<ExternalCheck>> answers_;
  std::map<std::string, std::string> missing_;
};

}  // namespace benchbench
