// pread into recycled memory, by whoever asks.
#include "scenarios/storage/engine.h"

namespace benchbench {
namespace {

class PreadEngine final : public ReadEngine {
 public:
  PreadEngine(const SampleExtents& extents, Runtime& runtime) : files_(extents), pool_(runtime) {}

  ReadBytes read(const Extent& extent) override {
    ReadFile own;
    const ReadFile& file = files_.open(extent.file, own);
    const std::string_view path = files_.path(extent.file);
    const std::size_t length = length_there(extent, file, path);
    ReadBytes got{.buffer = pool_.take(length)};
    got.bytes = {got.buffer.data(),
                 file.read_some_at(extent.offset, {got.buffer.data(), length}, path)};
    return got;
  }

 private:
  OpenFiles files_;
  BufferPool pool_;
};

}  // namespace

std::unique_ptr<ReadEngine> make_pread_engine(const SampleExtents& extents, Runtime& runtime) {
  return std::make_unique<PreadEngine>(extents, runtime);
}

}  // namespace benchbench
