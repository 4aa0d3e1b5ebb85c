// Arrays in one HDF5 file, a format for each way in which such a file lays them out: see
// hdf5_arrays.h.
#include "harness/part/catalog.h"
#include "scenarios/formats/hdf5/hdf5_open.h"

namespace benchbench::parts {
namespace {

using hdf5_format::Layout;

constexpr Stage kStagesBilled[] = {Stage::read, Stage::parse, Stage::lock};
constexpr Stage kStagesBilledInflating[] = {Stage::read, Stage::parse, Stage::decode, Stage::lock};

constexpr PartDescription described(std::string_view name, std::string_view summary,
                                    bool check_sums) {
  return {.kind = PartKind::sample_format,
          .name = name,
          .summary = summary,
          .stages = check_sums ? std::span<const Stage>(kStagesBilledInflating) : kStagesBilled,
          .holds = {.pixels = true, .volumes = true},
          .on_disk = {.made_as = "samples.h5",
                      .recognised_as = "hdf5",
                      .library = true,
                      .check_sums = check_sums,
                      .columns = true}};
}

template <Layout kLayout>
PartMaker maker_of() {
  return {.format = {.opens =
                         [](std::string_view path, const ColumnNames& columns) {
                           return hdf5_format::open_file(path, kLayout, columns);
                         },
                     .create =
                         [](const WriteOrder& order) {
                           return hdf5_format::create_arrays(order, kLayout);
                         }}};
}

}  // namespace

extern constexpr PartDescription sample_format_hdf5_contiguous_description =
    described("hdf5_contiguous",
              "Arrays of one shape in one HDF5 file, contiguous: /data [samples, ...].", false);
extern constexpr PartDescription sample_format_hdf5_chunked_description =
    described("hdf5_chunked",
              "Arrays of one shape in one HDF5 file, one uncompressed chunk per sample: /data "
              "[samples, ...].",
              false);
extern constexpr PartDescription sample_format_hdf5_gzip_description =
    described("hdf5_gzip",
              "Arrays of one shape in one HDF5 file, one gzip chunk per sample, inflated outside "
              "the library's lock.",
              true);

PartMaker sample_format_hdf5_contiguous_maker() { return maker_of<Layout::contiguous>(); }
PartMaker sample_format_hdf5_chunked_maker() { return maker_of<Layout::chunked>(); }
PartMaker sample_format_hdf5_gzip_maker() { return maker_of<Layout::gzip>(); }

}  // namespace benchbench::parts
