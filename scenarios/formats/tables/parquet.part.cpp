// What the format parquet says of itself; its code is in the module `arrow`.
#include "harness/part/description.h"

namespace benchbench::parts {

constexpr Stage kStagesBilledByParquet[] = {Stage::read, Stage::parse};

extern const PartDescription sample_format_parquet_description{
    .kind = PartKind::sample_format,
    .name = "parquet",
    .summary =
        "Parquet with columns image, label, name, as Hugging Face datasets have them; row groups "
        "are read and decoded in one step, billed as read.",
    .data = DataKind::image,
    .stages = kStagesBilledByParquet,
    .holds = {.images = true},
    .on_disk = {.files = FormatFiles::shards,
                .extensions = {".parquet"},
                .signature = "PAR1",
                .check_sums = true,
                .columns = true},
};

}  // namespace benchbench::parts
