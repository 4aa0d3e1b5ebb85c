#include "harness/trial/made_loader.h"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "harness/core/error.h"
#include "harness/pipeline/sampling/kept_samples.h"
#include "harness/trial/round_seeds.h"

namespace benchbench {

namespace {

// Returns the label of every sample. Throws ScenarioError where the loader does not know it.
std::vector<std::int64_t> read_labels(std::string_view loader_name, const Loader& loader) {
  std::vector<std::int64_t> labels(loader.layout().samples);
  for (SampleId id = 0; id < labels.size(); ++id) {
    const std::optional<std::int64_t> label = loader.find_label(id);
    if (!label)
      throw ScenarioError(fmt::format("dataset.keep_by: class chooses by the classes of samples, "
                                      "which loader {} does not know beforehand",
                                      loader_name),
                          "dataset.keep_by: random chooses from any");
    labels[id] = *label;
  }
  return labels;
}

}  // namespace

const PartRow& row_of(const Catalog& catalog, PartKind kind, std::string_view name,
                      bool simulated) {
  catalog.maker(kind, name);  // says what is wrong with the name, or loads its module
  const PartRow& row = *catalog.find(kind, name);
  if (simulated && !row.description->simulated)
    throw PartError(
        fmt::format("the {} \"{}\" cannot run under the simulated clock", benchbench::name_of(kind),
                    name),
        "drop --clock simulated, or use a part that supports it (`benchbench describe`)");
  return row;
}

bool takes_images(const Catalog& catalog, std::string_view trainer) noexcept {
  const PartRow* const row = catalog.find(PartKind::trainer, trainer);
  return row && row->description->data == DataKind::image;
}

std::unique_ptr<Loader> make_loader(const LoaderOrder& order) {
  const PartRow& row = row_of(order.catalog, PartKind::loader, order.use, order.simulated);
  return order.catalog.maker(PartKind::loader, order.use)
      .loader({.settings = order.settings,
               .dataset = row.description->needs_dataset || row.description->takes_dataset
                              ? order.dataset
                              : DatasetPlace{},
               .batch_size = order.batch_size,
               .num_workers = order.num_workers,
               .seed = order.seed,
               .prototype = order.prototype,
               .catalog = &order.catalog,
               .store = order.storage,
               .times = order.times,
               .first_time = first_sample(order.round, order.times.size()),
               .simulated = order.simulated,
               .external = order.external});
}

std::unique_ptr<Sampler> make_sampler(const LoaderOrder& order, const SamplerOrder& sampler,
                                      const Loader& loader) {
  row_of(order.catalog, PartKind::sampler, sampler.access, order.simulated);
  const Layout all = loader.layout();
  const auto ordered = [&](const Layout& layout) {
    return order.catalog.maker(PartKind::sampler, sampler.access)
        .sampler({.layout = layout,
                  .seed = sampler.seed,
                  .first = first_sample(order.round, layout.samples),
                  .batch_size = order.batch_size,
                  .settings = order.settings});
  };
  const std::uint64_t count = count_kept(sampler.kept.keep, all.samples);
  const bool repeats = order.prototype != nullptr;  // one batch: there is nothing to leave out
  if (count == all.samples || loader.own_rows() > 0 || repeats) return ordered(all);
  auto kept = sampler.kept.keeps_classes
                  ? choose_classes(read_labels(order.use, loader), count, sampler.kept_seed)
                  : choose_samples(all.samples, count, sampler.kept_seed);
  return std::make_unique<KeptOrder>(all, std::move(kept), ordered);
}

}  // namespace benchbench
