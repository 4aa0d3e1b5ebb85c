// Images decoded and cut to one size: what is left to a loader is reading and cropping.
#include <vector>

#include "harness/part/catalog.h"
#include "scenarios/preparation/resized_picture.h"

namespace benchbench {
namespace {

class DecodedPreparation final : public Preparation {
 public:
  explicit DecodedPreparation(int size) : size_(size) {}

  PayloadSpec payload() const noexcept override {
    PayloadSpec payload;
    payload.row.rank = 3;
    payload.row.extent = {size_, size_, 3};
    return payload;
  }
  std::uint64_t bytes_estimate() const noexcept override {
    return static_cast<std::uint64_t>(size_) * static_cast<std::uint64_t>(size_) * 3;
  }
  bool make(ByteSpan stored, const std::function<void(ByteSpan)>& sink) override {
    if (picture_.make(stored, size_, preparation::ResizedPicture::Part::centre)) {
      sink(std::as_bytes(picture_.pixels()));
      return true;
    }
    const std::vector<std::byte> blank(bytes_estimate());
    sink(blank);
    return false;
  }

 private:
  int size_;
  preparation::ResizedPicture picture_;
};

std::unique_ptr<Preparation> make_decoded(int size) {
  return std::make_unique<DecodedPreparation>(size);
}

}  // namespace

namespace parts {
extern const PartDescription preparation_decoded_description{
    .kind = PartKind::preparation,
    .name = "decoded",
    .summary =
        "Every image decoded, its shorter side resized, centre-cropped and stored as pixels [size, "
        "size, 3].",
    .data = DataKind::image,
};
PartMaker preparation_decoded_maker() { return {.preparation = make_decoded}; }
}  // namespace parts

}  // namespace benchbench
