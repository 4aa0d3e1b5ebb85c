// A YAML file and the command line's overlays -> Scenario, or all diagnostics at once.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/error.h"
#include "harness/part/catalog.h"
#include "harness/record/scenario.h"

namespace benchbench {

struct Overlay {  // --set KEY=VALUE, --sweep KEY=V1,V2, --only KEY=V1,V2 (YAML flow after '=')
  std::string key;
  std::string text;
  std::string option = {};  // "--rounds", where that is what was written in place of --set KEY
  std::string before_text() const { return option.empty() ? key + "=" : option + " "; }
};

// A look at the user's own code before anything is measured.
struct CodeQuestion {
  // Settings of everything; the sides that are asked about have theirs below loader. and trainer.
  SettingsMap settings;
  bool loader = false, trainer = false;
  bool batch = false;  // of the loader: what a batch is like, too
};
// The answer; nullopt where there can be none: a package is missing, or the data are not made yet.
// Throws what is wrong.
using CodeLook = std::function<std::optional<ExternalCheck>(const CodeQuestion&)>;

// Loads the library at `path`, which a scenario names as a part of that kind. Throws what is wrong.
using LoadLibrary = std::function<void(PartKind kind, const std::string& path)>;

// Whether this machine has a CUDA device, and why not.
struct CudaKnown {
  bool available = false;
  std::string reason;
  bool kernels = true;  // of mock steps
};

struct ScenarioRequest {
  std::string path;                   // "-" reads stdin
  std::vector<std::string> variants;  // --variant NAME, in order
  std::vector<Overlay> sets;
  std::vector<Overlay> sweeps;  // axes that are added, or get other values
  std::vector<Overlay> only;    // axes in place of all that the file and its variants have
  // What this machine has, for `trainer.device: auto`, `intra_op_threads: auto`.
  bool cuda_available = false;
  std::string cuda_reason;  // why not
  // Used in place of the two: asked where it matters, since a driver takes its time.
  std::function<CudaKnown()> ask_cuda = nullptr;
  CudaKnown cuda() const { return ask_cuda ? ask_cuda() : CudaKnown{cuda_available, cuda_reason}; }
  // Asked for steps of trainer `name` in the user's own interpreter, as `python` names it (empty:
  // it does not). Empty: `auto` is the CPU for these.
  std::function<ExternalCuda(const std::string& name, const std::string& python)> ask_torch =
      nullptr;
  // Returns why networks of the torch module cannot run on this machine's CUDA devices; "" where
  // they can. Empty: not asked.
  std::function<std::string()> ask_torch_module = nullptr;
  std::string torch_cuda() const { return ask_torch_module ? ask_torch_module() : ""; }
  std::uint32_t cores = 1;  // usable, rounded down, at least 1
  // Empty: the user's code is not looked at, and settings that it brings are not known.
  CodeLook look_at_code = nullptr;
  // Empty: libraries of the user's own are not loaded, and one that is not there already is an
  // unknown part.
  LoadLibrary load_library = nullptr;
};

struct Diagnostic {
  std::string file;          // or "--set", "--sweep", "--only"
  int line = 0, column = 0;  // from 1
  std::string message;       // what, allowed values or range, nearest spelling
  std::string excerpt;       // the offending line
  int width = 1;             // of the offending text under the caret
};

// Every diagnostic of a scenario; what() is the first line of the first.
class ScenarioDiagnostics : public ScenarioError {
 public:
  explicit ScenarioDiagnostics(std::vector<Diagnostic> all);
  const std::vector<Diagnostic>& all() const noexcept { return all_; }
  // "file:line:column: error: message\n    excerpt\n    ^~~~\n" each.
  std::string text() const;

 private:
  std::vector<Diagnostic> all_;
};

// Throws ScenarioDiagnostics.
Scenario load_scenario(const ScenarioRequest& request, const Catalog& catalog);

}  // namespace benchbench
