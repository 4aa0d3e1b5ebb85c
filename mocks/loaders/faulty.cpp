// A loader that goes wrong on purpose, to prove what a failing part costs: one trial, told with its cause.
#include <signal.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "harness/core/error.h"
#include "harness/part/catalog.h"

namespace benchbench {
namespace {

constexpr std::string_view kFaults[] = {"throw", "exit", "abort", "segv", "hang"};
constexpr Parameter kParameters[] = {
    {"fault", ParameterType::choice, "throw", "what goes wrong", 0, 0, kFaults},
    {"after", ParameterType::integer, "3", "batches filled well before it", 0, 1e9},
    {"samples", ParameterType::integer, "4096", "samples an epoch", 1, 1e9},
};

class FaultyWorker final : public LoaderWorker {
 public:
  FaultyWorker(std::string_view fault, std::uint64_t after, Runtime& runtime)
      : fault_(fault), after_(after), runtime_(runtime) {}
  void fill(const Ticket& ticket, StageMeter&) override {
    if (ticket.batch >= after_) go_wrong();
    for (std::size_t i = 0; i < ticket.rows.count(); ++i) std::memset(ticket.rows.row(0, i), 1, 1);
  }

 private:
  void go_wrong() {
    if (fault_ == "exit") std::_Exit(3);
    if (fault_ == "abort") std::abort();
    if (fault_ == "segv") ::raise(SIGSEGV);
    if (fault_ == "hang") runtime_.spend_until(kForever, Spend::sleep);
    throw PartError("told to throw");
  }
  std::string_view fault_;
  std::uint64_t after_;
  Runtime& runtime_;
};

class Faulty final : public Loader {
 public:
  explicit Faulty(const LoaderContext& context)
      : fault_(context.settings.text("fault")),
        after_(static_cast<std::uint64_t>(context.settings.integer("after"))),
        samples_(static_cast<std::uint64_t>(context.settings.integer("samples"))) {}
  Layout layout() const override { return {samples_, {}, {}}; }
  BatchSpec spec() const override {
    BatchSpec spec;
    spec.count = 1;
    std::memcpy(spec.tensor[0].name, "byte", 4);
    return spec;  // one uint8 a row
  }
  std::unique_ptr<LoaderWorker> worker(WorkerNumber, Runtime& runtime) override {
    return std::make_unique<FaultyWorker>(fault_, after_, runtime);
  }

 private:
  std::string_view fault_;
  std::uint64_t after_, samples_;
};

}  // namespace

namespace parts {
extern const PartDescription loader_faulty_description{
    .kind = PartKind::loader,
    .name = "faulty",
    .summary = "goes wrong on purpose after some batches: throws, exits, aborts, crashes or hangs",
    .parameters = kParameters,
    .simulated = false,
    .mock = true,
};
PartMaker loader_faulty_maker() {
  PartMaker maker;
  maker.loader = [](const LoaderContext& context) -> std::unique_ptr<Loader> {
    return std::make_unique<Faulty>(context);
  };
  return maker;
}
}  // namespace parts
}  // namespace benchbench
