#include "scenarios/formats/hdf5/hdf5_chunk_reader.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "harness/core/byte_span.h"
#include "scenarios/storage/extent_reader.h"

namespace benchbench::hdf5_format {
namespace {

constexpr std::uint64_t kMaxKept = 64 << 20;

class ChunkReader final : public SampleReader {
 public:
  ChunkReader(const std::string& path, const Chunks& chunks, const SampleTable& table,
              const Runtime& runtime)
      : chunks_(chunks),
        table_(table),
        runtime_(runtime),
        path_(path),
        file_(ReadFile::open(path.c_str())) {
    for (std::size_t i = 1; i < chunks.extents().size(); ++i) in_row_ *= chunks.along(i);
    keeps_ = chunks.chunk()[0] > 1 && in_row_ * chunks.bytes() <= kMaxKept;
  }

  StoredSample read(SampleId id, StepNumber step, StageMeter& meter) override {
    const std::span<std::byte> sample = sample_.room(table_.length(id));
    const std::uint64_t row = id / chunks_.chunk()[0];
    for (std::uint64_t i = 0; i < in_row_; ++i) {
      const auto elements =
          keeps_ ? kept(row, i, id, step, meter) : fetch(row * in_row_ + i, id, step, meter);
      const StageScope scope(meter, runtime_, step, Stage::parse);
      place(elements, i, id % chunks_.chunk()[0], sample);
    }
    meter.payload(id, sample);
    return {sample, table_.label(id), table_.name(id)};
  }

 private:
  ByteSpan fetch(std::uint64_t number, SampleId id, StepNumber step, StageMeter& meter) {
    hdf5::ChunkPlace where;
    std::span<std::byte> stored;
    {
      const StageScope scope(meter, runtime_, step, Stage::read);
      where = chunks_.place(number);
      stored = stored_.room(checked_length(where.bytes, table_.name(id)));
      file_.read_at(where.offset, stored, path_);
    }
    meter.bytes_read(stored.size());
    if (!chunks_.filtered()) return stored;
    const StageScope scope(meter, runtime_, step, Stage::decode);
    return chunks_.undo_filters(stored, where.skipped_filters, scratch_, table_.name(id));
  }

  ByteSpan kept(std::uint64_t row, std::uint64_t i, SampleId id, StepNumber step,
                StageMeter& meter) {
    const std::uint64_t bytes = chunks_.bytes();
    if (row != kept_row_) {
      kept_row_ = kNone;  // until it is whole
      const std::span<std::byte> room = row_.room(in_row_ * bytes);
      for (std::uint64_t k = 0; k < in_row_; ++k) {
        const auto elements = fetch(row * in_row_ + k, id, step, meter);
        std::memcpy(room.data() + k * bytes, elements.data(), bytes);
      }
      kept_row_ = row;
    }
    return row_.room(in_row_ * bytes).subspan(i * bytes, bytes);
  }

  // Copies what chunk `i` of its row of chunks holds of the sample that is `slice`th along the
  // first dimension.
  void place(ByteSpan elements, std::uint64_t i, std::uint64_t slice,
             std::span<std::byte> sample) const {
    const auto& extents = chunks_.extents();
    const auto& chunk = chunks_.chunk();
    const std::size_t rank = extents.size(), element = chunks_.element_bytes();
    std::array<std::uint64_t, 32> begin{}, size{}, at{};
    std::uint64_t rest = i, slice_bytes = element;
    for (std::size_t d = rank; d-- > 1; rest /= chunks_.along(d)) {
      begin[d] = rest % chunks_.along(d) * chunk[d];
      size[d] = std::min(chunk[d], extents[d] - begin[d]);  // chunks at the border are stored whole
      slice_bytes *= chunk[d];
    }
    const std::byte* from = elements.data() + slice * slice_bytes;
    const std::size_t run = rank > 1 ? size[rank - 1] * element : element;
    for (bool more = true; more;) {
      std::uint64_t source = 0, target = 0;
      for (std::size_t d = 1; d < rank; ++d) {
        source = source * chunk[d] + at[d];
        target = target * extents[d] + begin[d] + at[d];
      }
      std::memcpy(sample.data() + target * element, from + source * element, run);
      more = false;
      for (std::size_t d = rank > 1 ? rank - 1 : 0; d-- > 1;) {
        if (++at[d] < size[d]) {
          more = true;
          break;
        }
        at[d] = 0;
      }
    }
  }

  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  const Chunks& chunks_;
  const SampleTable& table_;
  const Runtime& runtime_;
  std::string path_;
  ReadFile file_;
  std::uint64_t in_row_ = 1;  // chunks that samples of one row of chunks are spread over
  bool keeps_ = false;
  std::uint64_t kept_row_ = kNone;
  ReadBuffer stored_, row_, sample_;
  GrowingScratch scratch_;
};

}  // namespace

std::unique_ptr<SampleReader> read_by_chunks(const std::string& path, const Chunks& chunks,
                                             const SampleTable& table, const Runtime& runtime) {
  return std::make_unique<ChunkReader>(path, chunks, table, runtime);
}

}  // namespace benchbench::hdf5_format
