#include "harness/store/history_index.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <concepts>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "harness/core/descriptor.h"
#include "harness/core/error.h"
#include "harness/core/files/whole_file.h"
#include "harness/record/like.h"
#include "harness/store/durable_file.h"
#include "harness/store/sealed_line.h"

namespace benchbench {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;

std::string sealed_json(const Json& json) {
  return sealed(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

// Members of a line, by their names.
void visit_fields(Like<KeptSeries> auto& s, auto&& visit) {
  visit("scenario", s.scenario);
  visit("point", s.point);
  visit("metric", s.metric);
  visit("canary", s.canary);
  visit("settings", s.settings);
}

void visit_fields(Like<KeptRun> auto& r, auto&& visit) {
  visit("run", r.folder);
  visit("started_at", r.started_at);
  visit("machine", r.machine);
  visit("machine_text", r.machine_text);
  visit("labels", r.labels);
  visit("surroundings", r.surroundings);
  visit("journal_bytes", r.journal_bytes);
  visit("journal_time_ns", r.journal_time_ns);
}

template <class T>
Json with_fields(Json object, const T& value) {
  visit_fields(value, [&](const char* name, const auto& field) { object[name] = field; });
  return object;
}

std::string line_of(const std::string& digest, const KeptSeries& s) {
  return sealed_json(with_fields({{"version", kVersion}, {"series", digest}}, s));
}

std::string line_of(const KeptRun& r) {
  Json line = with_fields({{"version", kVersion}}, r);
  line["values"] = Json::array();
  for (const KeptValue& v : r.values)
    line["values"].push_back(Json::array({v.series, v.median, v.rounds, v.width, v.reason}));
  return sealed_json(line);
}

std::string lines_of(const KeptHistory& kept) {
  std::string text;
  for (const auto& [digest, series] : kept.series) text += line_of(digest, series);
  for (const KeptRun& run : kept.runs) text += line_of(run);
  return text;
}

// nlohmann would cast 1e300 and -1 to whatever comes of it.
template <typename T>
T whole_number(const Json& json) {
  const bool fits = json.is_number_unsigned()  ? std::in_range<T>(json.get<std::uint64_t>())
                    : json.is_number_integer() ? std::in_range<T>(json.get<std::int64_t>())
                                               : false;
  if (!fits) throw std::range_error("no such number");
  return json.get<T>();
}

// Three members in lines of an older version.
KeptValue value_from(const Json& json) {
  KeptValue v{json.at(0).get<std::string>(), json.at(1).get<double>(),
              whole_number<std::uint32_t>(json.at(2))};
  if (json.size() == 3) return v;
  json.at(3).get_to(v.width);
  json.at(4).get_to(v.reason);
  return v;
}

template <class T>
T fields_from(const Json& json) {
  T value;
  visit_fields(value, [&](const char* name, auto& field) {
    using Field = std::remove_reference_t<decltype(field)>;
    if constexpr (std::integral<Field> && !std::same_as<Field, bool>)
      field = whole_number<Field>(json.at(name));
    else
      json.at(name).get_to(field);
  });
  return value;
}

KeptRun run_from(const Json& json) {
  KeptRun r = fields_from<KeptRun>(json);
  for (const Json& v : json.at("values")) r.values.push_back(value_from(v));
  return r;
}

// Lines of an older version have no settings.
KeptSeries series_from(Json json) {
  json.emplace("settings", "");
  return fields_from<KeptSeries>(json);
}

class IndexReader {
 public:
  void read_line(std::string_view line) {
    try {
      if (!is_whole(line)) return skip();
      const Json json = Json::parse(line);
      if (json.at("version") != kVersion) return skip();
      if (json.contains("series"))
        index_.kept.series[json.at("series").get<std::string>()] = series_from(json);
      else
        keep(run_from(json));
    } catch (const nlohmann::json::exception&) {
      skip();
    } catch (const std::range_error&) {
      skip();
    }
  }
  HistoryIndex index() && { return std::move(index_); }

 private:
  void skip() { ++index_.damaged; }
  void keep(KeptRun run) {
    const auto [at, is_new] = places_.try_emplace(run.folder, index_.kept.runs.size());
    if (is_new)
      index_.kept.runs.push_back(std::move(run));
    else
      index_.kept.runs[at->second] = std::move(run);
  }
  HistoryIndex index_;
  std::unordered_map<std::string, std::size_t> places_;
};

// One process writes in a folder at a time; another waits for as long as that takes. Its lock is
// the folder's own, so that no file is left, and goes with the process.
Descriptor turn_to_write_beside(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  Descriptor turn(open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!turn) store_failed(errno, path, "take the lock of the folder");
  while (flock(turn.get(), LOCK_EX) != 0)
    if (errno != EINTR) store_failed(errno, path, "take the lock of the folder");
  return turn;
}

}  // namespace

HistoryIndex read_history_index(const std::string& path) {
  if (!is_there(path)) return {};
  const std::string text = read_whole(path);
  IndexReader reader;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    reader.read_line(std::string_view(text).substr(from, end - from));
    from = end + 1;
  }
  return std::move(reader).index();
}

void append_durably(const std::string& path, const std::string& heading, const std::string& text) {
  const Descriptor turn = turn_to_write_beside(path);
  if (!is_there(path)) return write_whole(path, heading + text);
  DurableFile file = DurableFile::open_append(path);
  const std::uint64_t size = file.size();
  try {
    // A last line without an end, of an editor or a power cut, is not to be continued.
    const bool ended = size == 0 || read_whole(path).ends_with('\n');
    file.write((ended ? "" : "\n") + text);
    file.sync();
  } catch (const StoreError&) {
    file.cut(size);
    throw;
  }
}

void append_history_index(const std::string& path, const KeptHistory& more) {
  append_durably(path, "", lines_of(more));
}

void write_history_index(const std::string& path, const KeptHistory& kept) {
  const Descriptor turn = turn_to_write_beside(path);
  write_whole(path, lines_of(kept));
}

}  // namespace benchbench
