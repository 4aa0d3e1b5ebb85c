#include "harness/store/series_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <filesystem>

#include "harness/core/characters.h"
#include "harness/core/digest.h"
#include "harness/core/error.h"
#include "harness/core/files/whole_file.h"
#include "harness/series/extremes.h"
#include "harness/store/durable_file.h"

namespace benchbench {
namespace {

static_assert(std::endian::native == std::endian::little,
              "series are little-endian; swap here on a big-endian machine");

constexpr std::uint64_t kMostOfASeries = std::uint64_t{1} << 36;

bool plain_name(std::string_view name) {
  const auto allowed = [](char c) { return (c >= 'a' && c <= 'z') || is_digit(c) || c == '_'; };
  return !name.empty() && std::ranges::all_of(name, allowed);
}

// A journal from elsewhere must not make us read any file it likes.
bool inside_series(std::string_view file) {
  return file.starts_with("series/") && file.find('/', 7) == std::string_view::npos &&
         file.size() > 7;
}

bool is_of_steps(std::string_view name) { return name == "step" || name == "get_blocked"; }

// Keeps the extremes of steps' times, since a long one must be seen, however many
// there are; series of probes belong together, reading by reading.
std::vector<std::int64_t> thinned(std::string_view name, std::span<const std::int64_t> values,
                                  std::uint64_t every) {
  std::vector<std::int64_t> kept;
  if (is_of_steps(name))
    for (const PlacedValue& value : extremes_of(values, 2 * every)) kept.push_back(value.second);
  else
    for (std::size_t i = 0; i < values.size(); i += every) kept.push_back(values[i]);
  return kept;
}

// Of a file that is called as a series is, N-name.bin; else nullopt.
std::optional<std::uint64_t> sequence_of(const std::string& file) {
  constexpr std::string_view kEnding = ".bin";
  std::uint64_t sequence = 0;
  const char* const begin = file.data();
  const auto [end, error] = std::from_chars(begin, begin + file.size(), sequence);
  if (error != std::errc{} || *end != '-' || !file.ends_with(kEnding)) return std::nullopt;
  std::string_view name(file);
  name.remove_prefix(static_cast<std::size_t>(end + 1 - begin));
  name.remove_suffix(std::min(name.size(), kEnding.size()));
  return plain_name(name) ? std::optional(sequence) : std::nullopt;
}

void check_bytes(const std::string& path, std::string_view bytes, const SeriesFile& series) {
  constexpr std::size_t kWidth = sizeof(std::int64_t);
  if (bytes.size() / kWidth != series.length || bytes.size() % kWidth != 0)
    throw StoreError(fmt::format("{} has {} bytes, but the journal lists {} values of 8 bytes",
                                 path, bytes.size(), series.length));
  if (crc32c(bytes) != series.crc32c)
    throw StoreError(fmt::format("{} is damaged: its checksum differs from the journal's", path));
}

struct PlacedSeries {
  std::uint64_t sequence;
  std::filesystem::path path;
};

// As far as they can be listed.
std::vector<PlacedSeries> series_in(const std::string& folder) {
  std::vector<PlacedSeries> found;
  std::error_code failed;
  for (std::filesystem::directory_iterator at(folder + "/series", failed), end;
       !failed && at != end; at.increment(failed))
    if (const auto sequence = sequence_of(at->path().filename().string()))
      found.push_back({*sequence, at->path()});
  return found;
}

}  // namespace

std::optional<std::uint64_t> last_series(const std::string& folder) {
  std::optional<std::uint64_t> last;
  for (const PlacedSeries& series : series_in(folder))
    last = std::max(last.value_or(0), series.sequence);
  return last;
}

void remove_series_from(const std::string& folder, std::uint64_t sequence) {
  std::error_code failed;
  for (const PlacedSeries& series : series_in(folder))
    if (series.sequence >= sequence) std::filesystem::remove(series.path, failed);
}

SeriesFile write_series(const std::string& folder, std::uint64_t sequence, const std::string& name,
                        std::span<const std::int64_t> values, bool later) {
  if (!plain_name(name)) throw StoreError(fmt::format("a series cannot be called \"{}\"", name));
  SeriesFile series;
  series.name = name;
  series.file = fmt::format("series/{}-{}.bin", sequence, name);
  series.kept_every =
      std::max<std::uint64_t>(1, (values.size() + kMaxSeriesValues - 1) / kMaxSeriesValues);
  std::vector<std::int64_t> kept;
  if (series.kept_every > 1) values = kept = thinned(name, values, series.kept_every);
  series.length = values.size();
  series.crc32c = crc32c(std::as_bytes(values));
  DurableFile file = DurableFile::create(folder + "/" + series.file);
  file.write(std::as_bytes(values));
  if (later)
    file.begin_sync();
  else
    file.sync();
  return series;
}

std::vector<std::int64_t> read_series(const std::string& folder, const SeriesFile& series) {
  const std::string path = folder + "/" + series.file;
  if (!inside_series(series.file))
    throw StoreError(fmt::format("{}: a series must be in series/", path));
  const std::string bytes = read_whole(path, kMostOfASeries);
  check_bytes(path, bytes, series);
  std::vector<std::int64_t> values(series.length);
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

}  // namespace benchbench
