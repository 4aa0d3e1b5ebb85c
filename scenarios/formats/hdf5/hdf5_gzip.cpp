// Arrays in one HDF5 file, a compressed chunk a sample: see hdf5_arrays.h.
#include "harness/part/catalog.h"
#include "scenarios/formats/hdf5/hdf5_arrays.h"

namespace benchbench::parts {

constexpr Stage kStagesBilled[] = {Stage::read, Stage::parse};

extern const PartDescription sample_format_hdf5_gzip_description{
    .kind = PartKind::sample_format,
    .name = "hdf5_gzip",
    .summary = "Arrays of one shape in one HDF5 file, a gzip chunk a sample, inflated outside the library's lock.",
    .data = DataKind::any,
    .stages = kStagesBilled,
    .holds = {.pixels = true, .volumes = true},
    .on_disk = {.made_as = "samples.h5", .recognised_as = "hdf5", .library = true, .check_sums = true},
};

PartMaker sample_format_hdf5_gzip_maker() {
  using hdf5_format::Layout;
  PartMaker maker;
  maker.format = {.open = [](std::string_view path) { return hdf5_format::open_arrays(path, Layout::gzip); },
                  .create = [](const WriteOrder& order) { return hdf5_format::create_arrays(order, Layout::gzip); }};
  return maker;
}

}  // namespace benchbench::parts
