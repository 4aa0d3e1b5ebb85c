#include "scenarios/python/session.h"

#include <fmt/format.h>

#include <utility>

#include "harness/core/error.h"
#include "scenarios/python/answers.h"
#include "scenarios/python/interpreter.h"
#include "scenarios/python/kept_child.h"
#include "scenarios/python/python_child.h"
#include "scenarios/python/requests.h"

namespace benchbench::python_part {
namespace {

ExternalFacts facts_of(const ExternalOrder& order, const Json& settings) {
  ExternalFacts facts;
  facts.way = order.way;
  if (order.loader) facts.loader_call = call_of(*order.loader);
  if (order.trainer) facts.trainer_call = call_of(*order.trainer);
  if (settings.contains("persistent_workers"))
    facts.persistent_workers = settings["persistent_workers"].get<bool>();
  return facts;
}

constexpr Nanoseconds kRestPatience = std::chrono::seconds{10};

class Session final : public ExternalSession {
 public:
  explicit Session(const ExternalOrder& order)
      : interpreter_(interpreter_for(order.loader, order.trainer)),
        load_(load_request("load", order.loader, order.trainer, order.root, order.device,
                           order.shares)),
        run_(run_request(order)),
        shares_(order.shares),
        observer_(order.observer),
        timeout_(order.timeout),
        facts_(facts_of(order, run_["settings"])) {}

  // The process is asked for the traces of the trial once its result is heard.
  ~Session() override {
    if (!shares_) return;
    const std::function<void()> look = [&] { listener_->look(); };
    if (ended_)
      rest_child(std::move(at_), {kRestPatience, look});
    else if (at_.trials > 0)
      kept_children().refuse(at_.kind);
  }

  void start(ExternalListener& listener) override {
    const std::function<void()> look = [&] { listener.look(); };
    const Patience patience{timeout_, look};
    const ChildKind kind = kind_of_child(interpreter_, load_, observer_);
    if (shares_ && kept_children().refuses(kind)) {
      at_.why_fresh = "an earlier trial failed in a process that had run others";
      shares_ = false;
    }
    load_["rests"] = shares_;
    if (shares_)
      at_ = kept_children().take(kind);
    else
      kept_children().end_on_cards();
    const bool fresh = !at_.child;
    if (fresh) at_.child = start_child(interpreter_, patience, facts_);
    at_.child->forget_output();
    facts_.interpreter = at_.child->interpreter();
    facts_.trials_before = at_.trials;
    facts_.why_fresh = std::exchange(at_.why_fresh, {});
    load_code(*at_.child, load_, patience, facts_);
    if (!fresh) facts_.import_ns.reset();
    at_.child->be_idle();
  }

  ExternalResult run(ExternalListener& listener) override {
    const std::function<void()> look = [&] { listener.look(); };
    const Patience patience{timeout_, look};
    std::string doing = "was starting the loader";
    listener_ = &listener;
    at_.child->send(run_);
    for (;;) {
      const Message message = at_.child->receive(doing, patience);
      if (message.type == "result") {
        at_.child->be_idle();
        ExternalResult result = result_from(message, facts_);
        ended_ = true;
        return result;
      }
      hear(message, listener, doing);
    }
  }

  int pid() const noexcept override { return at_.child ? at_.child->pid() : -1; }
  std::uint32_t trials_before() const noexcept override { return at_.trials; }

 private:
  void hear(const Message& message, ExternalListener& listener, std::string& doing) {
    if (message.type == "window") {
      if (tell_edge(message, listener) == Edge::end) at_.child->send({{"type", "seen"}});
      return;
    }
    if (message.type != "progress")
      throw_nonsense(fmt::format("\"{}\" during a run", message.type));
    tell_progress(message, listener);
    doing = "was " + read_from(message, [](const Json& body) {
              return body.at("phase").get<std::string>();
            });
  }

  const std::string interpreter_;
  Json load_;
  const Json run_;
  bool shares_;
  const int observer_;
  const Nanoseconds timeout_;
  ExternalFacts facts_;
  KeptChild at_;
  ExternalListener* listener_ = nullptr;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<ExternalSession> make_session(const ExternalOrder& order) {
  return std::make_unique<Session>(order);
}

void end_idle(IdleProcesses which) {
  if (which == IdleProcesses::on_cards)
    kept_children().end_on_cards();
  else
    kept_children().end();
}

// Before a run whatever is wrong with the user's code is a scenario that cannot be run.
ExternalCheck check_code(const ExternalCheckOrder& order) try {
  const std::string interpreter = interpreter_for(order.loader, order.trainer);
  Json request = load_request("check", order.loader, order.trainer, order.root, order.device);
  request["names_only"] = order.names_only;
  request["batch"] = order.batch && order.loader;
  const Patience patience{order.timeout, order.look};
  PythonChild child({interpreter, child_script()}, patience);
  const Message checked = child.ask(request, "checked", "was loading the user's code", patience);
  child.be_idle();
  return check_from(checked);
} catch (const PartError& error) {
  ScenarioError unusable(error.message(), error.hint());
  unusable.set_details(error.details());
  throw unusable;
}

}  // namespace benchbench::python_part
