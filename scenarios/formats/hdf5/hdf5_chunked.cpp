// Arrays in one HDF5 file, a chunk a sample: see hdf5_arrays.h.
#include "harness/part/catalog.h"
#include "scenarios/formats/hdf5/hdf5_arrays.h"

namespace benchbench::parts {

constexpr Stage kStagesBilled[] = {Stage::read, Stage::parse};

extern const PartDescription sample_format_hdf5_chunked_description{
    .kind = PartKind::sample_format,
    .name = "hdf5_chunked",
    .summary = "Arrays of one shape in one HDF5 file, a chunk a sample as it is: /data [samples, ...].",
    .data = DataKind::any,
    .stages = kStagesBilled,
    .holds = {.pixels = true, .volumes = true},
    .on_disk = {.made_as = "samples.h5", .recognised_as = "hdf5", .library = true},
};

PartMaker sample_format_hdf5_chunked_maker() {
  using hdf5_format::Layout;
  PartMaker maker;
  maker.format = {.open = [](std::string_view path) { return hdf5_format::open_arrays(path, Layout::chunked); },
                  .create = [](const WriteOrder& order) { return hdf5_format::create_arrays(order, Layout::chunked); }};
  return maker;
}

}  // namespace benchbench::parts
