// What the program decides where the user left it open, each decision in words.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "harness/config/sweep.h"
#include "harness/record/scenario.h"

namespace benchbench::config {

// What the trainers of some layers, the base's and those of axes, make of CUDA devices.
struct CudaUse {
  // Names the trainer that has no steps there, or is given what means something on the CPU alone;
  // "" where all run there.
  std::string why_not;
  bool kernels = false;  // one of them needs the build's own
  bool torch = false;    // one of them is a network of the torch module
  // One that runs in the user's own interpreter, and what `python` says that this is; "": none
  // does.
  std::string external, python;
};
CudaUse cuda_use(const std::vector<const Layer*>& layers_on_cuda, const Catalog& catalog);

// The base point's device, from all layers that may name it: the last one that does; `auto` is the
// first CUDA device where there is one that `use` can be made of.
std::string base_device(const std::vector<const Layer*>& layers, const ScenarioRequest& request,
                        const CudaUse& use, std::vector<std::string>& decisions);

// trainer.intra_op_threads, once for the whole sweep, so that the point with the most workers keeps
// its cores, but the user's own where a step runs in their process; loader.max_jobs of the base
// point, in words where the harness's own workers keep to it; measure.modes, where it was not given
// and the user's loader runs alone; whether the plan may choose the window. The base is settled,
// points are where they are made.
void settle_automatic(Scenario& scenario, const ScenarioRequest& request, const Given& given,
                      const Catalog& catalog);

// The last layer's word, one_at_a_time where there is none. A layer that empties the sweep drops
// the mode of those below with their axes, but for that of --set.
SweepMode sweep_mode(const std::vector<const Layer*>& layers, Diagnostics& diagnostics);
// `written`: the axes that are left, each as its last layer wrote it.
void check_zip(const std::vector<Axis>& axes, const std::vector<WrittenAxis>& written,
               Diagnostics& diagnostics);
void read_title(const std::vector<const Layer*>& layers, Scenario& scenario,
                Diagnostics& diagnostics);
std::string no_variant_text(const std::string& name, const std::vector<std::string>& names);

}  // namespace benchbench::config
