#include "harness/dataset/dataset_need.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <sys/stat.h>

#include "harness/core/digest.h"
#include "harness/core/error.h"
#include "harness/core/files/folder_paths.h"
#include "harness/core/kernel_files.h"
#include "harness/core/spelling.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSynthesize = "dataset.synthesize.";
// Raised when the same settings would give other samples, so that old data sets are not taken for
// new ones.
constexpr std::string_view kSynthesisVersion = "benchbench synthesis 1\n";
constexpr std::string_view kConversionVersion = "benchbench conversion 2\n";
constexpr std::string_view kPreparationVersion = "benchbench preparation 1\n";
constexpr double kImageNetBytes = 110e3;  // of an image of ImageNet on average
constexpr double kStandardPreparedSize = 256;
// Bits per pixel, of pictures made smaller and encoded anew with quality 90.
constexpr double kPreparedBits = 3.8;

OnDisk on_disk(const std::string& format, const Catalog& catalog) {
  const PartRow* row = catalog.find(PartKind::sample_format, format);
  return row ? row->description->on_disk : OnDisk{};
}

DatasetNeed place(DatasetNeed need, const std::string& folder, const Catalog& catalog) {
  const std::string_view name = on_disk(need.format, catalog).made_as;
  need.path =
      (fs::path(folder) / (name.empty() ? "samples." + need.format : std::string(name))).string();
  std::error_code ignored;
  need.ready = fs::exists(fs::path(folder) / kFinishedMarker, ignored);
  return need;
}

DatasetNeed place_in_cache(DatasetNeed need, const std::string& cache, const Digest& digest,
                           const Catalog& catalog) {
  const fs::path folder = absolute_path(cache) / "datasets" / (digest.text() + "-" + need.format);
  return place(std::move(need), folder.lexically_normal().string(), catalog);
}

// Bits per pixel by quality, on straight lines between measured points
// (scripts/calibrate_synthesis). Good enough for a plan; the maker asks the synthesis itself.
double bits_per_pixel(double quality) {
  if (quality <= 75) return 0.26 + (2.82 - 0.26) * quality / 75;
  if (quality <= 90) return 2.82 + (4.35 - 2.82) * (quality - 75) / 15;
  if (quality <= 95) return 4.35 + (5.78 - 4.35) * (quality - 90) / 5;
  return 5.78 + (10.07 - 5.78) * (quality - 95) / 5;
}

double count_samples(const SettingsMap& s) { return s.real_or("dataset.synthesize.samples", 2048); }

std::uint64_t token_bytes(const SettingsMap& s) {
  const double min = s.real_or("dataset.synthesize.tokens.min_length", 16);
  const double max = s.real_or("dataset.synthesize.tokens.max_length", 2048);
  const double mean =
      std::clamp(s.real_or("dataset.synthesize.tokens.mean_length", 512), min, std::max(min, max));
  const double element = s.text_or("dataset.synthesize.tokens.dtype", "uint16") == "uint16" ? 2 : 4;
  return static_cast<std::uint64_t>(count_samples(s) * mean * element);
}

std::uint64_t volume_bytes(const SettingsMap& s) {
  const std::string dtype = s.text_or("dataset.synthesize.volume.dtype", "int16");
  const double element = dtype == "int16" ? 2 : dtype == "float32" ? 4 : 1;
  return static_cast<std::uint64_t>(count_samples(s) * element *
                                    s.real_or("dataset.synthesize.volume.depth", 64) *
                                    s.real_or("dataset.synthesize.volume.height", 96) *
                                    s.real_or("dataset.synthesize.volume.width", 96));
}

bool has_any(const SettingsMap& s, std::string_view prefix) {
  const auto first = s.all().lower_bound(prefix);
  return first != s.all().end() && first->first.starts_with(prefix);
}

// Width and height.
std::pair<double, double> mean_sides(const SettingsMap& s) {
  return {s.real_or("dataset.synthesize.image.mean_width", 500),
          s.real_or("dataset.synthesize.image.mean_height", 375)};
}

std::uint64_t synthesis_bytes(const SettingsMap& s) {
  if (has_any(s, "dataset.synthesize.tokens.")) return token_bytes(s);
  if (has_any(s, "dataset.synthesize.volume.")) return volume_bytes(s);
  const auto [width, height] = mean_sides(s);
  const double bits = bits_per_pixel(s.real_or("dataset.synthesize.image.quality", 90));
  return static_cast<std::uint64_t>(count_samples(s) * (width * height * bits / 8 + 620));
}

// What is done to the images ahead of time is part of what the samples are.
void take_preparation(const SettingsMap& settings, DatasetNeed& need, Digester& digester) {
  need.prepare = settings.text_or(keys::dataset.prepare, "");
  if (need.prepare.empty()) return;
  need.prepare_size = static_cast<std::uint32_t>(
      settings.real_or(keys::dataset.prepare_size, kStandardPreparedSize));
  digester.add(kPreparationVersion).add(fmt::format("{} {}\n", need.prepare, need.prepare_size));
}

// Other columns are other samples. Where none is named, conversions stay what they were.
void take_columns(const SettingsMap& settings, DatasetNeed& need, Digester& digester) {
  need.columns = {settings.text_or(keys::dataset.columns.image, ""),
                  settings.text_or(keys::dataset.columns.label, ""),
                  settings.text_or(keys::dataset.columns.name, "")};
  digester.add(need.columns.text());
}

// Good enough for a plan; the maker asks the preparation itself. `ratio`: of the longer side to the
// shorter.
std::uint64_t prepared_bytes(const DatasetNeed& need, double samples, double ratio) {
  const double square = static_cast<double>(need.prepare_size) * need.prepare_size;
  if (need.prepare == "decoded") return static_cast<std::uint64_t>(samples * square * 3);
  return static_cast<std::uint64_t>(samples * (square * ratio * kPreparedBits / 8 + 620));
}

std::string format_of_prepared(const std::string& prepare, std::string otherwise,
                               const Catalog& catalog) {
  return prepare == "decoded" ? standard_format(&Holds::pixels, catalog) : std::move(otherwise);
}

DatasetNeed synthesis_need(const SettingsMap& settings, const std::string& cache,
                           const Catalog& catalog) {
  DatasetNeed need;
  need.source = "synthesize";
  Digester digester;
  digester.add(kSynthesisVersion);
  for (const auto& [key, value] : settings.all()) {
    if (!key.starts_with(kSynthesize)) continue;
    need.synthesize.set(key, value);
    digester.add(key + "=" + value.text() + "\n");
  }
  take_preparation(settings, need, digester);
  need.format = settings.text_or(
      keys::dataset.format,
      format_of_prepared(need.prepare, standard_format(&Holds::images, catalog), catalog));
  need.bytes_estimate = synthesis_bytes(need.synthesize);
  if (!need.prepare.empty()) {
    const auto [width, height] = mean_sides(settings);
    need.bytes_estimate = prepared_bytes(need, count_samples(settings),
                                         std::max(width, height) / std::min(width, height));
  }
  return place_in_cache(std::move(need), cache, digester.finish(), catalog);
}

struct Listing {
  std::vector<std::string> lines;  // relative name, size, time of change
  std::uint64_t bytes = 0;

  void add(const fs::path& file, const std::string& name) {
    struct stat found{};
    if (::stat(file.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return;
    bytes += static_cast<std::uint64_t>(found.st_size);
    lines.push_back(fmt::format("{}\t{}\t{}.{:09}\n", name, found.st_size, found.st_mtim.tv_sec,
                                found.st_mtim.tv_nsec));
  }
};

// Folders that cannot be read are left to the format's own, clearer complaint.
Listing list(const fs::path& root) {
  Listing listing;
  std::error_code error;
  if (fs::is_regular_file(root, error)) {
    listing.add(root, root.filename().string());
    return listing;
  }
  const auto options = fs::directory_options::skip_permission_denied;
  for (auto at = fs::recursive_directory_iterator(root, options, error);
       !error && at != fs::end(at); at.increment(error)) {
    if (!at->is_directory(error))
      listing.add(at->path(), at->path().lexically_relative(root).string());
  }
  std::ranges::sort(listing.lines);  // directory order is the file system's whim
  return listing;
}

// Says what to do about a path that is not there.
std::string hint_for_missing(const fs::path& given) {
  std::error_code error;
  std::vector<std::string> neighbours;
  const fs::path asked = absolute_path(given).lexically_normal();
  for (auto at = fs::directory_iterator(asked.parent_path(), error); !error && at != fs::end(at);
       at.increment(error)) {
    neighbours.push_back(at->path().filename().string());
  }
  const std::string near = nearest_spelling(asked.filename().string(), neighbours);
  return near.empty() ? "relative paths start at the working directory"
                      : fmt::format("did you mean '{}'?", (given.parent_path() / near).string());
}

fs::path users_path(const std::string& given) {
  std::error_code error;
  fs::path path = fs::canonical(given, error);
  if (error)
    throw ScenarioError(fmt::format("dataset.path: '{}' does not exist", given),
                        hint_for_missing(given));
  if (is_of_kernel(path.string()))
    throw ScenarioError(
        fmt::format("dataset.path: '{}' is in a file system of the kernel, which holds no data",
                    given),
        "give the folder or file of a dataset");
  return path;
}

// One file a sample, or shards of samples that are as long as ImageNet's on average.
double samples_in(const Listing& listing, FormatFiles files) {
  return files == FormatFiles::tree_only
             ? static_cast<double>(listing.lines.size())
             : std::max(1.0, static_cast<double>(listing.bytes) / kImageNetBytes);
}

// True if the format may lie there; where we cannot tell, its own opening will.
bool may_lie_as(const std::string& format, const std::string& lying, const Catalog& catalog) {
  return lying.empty() || format == lying || on_disk(format, catalog).recognised_as == lying;
}

DatasetNeed users_need(const SettingsMap& settings, const std::string& given,
                       const std::string& cache, const Catalog& catalog) {
  const fs::path path = users_path(given);
  const std::string lying = detect_format(path.string(), catalog);
  DatasetNeed need;
  need.source = path.string();
  Digester digester;
  digester.add(kConversionVersion).add(need.source + "\n");
  take_columns(settings, need, digester);
  take_preparation(settings, need, digester);
  need.format =
      settings.text_or(keys::dataset.format, format_of_prepared(need.prepare, lying, catalog));
  if (need.format.empty()) {
    throw ScenarioError(
        fmt::format("dataset.path: cannot recognise the format of '{}'", given),
        "name it with dataset.format; `benchbench describe formats` shows all formats");
  }
  if (need.prepare.empty() && may_lie_as(need.format, lying, catalog)) {
    need.path = need.source;
    need.ready = true;
    return need;
  }
  const Listing listing = list(path);
  for (const std::string& line : listing.lines) digester.add(line);
  need.bytes_estimate =
      need.prepare.empty()
          ? listing.bytes
          : prepared_bytes(need, samples_in(listing, on_disk(lying, catalog).files), 4.0 / 3);
  return place_in_cache(std::move(need), cache, digester.finish(), catalog);
}

}  // namespace

std::optional<DatasetNeed> dataset_need(const SettingsMap& settings,
                                        const std::string& cache_folder, const Catalog& catalog) {
  if (const std::string path = settings.text_or(keys::dataset.path, ""); !path.empty()) {
    return users_need(settings, path, cache_folder, catalog);
  }
  if (!has_any(settings, kSynthesize)) return std::nullopt;
  return synthesis_need(settings, cache_folder, catalog);
}

bool is_users_own(const DatasetNeed& need) { return need.path == need.source; }

DatasetPlace dataset_place(const DatasetNeed& need) {
  return {need.format, need.path, is_users_own(need) ? need.columns : ColumnNames{}};
}

std::string dataset_folder(const DatasetNeed& need) {
  return fs::path(need.path).parent_path().string();
}

DatasetNeed in_format(const DatasetNeed& need, const std::string& format, const Catalog& catalog) {
  const fs::path folder = dataset_folder(need);
  const std::string name = folder.filename().string();
  const std::string base = name.substr(0, name.size() - need.format.size());  // "<digest>-"
  DatasetNeed other = need;
  other.format = format;
  return place(std::move(other), (folder.parent_path() / (base + format)).string(), catalog);
}

std::uint64_t bytes_at(const std::string& path) { return list(path).bytes; }

std::string default_cache_folder() {
  const std::string folder = users_cache_folder();
  return folder.empty() ? "/var/tmp/benchbench" : folder;
}

}  // namespace benchbench
