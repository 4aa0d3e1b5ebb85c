// Makes data sets and proves them: synthesis, conversion between formats, manifests. Works through
// the catalogue's seams (Synthesis, SampleFormat); never writes into the user's folder.
//
// A made data set is one folder, <cache>/datasets/<digest>-<format>/ (see
// harness/dataset/dataset_need.h):
//   OnDisk::made_as of its format   the data, as its format lays it out
//   manifest                        one record a sample, below
//   unreadable                      names of the samples without a payload, one a line; only where
//                                   there are any. Of prepared pixels: those that are zeros in
//                                   place of an image
//   finished                        a few lines of text for people; written and synced last.
//                                   Without it the folder is a making that was cut short, and is
//                                   removed before the next
// and beside it <digest>-<format>.lock, locked (flock) by the process that makes it.
//
// The manifest, integers little-endian: 8 bytes "BBMANIF1"; samples (8); bytes of all payloads (8);
// then for each sample in id order digest.high (8), digest.low (8), label (8), length (8); at the
// end the digest (16) of all bytes before it.
#pragma once
#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/digest.h"
#include "harness/dataset/dataset_need.h"
#include "harness/part/catalog.h"

namespace benchbench {

// Progress of a making: samples done of all, bytes written. Called on the caller's thread, some 10
// times a second; with done = 0 while another process makes the same data set.
using DatasetProgress =
    std::function<void(std::uint64_t done, std::uint64_t all, std::uint64_t bytes)>;

// Makes what `need` asks for, unless it lies there and its manifest agrees: count, all labels,
// digests of 64 samples spread over it (then it returns after some ms). All logical samples are
// equal in every format: a format is made from another one that lies ready, and compared with its
// manifest. A file of the user's that cannot be read, or is empty, becomes a sample with an empty
// payload, which every decoder reports with its name; where that is all of them it is a
// ScenarioError. So does, with dataset.prepare, an image that cannot be decoded without complaint;
// among pixels it is zeros. The user's own data is opened, to see that it can be, and left alone.
// Throws ScenarioError (no images, no space: with numbers; a manifest that disagrees: naming the
// sample), InterruptedError when `stop` turned true. Uses all usable cores. Meant to be called in a
// child process. The remark of the user's data where they were opened or converted now, else "".
std::string ensure_dataset(const DatasetNeed& need, const Catalog& catalog,
                           const DatasetProgress& progress, const std::atomic<bool>& stop);

// The manifest: one digest a sample, in id order, of the payload's bytes. Lies in the cache folder
// beside the data (never in a user's folder): `manifest_path(need)`. The user's own data has none:
// its path is "".
struct Manifest {
  std::vector<Digest> digests;
  std::vector<std::int64_t> labels;
  std::vector<std::uint64_t> lengths;  // payload bytes of each
  std::uint64_t bytes = 0;             // of all payloads

  void reserve(std::uint64_t samples) {
    digests.reserve(samples);
    labels.reserve(samples);
    lengths.reserve(samples);
  }
  void add(const Digest& digest, std::int64_t label, std::uint64_t length) {
    digests.push_back(digest);
    labels.push_back(label);
    lengths.push_back(length);
    bytes += length;
  }
};
std::string manifest_path(const DatasetNeed& need);
// nullopt where there is none; StoreError where damaged.
std::optional<Manifest> read_manifest(const DatasetNeed& need);

// Class-relative names of the samples of a made data set that have no payload, or zeros in place of
// one, in id order; most have none.
std::vector<std::string> unreadable_samples(const DatasetNeed& need);

}  // namespace benchbench
