// Where the samples of a data set come from when it is made: a synthesis, or an archive in another
// format.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "harness/core/runtime.h"
#include "harness/dataset/dataset.h"
#include "harness/part/null_meter.h"

namespace benchbench {

// One thread's way to the payloads: hands that of a sample to `sink` once; an empty one for a
// sample of the user's that cannot be read.
using SampleMaker = std::function<void(SampleId id, const PayloadSink& sink)>;

// All members but maker() may be called by any thread.
class SampleSource {
 public:
  virtual ~SampleSource() = default;
  virtual std::uint64_t samples() const = 0;
  virtual std::uint64_t bytes_estimate() const = 0;
  virtual std::int64_t label(SampleId id) const = 0;
  virtual std::string name(SampleId id) const = 0;  // class-relative, as SampleWriter::add wants it
  virtual PayloadSpec payload() const = 0;
  virtual SampleMaker maker(Runtime& runtime) const = 0;
  // What the payloads must be, where that is known before: the manifest of an archive that we made.
  virtual const Manifest* expected() const { return nullptr; }
  virtual std::string text() const = 0;              // for messages and the finished marker
  virtual std::string remark() const { return {}; }  // of the archive that it is
  // Has this sample, made before, no content although it has bytes: zeros in place of an image that
  // cannot be decoded?
  virtual bool blank(SampleId) const { return false; }
  // Once all samples are made: a digest of all the bytes they were made from; "" where they are
  // those bytes.
  virtual std::string origin() const { return {}; }
};

// The synthesis of `need.synthesize`. Names are such that their order is the order of the ids.
std::unique_ptr<SampleSource> synthesis_source(const DatasetNeed& need, const Catalog& catalog);
// An archive; `manifest` where we made it.
std::unique_ptr<SampleSource> archive_source(const DatasetPlace& place, std::uint64_t bytes,
                                             std::optional<Manifest> manifest,
                                             const Catalog& catalog);

// The images of `source`, each as dataset.prepare has it. ScenarioError where those are no encoded
// images.
std::unique_ptr<SampleSource> prepared_source(std::unique_ptr<SampleSource> source,
                                              const DatasetNeed& need, const Catalog& catalog);

}  // namespace benchbench
