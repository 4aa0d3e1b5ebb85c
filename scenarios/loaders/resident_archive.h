// An archive whose stored bytes lie in memory: the loader without its storage.
#pragma once
#include <memory>
#include <vector>

#include "harness/part/sample_format.h"
#include "scenarios/storage/mapped_file.h"

namespace benchbench {

// Reads every sample once, now, and keeps its stored bytes: what is to be found in them or inflated
// is found and inflated each time. Where only the format's library finds its way, what it made of
// them is kept. A sample that cannot be read is kept as its error and thrown when it is asked for.
// ScenarioError where memory does not hold them all.
std::unique_ptr<SampleArchive> make_resident(std::unique_ptr<SampleArchive> archive);

// For a library that opens the files itself: they are brought into the page cache and stay mapped.
// ScenarioError where they cannot be.
class ResidentFiles {
 public:
  ResidentFiles() = default;
  explicit ResidentFiles(const SampleExtents& extents);

 private:
  std::vector<std::unique_ptr<MappedFile>> files_;
};

}  // namespace benchbench
