// The look at the user's own code before anything is measured: one process of their interpreter, in
// which it is loaded and called.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "harness/config/scenario_file.h"

namespace benchbench {

// Makes the data that these settings read. Throws what is wrong.
using MakeData = std::function<void(const SettingsMap& settings)>;

// Answers are kept, so that another loading of the scenario asks nothing twice. One thread.
class CodeLooker {
 public:
  // `catalog` outlives it.
  CodeLooker(const Catalog& catalog, std::string cache_folder)
      : catalog_(catalog), cache_folder_(std::move(cache_folder)) {}

  // Answers as CodeLook says, with progress on standard error after two seconds. Where a package is
  // missing, which one is kept. If the code is called with the folder of data that are not there,
  // it is imported first and called once `make_data` has made them; without `make_data` it is only
  // imported.
  std::optional<ExternalCheck> look(const CodeQuestion& question, const MakeData& make_data);

  // Says whether the torch of the user's interpreter has a CUDA device; as `ask_torch`.
  ExternalCuda torch_cuda(const std::string& trainer, const std::string& python);

  // Returns true if some code was only imported, since its data are not there.
  bool waits_for_data() const noexcept { return waits_for_data_; }
  // code_of() -> "needs torch: ...".
  const std::map<std::string, std::string>& missing_packages() const noexcept { return missing_; }

 private:
  std::optional<ExternalCheck> ask(const CodeQuestion& question, const std::string& root,
                                   bool names_only);
  const Catalog& catalog_;
  std::string cache_folder_;
  bool waits_for_data_ = false;
  std::map<std::string, std::optional<ExternalCheck>> answers_;
  std::map<std::string, std::string> missing_;
};

}  // namespace benchbench
