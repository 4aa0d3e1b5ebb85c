#include "harness/app/data/conversion.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <sstream>

#include "harness/app/interrupt.h"
#include "harness/app/status_line.h"
#include "harness/app/tell.h"
#include "harness/core/error.h"
#include "harness/core/spelling.h"
#include "harness/core/visible_text.h"
#include "harness/dataset/conversion.h"
#include "harness/dataset/dataset_need.h"

namespace benchbench {
namespace {

std::string require_format(const std::string& word, std::string_view option) {
  const std::string format = format_called(word, built_in_catalog());
  const std::vector<std::string> all = built_in_catalog().names(PartKind::sample_format);
  if (built_in_catalog().find(PartKind::sample_format, format)) return format;
  throw UsageError(fmt::format("{}: unknown format '{}'{}", option, word, did_you_mean(word, all)),
                   fmt::format("formats: {}", listed(all, 32)));
}

// Takes FORMAT=PATH, or a PATH whose extension shows the format.
void take_target(const Arguments& arguments, Conversion& order) {
  order.to_path = arguments.text("--to");
  const std::size_t equals = order.to_path.find('=');
  const std::string word = order.to_path.substr(0, equals);
  order.to_format = format_called(word, built_in_catalog());
  if (equals != std::string::npos &&
      built_in_catalog().find(PartKind::sample_format, order.to_format))
    order.to_path.erase(0, equals + 1);
  else
    order.to_format = format_of_extension(order.to_path, built_in_catalog());
  if (order.to_path.empty()) throw UsageError(fmt::format("--to {}=: the path is missing", word));
  if (!order.to_format.empty()) return;
  if (equals != std::string::npos && word.find('/') == std::string::npos)
    require_format(word, "--to");
  throw UsageError(fmt::format("--to {}: cannot derive the format from this name", order.to_path),
                   fmt::format("write --to FORMAT={}; formats: {}", order.to_path,
                               listed(built_in_catalog().names(PartKind::sample_format), 32)));
}

// "image=img_bytes,label=cls"
ColumnNames columns_in(const std::string& text) {
  ColumnNames columns;
  std::istringstream pieces(text);
  for (std::string piece; std::getline(pieces, piece, ',');) {
    const std::string which = piece.substr(0, piece.find('='));
    std::string* const column = which == "image"   ? &columns.image
                                : which == "label" ? &columns.label
                                : which == "name"  ? &columns.name
                                                   : nullptr;
    if (!column || which.size() + 1 >= piece.size())
      throw UsageError(fmt::format("--columns: '{}' does not name a column", piece),
                       "write image=NAME, label=NAME or name=NAME, separated by commas");
    *column = piece.substr(which.size() + 1);
  }
  return columns;
}

void take_columns(const Arguments& arguments, Conversion& order) {
  order.from_columns = columns_in(arguments.text("--columns"));
  const PartRow* row = built_in_catalog().find(PartKind::sample_format, order.from_format);
  if (arguments.flag("--columns") && !row->description->on_disk.columns)
    throw UsageError(fmt::format("--columns: format {} has no columns to name", order.from_format));
}

Conversion order_from(const Arguments& arguments) {
  Conversion order;
  order.from_path = arguments.positional().front();
  std::error_code failed;
  if (!std::filesystem::exists(order.from_path, failed))
    throw ScenarioError(fmt::format("'{}' does not exist", order.from_path),
                        "relative paths start at the working directory");
  const std::string from = arguments.text("--from");
  order.from_format = from.empty() ? detect_format(order.from_path, built_in_catalog())
                                   : require_format(from, "--from");
  if (order.from_format.empty())
    throw ScenarioError(fmt::format("cannot recognise the format of '{}'", order.from_path),
                        "name it with --from FORMAT");
  take_columns(arguments, order);
  take_target(arguments, order);
  return order;
}

}  // namespace

int convert_data(const Arguments& arguments) {
  const Conversion order = order_from(arguments);
  std::optional<StatusLine> line;
  ConversionPhase shown = ConversionPhase::writing;
  const auto show = [&](ConversionPhase phase, std::uint64_t done, std::uint64_t all,
                        std::uint64_t bytes) {
    if (!line || phase != shown) line.emplace();
    shown = phase;
    line->show(fmt::format("{} {}: {}", phase == ConversionPhase::writing ? "writing" : "checking",
                           order.to_path, line->count_samples(done, all, bytes)));
  };
  const Converted converted = convert_dataset(order, built_in_catalog(), show, interrupted());
  line.reset();
  tell("{} samples, {}, {} {} and read back: all digests match\n", converted.samples,
       human_bytes(static_cast<double>(converted.bytes)),
       converted.was_there ? "found complete from an interrupted conversion, compared as"
                           : "written as",
       order.to_format);
  if (!converted.remark.empty()) tell("note: {}\n", converted.remark);
  if (converted.empty > 0) tell("note: {} of the samples are empty\n", converted.empty);
  fmt::print("{}\t{}\n", order.to_format, visible(order.to_path));
  return 0;
}

}  // namespace benchbench
