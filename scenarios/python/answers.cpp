#include "scenarios/python/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace benchbench::python_part {
namespace {

std::int64_t ns_of(double seconds) { return from_seconds(seconds).count(); }

ExternalValue value_from(const Json& value) {
  if (value.is_boolean()) return value.get<bool>();
  // A seed, say.
  const bool beyond =
      value.is_number_unsigned() && !std::in_range<std::int64_t>(value.get<std::uint64_t>());
  if (value.is_number_integer() && !beyond) return whole<std::int64_t>(value);
  if (value.is_number()) return value.get<double>();
  if (value.is_string()) return value.get<std::string>();
  return {};
}

std::optional<ExternalTime> time_in(const Json& body, const char* name) {
  const auto at = body.find(name);
  if (at == body.end() || at->is_null()) return std::nullopt;
  return ExternalTime{whole<std::int64_t>(at->at("ns")), whole<std::uint64_t>(at->at("count"))};
}

void note_times(const Json& body, ExternalFacts& facts) {
  facts.getitem = time_in(body, "getitem_ns");
  facts.collate = time_in(body, "collate_ns");
  facts.handover = time_in(body, "handover_ns");
  facts.pin = time_in(body, "pin_ns");
  facts.hooks_ns = member<std::int64_t>(body, "hooks_ns");
  facts.workers_start_ns = member<std::int64_t>(body, "workers_start_ns");
  if (!facts.workers_start_ns) facts.workers_start_ns = member<std::int64_t>(body, "startup_ns");
  facts.epoch_start_ns = member<std::int64_t>(body, "epoch_start_ns");
  facts.direct_ns = member<std::int64_t>(body, "direct_ns");
}

void note_machine(const Json& body, ExternalFacts& facts) {
  facts.start_method = member_or<std::string>(body, "start_method", "");
  facts.cpu_count = member<std::uint32_t>(body, "cpu_count");
  facts.threads = member<std::uint32_t>(body, "threads");
  facts.shm_free_bytes = member<std::uint64_t>(body, "shm_free_bytes");
  facts.shm_bytes = member<std::uint64_t>(body, "shm_bytes");
}

void note_workers(const Json& body, ExternalFacts& facts) {
  for (const Json& worker : member_or<Json>(body, "workers", Json::array()))
    facts.workers.push_back({whole<std::uint64_t>(worker.at("samples")),
                             whole<std::uint64_t>(worker.at("batches")),
                             {}});
  const Json made = member_or<Json>(body, "made_ns", Json::array());
  for (std::size_t w = 0; w < std::min(made.size(), facts.workers.size()); ++w)
    facts.workers[w].made_ns = wholes<std::int64_t>(made.at(w));
  facts.streams = member<bool>(body, "streams");
  facts.in_order = member<bool>(body, "in_order");
  facts.prefetch_factor = member<std::uint32_t>(body, "prefetch_factor");
  for (const Json& same : member_or<Json>(body, "same_draws", Json::array()))
    facts.same_draws.push_back(
        {same.at("what").get<std::string>(), member_or<std::string>(same, "where", ""),
         whole<std::uint32_t>(same.at("workers")), same.at("every_epoch").get<bool>()});
}

std::vector<ExternalFill> fills_in(const std::vector<std::int64_t>& values) {
  if (values.size() % 3 != 0) throw_nonsense(fmt::format("fills of {} values", values.size()));
  std::vector<ExternalFill> fills;
  for (std::size_t i = 0; i < values.size(); i += 3) {
    if (values[i] < 0 || values[i + 2] < 0)
      throw_nonsense(fmt::format("a fill of {} ns by worker {}", values[i + 2], values[i]));
    fills.push_back({values[i], values[i + 1], values[i + 2]});
  }
  return fills;
}

void take_series(const Message& message, ExternalResult& result) {
  std::string_view rest = message.blob;
  for (const Json& one : member_or<Json>(message.body, "series", Json::array())) {
    const auto name = one.at(0).get<std::string>();
    const auto count = whole<std::uint64_t>(one.at(1));
    if (count > rest.size() / sizeof(std::int64_t))
      throw_nonsense(
          fmt::format("a series \"{}\" of {} values in {} bytes", name, count, rest.size()));
    std::vector<std::int64_t> values(count);
    if (count > 0) std::memcpy(values.data(), rest.data(), count * sizeof(std::int64_t));
    rest.remove_prefix(count * sizeof(std::int64_t));
    if (name == "get")
      result.get_ns = std::move(values);
    else if (name == "step")
      result.step_ns = std::move(values);
    else if (name == "fill")
      result.fills = fills_in(values);
  }
  if (!rest.empty()) throw_nonsense(fmt::format("{} bytes more than its series have", rest.size()));
}

// A result that contradicts itself would become a wrong figure.
void check_series(const ExternalResult& result) {
  const auto fits = [&](const std::vector<std::int64_t>& values) {
    return values.empty() || values.size() == result.steps;
  };
  if (!fits(result.get_ns) || !fits(result.step_ns))
    throw_nonsense(fmt::format("series of {} and {} values for {} steps", result.get_ns.size(),
                               result.step_ns.size(), result.steps));
  std::int64_t last = 0;
  for (const auto& [begin, end] : result.segments) {
    if (begin < last || end <= begin)
      throw_nonsense(fmt::format("a segment from {} to {} after {}", begin, end, last));
    last = end;
  }
}

void note_window(const Json& body, ExternalResult& result) {
  for (const Json& segment : member_or<Json>(body, "segments", Json::array()))
    result.segments.emplace_back(whole<std::int64_t>(segment.at(0)),
                                 whole<std::int64_t>(segment.at(1)));
  result.steps = member_or<std::uint64_t>(body, "steps", 0);
  result.samples = member_or<std::uint64_t>(body, "samples", 0);
  result.startup_ns = member_or<std::int64_t>(body, "startup_ns", 0);
  result.first_batch_ns = member_or<std::int64_t>(body, "first_batch_ns", 0);
  result.warmup_ns = member_or<std::int64_t>(body, "warmup_ns", 0);
  result.warmup_steps = member_or<std::uint64_t>(body, "warmup_steps", 0);
  result.steady = member_or<bool>(body, "steady", true);
  result.epochs = member_or<std::uint64_t>(body, "epochs", 0);
  result.epoch_gap_ns = member<std::int64_t>(body, "epoch_gap_ns");
  result.epoch_gap_batches = member_or<std::uint32_t>(body, "epoch_gap_batches", 1);
  result.loss_first = member<double>(body, "loss_first");
  result.loss_last = member<double>(body, "loss_last");
  result.parameters = member_or<std::uint64_t>(body, "parameters", 0);
  for (const char* name : {"dropped", "notes"})
    for (const Json& sentence : member_or<Json>(body, name, Json::array()))
      result.notices.push_back(sentence.get<std::string>());
}

ExternalPhase phase_from(const std::string& phase) {
  constexpr std::string_view kPhases[] = {"starting", "warming up", "measuring", "finishing"};
  for (std::size_t i = 0; i < std::size(kPhases); ++i)
    if (phase == kPhases[i]) return static_cast<ExternalPhase>(i);
  throw_nonsense(fmt::format("progress of a phase \"{}\"", phase));
}

std::vector<int> workers_in(const Json& body) {
  return member_or<std::vector<int>>(body, "workers", {});
}

}  // namespace

std::map<std::string, ExternalValue> values_from(const Json& members) {
  std::map<std::string, ExternalValue> values;
  for (const auto& [key, value] : members.items()) values[key] = value_from(value);
  return values;
}

void note_device(const Json& body, ExternalFacts& facts) {
  facts.device = member_or<std::string>(body, "device", "");
  if (!facts.device.empty() && member_or<std::string>(body, "clock", "host") == "host")
    facts.step_times = StepTimes::of_enqueue;
}

void note_loaded(const Message& loaded, ExternalFacts& facts) {
  read_from(loaded, [&](const Json& body) {
    const Json seconds = object_in(body, "seconds"), loader = object_in(body, "loader");
    if (const auto import = member<double>(seconds, "import")) facts.import_ns = ns_of(*import);
    if (const auto call = member<double>(seconds, "call")) facts.call_ns = ns_of(*call);
    facts.versions = member_or<std::string>(body, "versions", "");
    facts.kind = member_or<std::string>(loader, "kind", "");
    facts.where = member_or<std::string>(loader, "where", "");
    facts.getitem_where = member_or<std::string>(loader, "getitem_where", "");
    facts.epoch_samples = member<std::uint64_t>(loader, "length");
  });
}

ExternalCheck check_from(const Message& checked) {
  return read_from(checked, [](const Json& body) {
    ExternalCheck check;
    const Json loader = object_in(body, "loader"), own = object_in(loader, "own"),
               fixed = object_in(loader, "fixed");
    check.kind = member_or<std::string>(loader, "kind", "");
    check.epoch_samples = member<std::uint64_t>(loader, "length");
    check.own = values_from(own);
    for (const auto& [key, why] : fixed.items()) check.fixed[key] = why.get<std::string>();
    if (body.contains("batch")) check.batch = object_in(body, "batch").dump();
    return check;
  });
}

ExternalResult result_from(const Message& message, ExternalFacts facts) {
  ExternalResult result;
  result.facts = std::move(facts);
  read_from(message, [&](const Json& body) {
    note_window(body, result);
    note_times(body, result.facts);
    note_machine(body, result.facts);
    note_device(body, result.facts);
    note_workers(body, result.facts);
    if (const auto batches = member<std::uint64_t>(body, "batches"))
      result.facts.epoch_batches = batches;
    result.facts.distinct = member_or<std::uint32_t>(body, "distinct", 0);
    result.facts.changed = member_or<std::uint32_t>(body, "changed", 0);
    take_series(message, result);
  });
  check_series(result);
  return result;
}

void tell_progress(const Message& progress, ExternalListener& listener) {
  read_from(progress, [&](const Json& body) {
    const auto workers = workers_in(body);
    listener.progressed(phase_from(member_or<std::string>(body, "phase", "")),
                        member_or<double>(body, "share", 0), member_or<double>(body, "rate", 0),
                        workers);
  });
}

Edge tell_edge(const Message& window, ExternalListener& listener) {
  return read_from(window, [&](const Json& body) {
    const auto edge = body.at("edge").get<std::string>();
    if (edge == "begin")
      listener.segment_begins(workers_in(body));
    else if (edge == "end")
      listener.segment_ends();
    else
      throw_nonsense(fmt::format("an edge \"{}\" of the window", edge));
    return edge == "begin" ? Edge::begin : Edge::end;
  });
}

}  // namespace benchbench::python_part
