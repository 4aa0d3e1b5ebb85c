// Makes data sets and proves them: synthesis, conversion between formats, manifests. Works through the catalogue's
// seams (Synthesis, SampleFormat); never writes into the user's folder.
#pragma once
#include <functional>
#include <string>

#include "harness/core/digest.h"
#include "harness/part/catalog.h"
#include "harness/record/dataset_need.h"

namespace benchbench {

// Progress of a making: samples done of all, bytes written.
using DatasetProgress = std::function<void(std::uint64_t done, std::uint64_t all, std::uint64_t bytes)>;

// Makes what `need` asks for, unless it lies there and its manifest agrees (then it returns at once). All logical
// samples are equal in every format. Throws ScenarioError (no images, no space: with numbers; a manifest that
// disagrees: naming the sample), InterruptedError when `stop` turned true. Uses all usable cores.
void ensure_dataset(const DatasetNeed& need, const Catalog& catalog, const DatasetProgress& progress,
                    const std::atomic<bool>& stop);

// The manifest: one digest a sample, in id order, of the payload's bytes. Lies in the cache folder beside the data
// (never in a user's folder): `manifest_path(need)`. A user's own data set has one only after a conversion or `verify`.
struct Manifest {
  std::vector<Digest> digests;
  std::vector<std::int64_t> labels;
  std::uint64_t bytes = 0;            // of all payloads
};
std::string manifest_path(const DatasetNeed& need);
std::optional<Manifest> read_manifest(const DatasetNeed& need);   // nullopt where there is none; StoreError where damaged

}  // namespace benchbench
