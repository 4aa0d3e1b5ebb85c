// What all micro benchmarks share: the catalogue, and data sets made when a benchmark first asks
// for one.
#pragma once
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/micro/described_settings.h"
#include "harness/part/catalog.h"

namespace benchbench::micro {

// Logical samples that a data set is made of: by the catalogue's synthesis of that kind; with
// `side` our own decoded images [side, side, 3], which compress to about half.
struct Recipe {
  DataKind kind = DataKind::image;
  std::uint64_t samples = 64;
  std::int64_t side = 0;
  std::int64_t mean_width = 0;  // of encoded images, 4:3; 0: as the synthesis has it
  auto operator<=>(const Recipe&) const = default;
  std::string name() const;  // "image", "pixels_224", "volume"
};

// What it is made of, by what a format says it holds: the recipes that suit it, small ones.
std::vector<Recipe> recipes_for(const Holds& holds);

// Lives as long as the run; one thread. Data sets lie in the system's temporary folder and go with
// it.
class Workbench {
 public:
  explicit Workbench(const Catalog& catalog);
  ~Workbench();
  Workbench(const Workbench&) = delete;
  Workbench& operator=(const Workbench&) = delete;

  const Catalog& catalog() const noexcept { return catalog_; }
  // PartError where the catalogue has none of that name.
  const PartRow& row(PartKind kind, std::string_view name) const;
  // Of that part, its defaults but for what is given. PartError as row().
  // They live as long as the workbench, for parts that keep what they are made with.
  const DescribedSettings& settings(PartKind kind, std::string_view name,
                                    const DescribedSettings::Given& given = {});
  // With its defaults. Throws what the sampler throws.
  std::unique_ptr<Sampler> sampler(std::string_view name, const Layout& layout,
                                   std::uint32_t batch_size, std::uint64_t seed = 0);
  std::unique_ptr<Trainer> trainer(std::string_view name, const TrainerContext& context) const {
    return catalog_.maker(PartKind::trainer, name).trainer(context);
  }
  std::unique_ptr<SampleArchive> open(const DatasetPlace& place) const {
    return catalog_.maker(PartKind::sample_format, place.format).format.open(place.path);
  }
  // Made at the first call. Throws what the parts throw; StoreError where there is no room. The
  // views live as long as the workbench.
  DatasetPlace data(std::string_view format, const Recipe& recipe);
  // In the first format of the catalogue that holds it. PartError where none does.
  DatasetPlace data(const Recipe& recipe);

 private:
  struct Made;
  static Made made_pixels(const Recipe& recipe);
  Made synthesised(const Recipe& recipe) const;
  const Made& made(const Recipe& recipe);
  std::string new_path(const std::string& name);

  const Catalog& catalog_;
  std::deque<DescribedSettings> settings_;
  std::string folder_;  // empty until something is made
  std::map<Recipe, std::unique_ptr<Made>> made_;
  std::map<std::pair<std::string, Recipe>, std::string> paths_;
};

}  // namespace benchbench::micro
