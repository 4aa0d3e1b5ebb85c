#include "scenarios/python/wrap/wrap_answers.h"

#include <fmt/format.h>

#include <algorithm>

#include "scenarios/python/answers.h"

namespace benchbench::python_part {
namespace {

// "__main__.Samples" as it is; a class and what it holds are of no more interest.
WrapLoader loader_from(const Json& body) {
  WrapLoader loader;
  const Members take(body);
  take("name", loader.name);
  take("class", loader.kind);
  take("where", loader.where);
  take("getitem_where", loader.getitem_where);
  take("batches", loader.batches);
  take("length", loader.samples);
  loader.own = values_from(object_in(body, "own"));
  take("epochs", loader.epochs);
  take("served", loader.served);
  take("streams", loader.streams);
  take("trains", loader.trains);
  return loader;
}

// A loader that no variable holds has no name: null is an empty text.
std::vector<std::string> texts_in(const Json& body, const char* name) {
  return all_in(body, name, [](const Json& one) {
    return one.is_null() ? std::string() : one.get<std::string>();
  });
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

ExternalNoticed noticed_from(const Json& body) {
  ExternalNoticed noticed;
  const Members take(body);
  take("kind", noticed.kind);
  take("what", noticed.what);
  take("where", noticed.where);
  take("count", noticed.count);
  take("bytes", noticed.bytes);
  take("ns", noticed.ns);
  noticed.numbers = numbers_in(body);
  return noticed;
}

WrapFunction function_from(const Json& body) {
  return {text_in(body, "name"), text_in(body, "where")};
}

WrapSteps steps_in(const Json& body) {
  WrapSteps steps;
  const Members take(body);
  take("steps", steps.timed);
  take("before_ns", steps.before);
  take("backward_ns", steps.backward);
  take("rest_ns", steps.rest);
  take("last_fetch_step", steps.last_fetch);
  take("steps_since", steps.since);
  steps.calls = all_in(body, "calls", function_from);
  return steps;
}

ExternalPartner partner_from(const Json& body) {
  return {text_in(body, "name"), member_or<std::int64_t>(body, "wait_ns", 0)};
}

ExternalSpent spent_from(const Json& body) {
  ExternalSpent spent;
  const Members take(body);
  spent.state = body.at("state").get<std::string>();
  take("loader", spent.loader);
  take("made", spent.made);
  take("saver", spent.saver);
  take("where", spent.where);
  take("trains", spent.trains);
  take("workers", spent.workers);
  spent.ns = whole<std::int64_t>(body.at("ns"));
  take("before_ns", spent.before_ns);
  spent.count = whole<std::uint64_t>(body.at("count"));
  take("before", spent.before);
  return spent;
}

// Of `end`, or of its `changed`.
WrapServed served_in(const Json& body) {
  WrapServed served;
  const Members take(body);
  take("epochs", served.epochs);
  take("epoch_gap_ns", served.epoch_gap_ns);
  take("epoch_gap_batches", served.epoch_gap_batches);
  take("startup_ns", served.startup_ns);
  take("first_batch_ns", served.first_batch_ns);
  served.facts = result_from(flattened(Message{"end", without_series(body), ""}), {}).facts;
  take("epoch_batches", served.facts.epoch_batches);
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
    WrapHello process;
    const Json rank = object_in(body, "rank");
    const Members take(body), take_of_rank(rank);
    process.pid = whole<int>(body.at("pid"));
    take("parent", process.parent);
    take("executable", process.interpreter);
    take("python", process.version);
    take("torch", process.torch);
    take("failed", process.failed);
    take("mute", process.mute);
    take_of_rank("rank", process.rank);
    take_of_rank("world", process.world);
    return process;
  });
}

namespace {

WrapLoop loop_in(const Json& body) {
  WrapLoop loop;
  const Members take(body);
  take("batch_ns", loop.batch);
  take("step_ns", loop.step);
  take("workers", loop.workers);
  take("prefetched", loop.prefetched);
  take("epoch_batches", loop.epoch_batches);
  take("epoch_left", loop.epoch_left);
  take("epoch_beginning_ns", loop.epoch_beginning);
  take("saves", loop.saves);
  take("between_saves", loop.between_saves);
  take("will_save", loop.will_save);
  take("distinct", loop.distinct);
  take("full_alone", loop.full_alone);
  return loop;
}

void read_rank(const Json& body, WrapSteady& steady) {
  const auto ranks = member_or<std::vector<std::uint32_t>>(body, "rank", {});
  if (ranks.size() != 2) return;
  steady.rank = ranks[0];
  steady.world = ranks[1];
  steady.loop.is_rank = true;
}

}  // namespace

WrapSteady steady_from(const Message& message) {
  return read_from(message, [](const Json& body) {
    WrapSteady steady;
    const Members take(body);
    steady.loop = loop_in(object_in(body, "loop"));
    steady.loader = loader_from(object_in(body, "loader"));
    steady.partners = loaders_in(body, "partners");
    steady.others = texts_in(body, "others");
    take("group", steady.group);
    read_rank(body, steady);
    take("versions", steady.versions);
    take("device", steady.device);
    take("device_name", steady.device_name);
    take("startup_ns", steady.startup_ns);
    take("first_batch_ns", steady.first_batch_ns);
    take("warmup_ns", steady.warmup_ns);
    take("warmup_steps", steady.warmup_steps);
    take("cycle", steady.cycle);
    take("steady", steady.steady);
    if (const Json changed = object_in(body, "changed"); !changed.empty())
      steady.changed = loader_from(changed);
    steady.dropped = texts_in(body, "dropped");
    take("tunes", steady.tunes);
    const Json fixed = object_in(body, "fixed");
    for (const auto& [name, why] : fixed.items()) steady.fixed[name] = why.get<std::string>();
    return steady;
  });
}

std::vector<WrapLoader> loaders_in(const Json& body, const char* name) {
  return all_in(body, name, loader_from);
}

std::optional<WrapKind> kind_in(const Json& body) {
  const std::string kind = text_in(body, "kind");
  return kind.empty() ? std::nullopt : std::optional(word_from<WrapKind>(kind));
}

std::optional<ExternalLedger> ledger_in(const Json& body) {
  const Json said = object_in(body, "ledger");
  if (said.empty()) return std::nullopt;
  return ExternalLedger{member_or<std::uint64_t>(said, "batches", 0),
                        member_or<bool>(said, "whole", false), all_in(said, "rows", spent_from)};
}

WrapState state_in(const Message& next) {
  return read_from(next, [](const Json& body) {
    WrapState state;
    const Members take(body);
    take("saves", state.saves);
    take("between_saves", state.between_saves);
    take("until_save", state.until_save);
    take("epochs", state.epochs);
    take("epoch_left", state.epoch_left);
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
    const Members take(body);
    take("order", stretch.order);
    take("idle", stretch.idle);
    take("busy_ns", stretch.busy_ns);
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
  stretch.result.facts.partners =
      read_from(message, [](const Json& body) { return all_in(body, "partners", partner_from); });
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
    const Members take(body);
    end.reason = word_from<WrapReason>(text_in(body, "reason"));
    take("message", end.message);
    take("saver", end.saver);
    take("versions", end.versions);
    take("caught", end.caught);
    take("steered", end.steered);
    take("seen", end.seen);
    take("saves", end.saves);
    end.steps = steps_in(object_in(body, "loop"));
    end.loaders = loaders_in(body, "loaders");
    end.served = served_in(body);
    end.served.facts.noticed = all_in(body, "noticed", noticed_from);
    end.served.facts.ledger = ledger_in(body);
    if (const Json changed = object_in(body, "changed"); !changed.empty())
      end.changed = served_in(changed);
    end.notes = texts_in(body, "notes");
    return end;
  });
}

namespace {

WrapThread thread_from(const Json& body) {
  return {text_in(body, "name"), all_in(body, "frames", [](const Json& frame) {
            return WrapFrame{frame.at(0).get<std::string>(), frame.at(1).get<std::string>(),
                             frame.at(2).get<bool>()};
          })};
}

}  // namespace

WrapStacks stacks_from(const Message& message) {
  return read_from(message, [](const Json& body) {
    WrapStacks stacks;
    const Members take(body);
    stacks.pid = whole<int>(body.at("pid"));
    take("worker", stacks.worker);
    take("saves", stacks.saves);
    stacks.threads = all_in(body, "threads", thread_from);
    if (const Json lock = object_in(body, "lock"); !lock.empty())
      stacks.lock = WrapHeldLock{text_in(lock, "name"), text_in(lock, "thread"),
                                 text_in(lock, "where"), member_or<bool>(lock, "forked", false)};
    take("guarded", stacks.guarded);
    take("kept", stacks.kept);
    return stacks;
  });
}

}  // namespace benchbench::python_part
