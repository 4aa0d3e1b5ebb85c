#include "scenarios/python/session.h"

#include <fmt/format.h>

#include "harness/core/error.h"
#include "scenarios/python/answers.h"
#include "scenarios/python/interpreter.h"
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

class Session final : public ExternalSession {
 public:
  explicit Session(const ExternalOrder& order)
      : interpreter_(interpreter_for(order.loader, order.trainer)),
        load_(load_request("load", order.loader, order.trainer, order.root, order.device)),
        run_(run_request(order)),
        timeout_(order.timeout),
        facts_(facts_of(order, run_["settings"])) {}

  void start(ExternalListener& listener) override {
    const std::function<void()> look = [&] { listener.look(); };
    const Patience patience{timeout_, look};
    child_ = std::make_unique<PythonChild>(PythonStart{interpreter_, child_script()}, patience);
    facts_.interpreter = child_->interpreter();
    facts_.spawn_ns = child_->spawn_time().count();
    note_loaded(child_->ask(load_, "loaded", "was loading the user's code", patience), facts_);
    child_->be_idle();
  }

  ExternalResult run(ExternalListener& listener) override {
    const std::function<void()> look = [&] { listener.look(); };
    const Patience patience{timeout_, look};
    std::string doing = "was starting the loader";
    child_->send(run_);
    for (;;) {
      const Message message = child_->receive(doing, patience);
      if (message.type == "result") {
        child_->be_idle();
        return result_from(message, facts_);
      }
      hear(message, listener, doing);
    }
  }

  int pid() const noexcept override { return child_ ? child_->pid() : -1; }

 private:
  void hear(const Message& message, ExternalListener& listener, std::string& doing) {
    if (message.type == "window") {
      if (tell_edge(message, listener) == Edge::end) child_->send({{"type", "seen"}});
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
  const Json load_, run_;
  const Nanoseconds timeout_;
  ExternalFacts facts_;
  std::unique_ptr<PythonChild> child_;
};

}  // namespace

std::unique_ptr<ExternalSession> make_session(const ExternalOrder& order) {
  return std::make_unique<Session>(order);
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
