// A library of parts of the user's own, as small as can be; what is wrong with it, CMake says.
#include "harness/part/own_part.h"

namespace {

using namespace benchbench;

[[maybe_unused]] constexpr PartDescription kLoader{
    .kind = PartKind::loader, .name = "small", .summary = "Small."};
[[maybe_unused]] constexpr PartDescription kTrainer{
    .kind = PartKind::trainer, .name = "tiny", .summary = "Tiny."};
[[maybe_unused]] constexpr PartDescription kFormat{
    .kind = PartKind::sample_format, .name = "odd", .summary = "Odd."};
[[maybe_unused]] const PartMaker kMakesLoader{
    .loader = [](const LoaderContext&) { return std::unique_ptr<Loader>(); }, .format = {}};
[[maybe_unused]] const PartMaker kMakesTrainer{
    .trainer = [](const TrainerContext&) { return std::unique_ptr<Trainer>(); }, .format = {}};

}  // namespace

#if defined(TEST_LIBRARY_OF_ANOTHER_VERSION)
extern "C" {
extern const std::uint32_t benchbench_part_interface;
const std::uint32_t benchbench_part_interface = benchbench::kPartInterface + 1;
const benchbench::OwnParts* benchbench_parts() { __builtin_trap(); }
}
#elif defined(TEST_LIBRARY_WITH_TWO_LOADERS)
BENCHBENCH_PARTS({&kLoader, kMakesLoader}, {&kLoader, kMakesLoader});
#elif defined(TEST_LIBRARY_WITHOUT_MAKER)
BENCHBENCH_PARTS({&kLoader, kMakesTrainer});
#elif defined(TEST_LIBRARY_OF_A_FORMAT)
BENCHBENCH_PARTS({&kFormat, kMakesLoader});
#elif defined(TEST_LIBRARY_OF_ONE_LOADER)
BENCHBENCH_PARTS({&kLoader, kMakesLoader});
#else
BENCHBENCH_PARTS({&kLoader, kMakesLoader}, {&kTrainer, kMakesTrainer});
#endif
