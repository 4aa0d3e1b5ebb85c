// A small set of JPEG files, made for a benchmark and removed after it.
#pragma once
#include <string>

#include "harness/part/catalog.h"

namespace benchbench::micro {

// `samples` pictures made by the catalogue's synthesis "image", as an image_folder in the system's temporary
// folder. Throws what the parts throw, StoreError where there is no room.
class ImageSet {
 public:
  ImageSet(const Catalog& catalog, std::uint64_t samples);
  ~ImageSet();
  ImageSet(const ImageSet&) = delete;
  ImageSet& operator=(const ImageSet&) = delete;
  // Views stay valid during its life.
  DatasetPlace place() const noexcept { return {kFormat, path_}; }

 private:
  static constexpr std::string_view kFormat = "image_folder";
  std::string folder_;
  std::string path_;
};

}  // namespace benchbench::micro
