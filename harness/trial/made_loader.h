// The one place where a loader is made: for a trial, for the batch that mode trainer repeats, for
// the loader that runs next to a trainer, for `data --verify` and for `micro`.
#pragma once
#include <memory>
#include <string_view>

#include "harness/part/catalog.h"
#include "harness/record/resolved_settings.h"
#include "harness/record/value.h"

namespace benchbench {

// A part's row. Throws PartError where the catalogue has none of that name or, with `simulated`,
// where its time does not go through the runtime: in virtual time it would seem to take none.
const PartRow& row_of(const Catalog& catalog, PartKind kind, std::string_view name, bool simulated);

// Whether that trainer takes batches of images with labels, and no others.
bool takes_images(const Catalog& catalog, std::string_view trainer) noexcept;

// What is asked for; the rest of a LoaderContext follows from it.
struct LoaderOrder {
  const Catalog& catalog;
  std::string_view use;       // the loader's name
  const Settings& settings;   // its own parameters; must outlive it
  DatasetPlace dataset = {};  // handed on only to a loader that needs one
  std::uint32_t batch_size = 1;
  std::uint32_t num_workers = 0;
  std::uint64_t seed = 0;
  std::uint32_t round = 0;  // where storage order and replayed times begin: first_sample()
  const PrototypeBatch* prototype = nullptr;
  EmulatedStorage* storage = nullptr;
  std::span<const std::int64_t> times = {};  // for replay
  bool simulated = false;                    // its workers will run in virtual time
  const ExternalTerms* external = nullptr;   // for one in a process of its own
};

// Throws as row_of() does, and what the loader throws.
std::unique_ptr<Loader> make_loader(const LoaderOrder& order);

// The order `access` of that loader's samples; with the settings and the batch size that made it.
struct SamplerOrder {
  std::string_view access;
  std::uint64_t seed = 0;
  DatasetSettings kept = {};  // its share of the samples, and by what they are chosen
  std::uint64_t kept_seed = 0;
};
std::unique_ptr<Sampler> make_sampler(const LoaderOrder& order, const SamplerOrder& sampler,
                                      const Loader& loader);

}  // namespace benchbench
