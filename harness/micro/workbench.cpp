#include "harness/micro/workbench.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <filesystem>

#include "harness/core/error.h"
#include "harness/core/files/folder_paths.h"
#include "harness/core/random.h"

namespace benchbench::micro {
namespace {

namespace fs = std::filesystem;

std::string new_folder() {
  std::string name = temporary_folder() + "/benchbench-micro-XXXXXX";
  if (!mkdtemp(name.data()))
    throw StoreError("no temporary folder: " + name, "set TMPDIR to a folder with free space");
  return name;
}

const PartRow& synthesis_of(const Catalog& catalog, DataKind kind) {
  for (const PartRow& row : catalog.rows())
    if (row.description->kind == PartKind::synthesis && row.description->data == kind) return row;
  throw PartError("this build cannot synthesise such data");
}

DescribedSettings::Given sizes_of(const Recipe& recipe) {
  DescribedSettings::Given given{{"samples", std::to_string(recipe.samples)}};
  if (recipe.mean_width == 0) return given;
  given["image.mean_width"] = std::to_string(recipe.mean_width);
  given["image.mean_height"] = std::to_string(recipe.mean_width * 3 / 4);
  given["image.spread"] = "0";
  return given;
}

// A gradient with three bits of noise: neither all alike nor all noise, as pictures are not.
std::vector<std::byte> pixels(SampleId id, std::int64_t side) {
  Random random(id);
  std::vector<std::byte> bytes(static_cast<std::size_t>(side * side * 3));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto pixel = i / 3;
    const auto at = pixel / static_cast<std::size_t>(side) + pixel % static_cast<std::size_t>(side);
    bytes[i] = static_cast<std::byte>(at / 2 + i % 3 * 40 + (random.next() & 7));
  }
  return bytes;
}

}  // namespace

std::string Recipe::name() const {
  if (side > 0) return fmt::format("pixels_{}", side);
  constexpr std::string_view names[] = {"any", "image", "tokens", "volume"};
  return std::string(names[static_cast<int>(kind)]) +
         (mean_width > 0 ? fmt::format("_{}", mean_width) : "");
}

std::vector<Recipe> recipes_for(const Holds& holds) {
  std::vector<Recipe> recipes;
  if (holds.images) recipes.push_back({.kind = DataKind::image});
  if (holds.pixels) recipes.push_back({.kind = DataKind::image, .side = 224});
  if (holds.volumes) recipes.push_back({.kind = DataKind::volume, .samples = 8});
  if (holds.tokens) recipes.push_back({.kind = DataKind::tokens, .samples = 512});
  return recipes;
}

struct Workbench::Made {
  PayloadSpec spec;
  std::string extension;
  std::vector<std::vector<std::byte>> payloads = {};
  std::vector<std::int64_t> labels = {};
};

Workbench::Workbench(const Catalog& catalog) : catalog_(catalog) {}

Workbench::~Workbench() {
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

const PartRow& Workbench::row(PartKind kind, std::string_view name) const {
  if (const PartRow* found = catalog_.find(kind, name)) return *found;
  throw PartError(fmt::format("this build has no {} {}", name_of(kind), name));
}

const DescribedSettings& Workbench::settings(PartKind kind, std::string_view name,
                                             const DescribedSettings::Given& given) {
  return settings_.emplace_back(*row(kind, name).description, given);
}

std::unique_ptr<Sampler> Workbench::sampler(std::string_view name, const Layout& layout,
                                            std::uint32_t batch_size, std::uint64_t seed) {
  return catalog_.maker(PartKind::sampler, name)
      .sampler({.layout = layout,
                .seed = seed,
                .batch_size = batch_size,
                .settings = settings(PartKind::sampler, name)});
}

Workbench::Made Workbench::made_pixels(const Recipe& recipe) {
  Made made{
      {.data = DataKind::image, .dtype = DType::uint8, .row = {{recipe.side, recipe.side, 3}, 3}},
      ".bin"};
  for (SampleId id = 0; id < recipe.samples; ++id) {
    made.payloads.push_back(pixels(id, recipe.side));
    made.labels.push_back(static_cast<std::int64_t>(id % 8));
  }
  return made;
}

Workbench::Made Workbench::synthesised(const Recipe& recipe) const {
  const PartDescription& description = *synthesis_of(catalog_, recipe.kind).description;
  const DescribedSettings settings(description, sizes_of(recipe));
  const auto synthesis = catalog_.maker(PartKind::synthesis, description.name).synthesis(settings);
  Made made{synthesis->payload(), std::string(synthesis->extension())};
  for (SampleId id = 0; id < synthesis->samples(); ++id) {
    synthesis->make(id, [&](std::span<const std::byte> payload) {
      made.payloads.emplace_back(payload.begin(), payload.end());
    });
    made.labels.push_back(synthesis->label(id));
  }
  return made;
}

const Workbench::Made& Workbench::made(const Recipe& recipe) {
  std::unique_ptr<Made>& place = made_[recipe];
  if (!place)
    place = std::make_unique<Made>(recipe.side > 0 ? made_pixels(recipe) : synthesised(recipe));
  return *place;
}

std::string Workbench::new_path(const std::string& name) {
  if (folder_.empty()) folder_ = new_folder();
  return folder_ + "/" + name;
}

DatasetPlace Workbench::data(std::string_view format, const Recipe& recipe) {
  const PartDescription& description = *row(PartKind::sample_format, format).description;
  const auto [at, is_new] = paths_.try_emplace({std::string(format), recipe});
  if (!is_new && !at->second.empty()) return {description.name, at->second};
  const Made& samples = made(recipe);
  const std::string path = new_path(fmt::format("{}_{}_{}", format, recipe.name(), recipe.samples));
  const auto writer = catalog_.maker(PartKind::sample_format, format)
                          .format.create({path, samples.payloads.size(), samples.spec});
  for (std::size_t i = 0; i < samples.payloads.size(); ++i)
    writer->add(fmt::format("class{:04}/{:06}{}", samples.labels[i], i, samples.extension),
                samples.labels[i], samples.payloads[i]);
  writer->finish();
  at->second = path;
  return {description.name, at->second};
}

DatasetPlace Workbench::data(const Recipe& recipe) {
  for (const PartRow& row : catalog_.rows()) {
    const Holds& holds = row.description->holds;
    if (row.description->kind != PartKind::sample_format) continue;
    for (const Recipe& held : recipes_for(holds))
      if (held.kind == recipe.kind && (held.side > 0) == (recipe.side > 0))
        return data(row.description->name, recipe);
  }
  throw PartError(fmt::format("no format of this build holds {}", recipe.name()));
}

}  // namespace benchbench::micro
