// The user's own data loader: a Dataset, a DataLoader or any iterable of batches that a function of
// theirs returns.
#include "harness/part/catalog.h"
#include "scenarios/python/hand_over_loader.h"
#include "scenarios/python/part_keys.h"
#include "scenarios/python/session.h"

namespace benchbench::parts {
namespace {

using namespace python_part;

constexpr std::string_view kStartMethods[] = {"none", "fork", "forkserver", "spawn"};

constexpr Parameter kParameters[] = {
    kScript,
    kModule,
    {"call", text, "",
     "The function that returns a Dataset, a DataLoader or an iterable of batches. It gets `args` "
     "as keywords, and the folder of the data as `root` if it takes one."},
    {"pick", integer, "none", "Which one of several that `call` returns, counted from 0.", 0, 1000},
    kInterpreter,
    {"persistent_workers", boolean, "none",
     "Keep the workers between epochs: DataLoader's argument."},
    choice_parameter("multiprocessing_context", "none",
                     "How workers are started; none: as Python does where nothing is said.",
                     kStartMethods),
};

constexpr Stage kStages[] = {Stage::read, Stage::collate, Stage::pin};

}  // namespace

extern const PartDescription loader_python_description{
    .kind = PartKind::loader,
    .name = "python",
    .summary = "Your own Dataset, DataLoader or iterable of batches, in your own Python.",
    .parameters = kParameters,
    .stages = kStages,
    .takes_dataset = true,
    .external = true,
    .free_keys = "args.",
};
PartMaker loader_python_maker() {
  return {.loader = make_hand_over_loader, .external = kExternalMaker};
}

}  // namespace benchbench::parts
