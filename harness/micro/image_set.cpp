#include "harness/micro/image_set.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <filesystem>

#include "harness/core/error.h"
#include "harness/micro/described_settings.h"

namespace benchbench::micro {
namespace {

namespace fs = std::filesystem;

std::string new_folder() {
  std::string name = (fs::temp_directory_path() / "benchbench-micro-XXXXXX").string();
  if (!mkdtemp(name.data()))
    throw StoreError("no temporary folder: " + name, "set TMPDIR to a folder with room");
  return name;
}

void write_samples(const Catalog& catalog, std::string_view format, const std::string& path,
                   std::uint64_t samples) {
  const PartDescription& description = *catalog.find(PartKind::synthesis, "image")->description;
  const DescribedSettings settings(description, {{"samples", std::to_string(samples)}});
  const auto synthesis = catalog.maker(PartKind::synthesis, "image").synthesis(settings);
  const auto writer = catalog.maker(PartKind::sample_format, format).format.create({path, samples});
  for (SampleId id = 0; id < samples; ++id)
    synthesis->make(id, [&](std::span<const std::byte> payload) {
      const std::int64_t label = synthesis->label(id);
      writer->add(fmt::format("class{:04}/{:06}{}", label, id, synthesis->extension()), label, payload);
    });
  writer->finish();
}

}  // namespace

ImageSet::ImageSet(const Catalog& catalog, std::uint64_t samples)
    : folder_(new_folder()), path_(folder_ + "/images") {
  try {
    catalog.maker(PartKind::synthesis, "image");  // says what is missing, if it is
    write_samples(catalog, kFormat, path_, samples);
  } catch (...) {
    fs::remove_all(folder_);
    throw;
  }
}

ImageSet::~ImageSet() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

}  // namespace benchbench::micro
