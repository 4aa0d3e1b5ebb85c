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
  const Members take(body);
  facts.getitem = time_in(body, "getitem_ns");
  facts.collate = time_in(body, "collate_ns");
  facts.handover = time_in(body, "handover_ns");
  facts.pin = time_in(body, "pin_ns");
  take("hooks_ns", facts.hooks_ns);
  take("workers_start_ns", facts.workers_start_ns);
  if (!facts.workers_start_ns) take("startup_ns", facts.workers_start_ns);
  take("epoch_start_ns", facts.epoch_start_ns);
  take("direct_ns", facts.direct_ns);
}

void note_machine(const Json& body, ExternalFacts& facts) {
  const Members take(body);
  take("start_method", facts.start_method);
  take("cpu_count", facts.cpu_count);
  take("threads", facts.threads);
  take("shm_free_bytes", facts.shm_free_bytes);
  take("shm_bytes", facts.shm_bytes);
}

ExternalWorker worker_from(const Json& body) {
  return {whole<std::uint64_t>(body.at("samples")), whole<std::uint64_t>(body.at("batches")), {}};
}

ExternalSameDraws same_draws_from(const Json& body) {
  return {body.at("what").get<std::string>(), text_in(body, "where"),
          whole<std::uint32_t>(body.at("workers")), body.at("every_epoch").get<bool>()};
}

void note_workers(const Json& body, ExternalFacts& facts) {
  const Members take(body);
  facts.workers = all_in(body, "workers", worker_from);
  const Json made = member_or<Json>(body, "made_ns", Json::array());
  for (std::size_t w = 0; w < std::min(made.size(), facts.workers.size()); ++w)
    facts.workers[w].made_ns = wholes<std::int64_t>(made.at(w));
  take("streams", facts.streams);
  take("in_order", facts.in_order);
  take("prefetch_factor", facts.prefetch_factor);
  facts.same_draws = all_in(body, "same_draws", same_draws_from);
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
  const Members take(body);
  result.segments = all_in(body, "segments", [](const Json& segment) {
    return std::pair(whole<std::int64_t>(segment.at(0)), whole<std::int64_t>(segment.at(1)));
  });
  take("steps", result.steps);
  take("samples", result.samples);
  take("startup_ns", result.startup_ns);
  take("first_batch_ns", result.first_batch_ns);
  take("warmup_ns", result.warmup_ns);
  take("warmup_steps", result.warmup_steps);
  take("steady", result.steady);
  take("epochs", result.epochs);
  take("epoch_gap_ns", result.epoch_gap_ns);
  take("epoch_gap_batches", result.epoch_gap_batches);
  take("loss_first", result.loss_first);
  take("loss_last", result.loss_last);
  take("parameters", result.parameters);
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
  const Members take(body);
  take("device", facts.device);
  if (!facts.device.empty() && member_or<std::string>(body, "clock", "host") == "host")
    facts.step_times = StepTimes::of_enqueue;
}

void note_loaded(const Message& loaded, ExternalFacts& facts) {
  read_from(loaded, [&](const Json& body) {
    const Json seconds = object_in(body, "seconds"), loader = object_in(body, "loader");
    if (const auto import = member<double>(seconds, "import")) facts.import_ns = ns_of(*import);
    if (const auto call = member<double>(seconds, "call")) facts.call_ns = ns_of(*call);
    const Members take(loader);
    facts.versions = text_in(body, "versions");
    take("kind", facts.kind);
    take("where", facts.where);
    take("getitem_where", facts.getitem_where);
    take("length", facts.epoch_samples);
  });
}

ExternalCheck check_from(const Message& checked) {
  return read_from(checked, [](const Json& body) {
    ExternalCheck check;
    const Json loader = object_in(body, "loader"), own = object_in(loader, "own"),
               fixed = object_in(loader, "fixed");
    const Members take(loader);
    take("kind", check.kind);
    take("length", check.epoch_samples);
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
    const Members take(body);
    take("distinct", result.facts.distinct);
    take("changed", result.facts.changed);
    take_series(message, result);
  });
  check_series(result);
  return result;
}

void tell_progress(const Message& progress, ExternalListener& listener) {
  read_from(progress, [&](const Json& body) {
    const auto workers = workers_in(body);
    listener.progressed(phase_from(text_in(body, "phase")), member_or<double>(body, "share", 0),
                        member_or<double>(body, "rate", 0), workers);
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
