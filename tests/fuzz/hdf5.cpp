// HDF5 files that somebody means harm with: refused, or every sample is read or refused by itself.
// The library is not built with sanitizers here: what it does within itself is seen only where it
// crashes.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "harness/core/error.h"
#include "harness/core/runtime.h"
#include "harness/part/catalog.h"
#include "harness/part/null_meter.h"
#include "tests/fuzz/input_file.h"

namespace benchbench {
namespace parts {
PartMaker sample_format_hdf5_maker();
PartMaker sample_format_hdf5_contiguous_maker();
PartMaker sample_format_hdf5_chunked_maker();
PartMaker sample_format_hdf5_gzip_maker();
}  // namespace parts
namespace {

void read_all(const FormatPart& format, const std::string& path) try {
  static const auto runtime = make_real_runtime();
  const auto archive = format.open(path);
  const auto reader = archive->reader(*runtime);
  NullMeter meter;
  for (SampleId id = 0; id < std::min<SampleId>(archive->layout().samples, 64); ++id) try {
      reader->read(id, 0, meter);
    } catch (const PartError&) {
    }
} catch (const ScenarioError&) {
} catch (const PartError&) {
}

}  // namespace
}  // namespace benchbench

// What the library itself does not free of files that it refuses; the leaks of our own code are
// found.
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5_serial.so"; }

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace benchbench;
  static const fuzz::InputFile input(".h5");
  static const FormatPart formats[] = {parts::sample_format_hdf5_maker().format,
                                       parts::sample_format_hdf5_contiguous_maker().format,
                                       parts::sample_format_hdf5_chunked_maker().format,
                                       parts::sample_format_hdf5_gzip_maker().format};
  const std::string& path = input.hold(data, size);
  for (const FormatPart& format : formats) read_all(format, path);
  return 0;
}
