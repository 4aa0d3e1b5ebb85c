#include "scenarios/python/wrap/wrap_answers.h"

#include <fmt/format.h>

#include <algorithm>

#include "scenarios/python/answers.h"

namespace benchbench::python_part {
namespace {

std::string text_in(const Json& body, const char* name) {
  return member_or<std::string>(body, name, "");
}
Json list_in(const Json& body, const char* name) {
  return member_or<Json>(body, name, Json::array());
}

// "__main__.Samples" as it is; a class and what it holds are of no more interest.
WrapLoader loader_from(const Json& body) {
  WrapLoader loader;
  loader.name = text_in(body, "name");
  loader.kind = text_in(body, "class");
  loader.where = text_in(body, "where");
  loader.getitem_where = text_in(body, "getitem_where");
  loader.batches = member<std::uint64_t>(body, "batches");
  loader.samples = member<std::uint64_t>(body, "length");
  loader.own = values_from(object_in(body, "own"));
  loader.epochs = member_or<std::uint64_t>(body, "epochs", 0);
  loader.served = member_or<std::uint64_t>(body, "served", 0);
  loader.streams = member_or<bool>(body, "streams", false);
  loader.trains = member_or<bool>(body, "trains", false);
  return loader;
}

// A loader that no variable holds has no name: null is an empty text.
std::vector<std::string> texts_in(const Json& body, const char* name) {
  std::vector<std::string> texts;
  for (const Json& one : list_in(body, name))
    texts.push_back(one.is_null() ? "" : one.get<std::string>());
  return texts;
}

template <class Word>
Word word_from(const std::string& text) {
  for (std::size_t i = 0; i < kWordsOf<Word>.size(); ++i)
    if (kWordsOf<Word>[i] == text && !text.empty()) return static_cast<Word>(i);
  throw_nonsense(fmt::format("the word \"{}\"", text));
}

// As `result` has it: what the workers' hooks saw is in it, not in a map of its own.
Message flattened(const Message& stretch) {
  Message flat{stretch.type, stretch.body, stretch.blob};
  flat.body.erase("workers");
  const Json observed = object_in(stretch.body, "observed");
  for (const auto& [name, value] : observed.items()) flat.body[name] = value;
  return flat;
}

// Of `end`: its loaders and what else has the names of other members.
Json without_series(Json body) {
  for (const char* name : {"batches", "series", "notes", "epochs", "changed"}) body.erase(name);
  return body;
}

ExternalFacts facts_before(const WrapHello& process, const WrapSteady& of,
                           const WrapLoader& loader) {
  ExternalFacts facts;
  facts.interpreter = process.interpreter;
  facts.versions = of.versions;
  facts.kind = "DataLoader";
  facts.where = of.loader.where;  // a copy was made by us
  facts.getitem_where = loader.getitem_where;
  facts.epoch_samples = loader.samples;
  facts.epoch_batches = loader.batches;
  const auto persistent = loader.own.find("persistent_workers");
  if (persistent != loader.own.end())
    if (const bool* yes = std::get_if<bool>(&persistent->second)) facts.persistent_workers = *yes;
  return facts;
}

Json json_of(const ExternalValue& value) {
  return std::visit(
      []<class Held>(const Held& held) {
        if constexpr (std::is_same_v<Held, std::monostate>)
          return Json(nullptr);
        else
          return Json(held);
      },
      value);
}

Json settings_of(const std::map<std::string, ExternalValue>& values) {
  Json settings = nullptr;
  for (const auto& [name, value] : values) settings[name] = json_of(value);
  return settings;
}

std::vector<std::pair<std::string, std::int64_t>> numbers_in(const Json& noticed) {
  std::vector<std::pair<std::string, std::int64_t>> all;
  const Json numbers = object_in(noticed, "numbers");
  for (const auto& [name, value] : numbers.items())
    all.emplace_back(name, whole<std::int64_t>(value));
  return all;
}

std::vector<ExternalNoticed> noticed_in(const Json& body) {
  std::vector<ExternalNoticed> all;
  for (const Json& one : list_in(body, "noticed"))
    all.push_back({text_in(one, "kind"), text_in(one, "what"), text_in(one, "where"),
                   member_or<std::uint32_t>(one, "count", 0),
                   member_or<std::uint64_t>(one, "bytes", 0), member_or<std::int64_t>(one, "ns", 0),
                   numbers_in(one)});
  return all;
}

std::vector<WrapFunction> functions_in(const Json& body, const char* name) {
  std::vector<WrapFunction> all;
  for (const Json& one : list_in(body, name))
    all.push_back({text_in(one, "name"), text_in(one, "where")});
  return all;
}

WrapSteps steps_in(const Json& body) {
  WrapSteps steps;
  steps.timed = member_or<std::uint64_t>(body, "steps", 0);
  steps.before = Nanoseconds{member_or<std::int64_t>(body, "before_ns", 0)};
  steps.backward = Nanoseconds{member_or<std::int64_t>(body, "backward_ns", 0)};
  steps.rest = Nanoseconds{member_or<std::int64_t>(body, "rest_ns", 0)};
  steps.last_fetch = member<std::uint64_t>(body, "last_fetch_step");
  steps.since = member_or<std::uint64_t>(body, "steps_since", 0);
  steps.calls = functions_in(body, "calls");
  return steps;
}

std::vector<ExternalPartner> partners_in(const Json& body) {
  std::vector<ExternalPartner> all;
  for (const Json& one : list_in(body, "partners"))
    all.push_back({text_in(one, "name"), member_or<std::int64_t>(one, "wait_ns", 0)});
  return all;
}

ExternalSpent spent_from(const Json& body) {
  ExternalSpent spent;
  spent.state = body.at("state").get<std::string>();
  spent.loader = text_in(body, "loader");
  spent.made = text_in(body, "made");
  spent.saver = text_in(body, "saver");
  spent.where = text_in(body, "where");
  spent.trains = member_or<bool>(body, "trains", false);
  spent.workers = member_or<std::uint32_t>(body, "workers", 0);
  spent.ns = whole<std::int64_t>(body.at("ns"));
  spent.before_ns = member_or<std::int64_t>(body, "before_ns", 0);
  spent.count = whole<std::uint64_t>(body.at("count"));
  spent.before = member_or<std::uint64_t>(body, "before", 0);
  return spent;
}

// Of `end`, or of its `changed`.
WrapServed served_in(const Json& body) {
  WrapServed served;
  served.epochs = member_or<std::uint64_t>(body, "epochs", 0);
  served.epoch_gap_ns = member<std::int64_t>(body, "epoch_gap_ns");
  served.epoch_gap_batches = member_or<std::uint32_t>(body, "epoch_gap_batches", 1);
  served.startup_ns = member_or<std::int64_t>(body, "startup_ns", 0);
  served.first_batch_ns = member_or<std::int64_t>(body, "first_batch_ns", 0);
  served.facts = result_from(flattened(Message{"end", without_series(body), ""}), {}).facts;
  served.facts.epoch_batches = member<std::uint64_t>(body, "epoch_batches");
  return served;
}

}  // namespace

Json plan_message(const WrapOrder& o) {
  return {{"type", "plan"},
          {"stretch_ns", o.stretch.count()},
          {"skip_steps", o.skip_steps},
          {"loader", o.loader.empty() ? Json(nullptr) : Json(o.loader)},
          {"observer", o.observer},
          {"keep_going", o.keep_going},
          {"check", o.check},
          {"try", settings_of(o.other)},
          {"tune", o.tune},
          {"stop", o.by_exception ? "exception" : "hard"}};
}

WrapHello hello_from(const Message& hello) {
  return read_from(hello, [](const Json& body) {
    WrapHello process{whole<int>(body.at("pid")),
                      member_or<int>(body, "parent", 0),
                      text_in(body, "executable"),
                      text_in(body, "python"),
                      text_in(body, "torch"),
                      text_in(body, "failed"),
                      text_in(body, "mute"),
                      {},
                      {}};
    const Json rank = object_in(body, "rank");
    process.rank = member<std::uint32_t>(rank, "rank");
    process.world = member<std::uint32_t>(rank, "world");
    return process;
  });
}

namespace {

WrapLoop loop_in(const Json& body) {
  const auto number = [&](const char* name) { return member_or<std::uint64_t>(body, name, 0); };
  const auto time = [&](const char* name) {
    return Nanoseconds{member_or<std::int64_t>(body, name, 0)};
  };
  WrapLoop loop;
  loop.batch = time("batch_ns");
  loop.step = time("step_ns");
  loop.workers = number("workers");
  loop.prefetched = number("prefetched");
  loop.epoch_batches = member<std::uint64_t>(body, "epoch_batches");
  loop.epoch_left = member<std::uint64_t>(body, "epoch_left");
  loop.epoch_beginning = time("epoch_beginning_ns");
  loop.saves = number("saves");
  loop.between_saves = number("between_saves");
  loop.will_save = member_or<bool>(body, "will_save", false);
  loop.distinct = member_or<std::uint64_t>(body, "distinct", loop.distinct);
  loop.full_alone = text_in(body, "full_alone");
  return loop;
}

void read_rank(const Json& body, WrapSteady& steady) {
  const auto ranks = list_in(body, "rank").get<std::vector<std::uint32_t>>();
  if (ranks.size() != 2) return;
  steady.rank = ranks[0];
  steady.world = ranks[1];
  steady.loop.is_rank = true;
}

}  // namespace

WrapSteady steady_from(const Message& message) {
  return read_from(message, [](const Json& body) {
    WrapSteady steady;
    steady.loop = loop_in(object_in(body, "loop"));
    steady.loader = loader_from(object_in(body, "loader"));
    steady.partners = loaders_in(body, "partners");
    steady.others = texts_in(body, "others");
    steady.group = text_in(body, "group");
    read_rank(body, steady);
    steady.versions = text_in(body, "versions");
    steady.device = member_or<std::string>(body, "device", "cpu");
    steady.device_name = text_in(body, "device_name");
    steady.startup_ns = member_or<std::int64_t>(body, "startup_ns", 0);
    steady.first_batch_ns = member_or<std::int64_t>(body, "first_batch_ns", 0);
    steady.warmup_ns = member_or<std::int64_t>(body, "warmup_ns", 0);
    steady.warmup_steps = member_or<std::uint64_t>(body, "warmup_steps", 0);
    steady.cycle = member_or<std::uint64_t>(body, "cycle", 1);
    steady.steady = member_or<bool>(body, "steady", true);
    if (const Json changed = object_in(body, "changed"); !changed.empty())
      steady.changed = loader_from(changed);
    steady.dropped = texts_in(body, "dropped");
    steady.tunes = member_or<bool>(body, "tunes", false);
    const Json fixed = object_in(body, "fixed");
    for (const auto& [name, why] : fixed.items()) steady.fixed[name] = why.get<std::string>();
    return steady;
  });
}

std::vector<WrapLoader> loaders_in(const Json& body, const char* name) {
  std::vector<WrapLoader> loaders;
  for (const Json& one : list_in(body, name)) loaders.push_back(loader_from(one));
  return loaders;
}

std::optional<WrapKind> kind_in(const Json& body) {
  const std::string kind = text_in(body, "kind");
  return kind.empty() ? std::nullopt : std::optional(word_from<WrapKind>(kind));
}

std::optional<ExternalLedger> ledger_in(const Json& body) {
  const Json said = object_in(body, "ledger");
  if (said.empty()) return std::nullopt;
  ExternalLedger ledger{
      member_or<std::uint64_t>(said, "batches", 0), member_or<bool>(said, "whole", false), {}};
  for (const Json& row : list_in(said, "rows")) ledger.rows.push_back(spent_from(row));
  return ledger;
}

WrapState state_in(const Message& next) {
  return read_from(next, [](const Json& body) {
    WrapState state;
    state.saves = member_or<std::uint64_t>(body, "saves", 0);
    state.between_saves = member_or<std::uint64_t>(body, "between_saves", 0);
    state.until_save = member_or<std::uint64_t>(body, "until_save", 0);
    state.epochs = member_or<std::uint64_t>(body, "epochs", 0);
    state.epoch_left = member<std::uint64_t>(body, "epoch_left");
    state.refused = texts_in(body, "refused");
    return state;
  });
}

Json round_message(const char* type, const WrapNext& next) {
  Json stretches = Json::array();
  for (const WrapStretchOrder& asked : next.stretches)
    stretches.push_back({{"kind", kWordsOf<WrapKind>[static_cast<std::size_t>(asked.kind)]},
                         {"ns", asked.least.count()},
                         {"batches", asked.batches},
                         {"round", asked.round},
                         {"order", asked.place}});
  return {{"type", type},
          {"stretches", stretches},
          {"distinct", next.distinct},
          {"after_save", next.after_save},
          {"settings", settings_of(next.settings)}};
}

namespace {

// Of a copy that was made for this stretch.
void add_tuned(WrapStretch& stretch, const Message& message) {
  read_from(message, [&](const Json& body) {
    stretch.settings = values_from(object_in(body, "settings"));
    stretch.result.startup_ns = member_or<std::int64_t>(body, "startup_ns", 0);
    stretch.result.first_batch_ns = member_or<std::int64_t>(body, "first_batch_ns", 0);
  });
}

}  // namespace

WrapStretch stretch_from(const Message& message, const WrapHello& process, const WrapSteady& of) {
  WrapStretch stretch;
  read_from(message, [&](const Json& body) {
    stretch.kind = word_from<WrapKind>(text_in(body, "kind"));
    stretch.round = whole<std::uint32_t>(body.at("round"));
    stretch.order = member_or<std::uint32_t>(body, "order", 0);
    stretch.idle = member_or<bool>(body, "idle", true);
    stretch.busy_ns = member_or<std::int64_t>(body, "busy_ns", 0);
  });
  const bool changed = is_changed(stretch.kind);
  const bool tuned = changed && of.tunes;
  if (changed && !tuned && !of.changed)
    throw_nonsense("a stretch of a changed loader that there is none of");
  const WrapLoader copy =
      tuned ? read_from(message, [](const Json& body) { return loader_from(body.at("copy")); })
            : WrapLoader{};
  const WrapLoader& loader = tuned ? copy : changed ? *of.changed : of.loader;
  stretch.result = result_from(flattened(message), facts_before(process, of, loader));
  stretch.result.facts.partners = read_from(message, partners_in);
  if (loader.batches) stretch.result.facts.epoch_batches = loader.batches;
  if (tuned) add_tuned(stretch, message);
  if (changed) return stretch;  // its start is known in the end, or was that of this stretch
  stretch.result.startup_ns = of.startup_ns;
  stretch.result.first_batch_ns = of.first_batch_ns;
  return stretch;
}

WrapEnd end_from(const Message& message) {
  return read_from(message, [](const Json& body) {
    WrapEnd end;
    end.reason = word_from<WrapReason>(text_in(body, "reason"));
    end.message = text_in(body, "message");
    end.saver = text_in(body, "saver");
    end.versions = text_in(body, "versions");
    end.caught = member_or<bool>(body, "caught", false);
    end.steered = member_or<bool>(body, "steered", false);
    end.seen = member_or<bool>(body, "seen", false);
    end.saves = member<std::uint32_t>(body, "saves");
    end.steps = steps_in(object_in(body, "loop"));
    end.loaders = loaders_in(body, "loaders");
    end.served = served_in(body);
    end.served.facts.noticed = noticed_in(body);
    end.served.facts.ledger = ledger_in(body);
    if (const Json changed = object_in(body, "changed"); !changed.empty())
      end.changed = served_in(changed);
    end.notes = texts_in(body, "notes");
    return end;
  });
}

namespace {

WrapThread thread_from(const Json& body) {
  WrapThread thread{text_in(body, "name"), {}};
  for (const Json& frame : list_in(body, "frames"))
    thread.frames.push_back(
        {frame.at(0).get<std::string>(), frame.at(1).get<std::string>(), frame.at(2).get<bool>()});
  return thread;
}

}  // namespace

WrapStacks stacks_from(const Message& message) {
  return read_from(message, [](const Json& body) {
    WrapStacks stacks;
    stacks.pid = whole<int>(body.at("pid"));
    stacks.worker = member<std::uint32_t>(body, "worker");
    stacks.saves = member_or<bool>(body, "saves", false);
    for (const Json& thread : list_in(body, "threads"))
      stacks.threads.push_back(thread_from(thread));
    if (const Json lock = object_in(body, "lock"); !lock.empty())
      stacks.lock = WrapHeldLock{text_in(lock, "name"), text_in(lock, "thread"),
                                 text_in(lock, "where"), member_or<bool>(lock, "forked", false)};
    stacks.guarded = member_or<bool>(body, "guarded", false);
    stacks.kept = member<bool>(body, "kept");
    return stacks;
  });
}

}  // namespace benchbench::python_part
