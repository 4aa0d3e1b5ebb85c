// What loaders and trainers of the catalogue say of their parameters, and of what they can be
// measured without, is so.
#include <set>

#include "harness/record/keys.h"
#include "tests/contract/parts/loader_bench.h"

namespace benchbench::test::description_contract {
namespace {

constexpr PartKind kBothKinds[] = {PartKind::loader, PartKind::trainer};

TEST_CASE("parts: every parameter has a name of its own, a help and a default that is legal",
          "[contract][parts]") {
  for (const PartKind kind : kBothKinds)
    for_each_row(kind, 4, [](const PartRow& row) {
      std::set<std::string_view> keys;
      for (const Parameter& p : row.description->parameters) {
        INFO("parameter " << p.key);
        CHECK(keys.insert(p.key).second);
        // The harness's own key of that name would win.
        CHECK(
            parameter_of(row.description->kind == PartKind::loader ? loader_keys() : trainer_keys(),
                         p.key) == nullptr);
        CHECK_FALSE(p.help.empty());
        CHECK((p.type == ParameterType::choice) == !p.choices.empty());
        CHECK(p.min <= p.max);
        if (!p.standard.empty()) CHECK(why_illegal(p, p.standard) == "");
      }
      if (keys.empty()) return set_aside("it has no parameters");
      return looked_at(keys.size());
    });
}

// Of the part's own parameters or of the harness's, with a value that is legal there; lays it on.
void check_change(const PartDescription& part, const Change& change, PartSettings& settings) {
  INFO(change.key << ": " << change.value);
  if (const Parameter* own = parameter_of(part.parameters, change.key)) {
    const std::string why = why_illegal(*own, change.value);
    REQUIRE(why == "");
    return settings.set(change.key, change.value);
  }
  const Parameter* ours =
      parameter_of(part.kind == PartKind::loader ? loader_keys() : trainer_keys(), change.key);
  REQUIRE(ours != nullptr);
  REQUIRE(why_illegal(*ours, change.value) == "");
}

// With everything else at its default, a batch is made and every row of it written.
std::uint64_t check_loader_without(const PartRow& row, const PartSettings& settings) {
  std::uint64_t looked = 0;
  for (const Food food : foods_of(*row.description)) {
    INFO("of " << name_of(food));
    const auto runtime = make_real_runtime();
    const MadeLoader made({.row = row, .food = food, .settings = &settings});
    const auto worker = made->worker(0, *runtime);
    const auto refs = samples_from(5, kBatch);
    Rows rows(made->spec(), kBatch, std::byte{0xa5}), again(made->spec(), kBatch, std::byte{0x5a});
    RecordingMeter meter;
    fill(made.loader(), *worker, refs, rows, 0, meter);
    fill(made.loader(), *worker, refs, again, 0, meter);
    CHECK(same_bytes(rows, 0, again, 0, kBatch));
    CHECK(meter.faults.empty());
    ++looked;
  }
  return looked;
}

std::uint64_t check_trainer_without(const PartRow& row, const PartSettings& settings) {
  const auto runtime = make_real_runtime();
  const auto device = make_cpu_device();
  const std::int64_t times[] = {1000};
  BatchSpec spec;
  spec.count = 2;
  spec.tensor[0] = {.name = "image", .dtype = DType::uint8, .row = {{32, 32, 3}, 3}};
  spec.tensor[1] = {.name = "label", .dtype = DType::int64, .row = {}};
  const auto trainer = built_in_catalog()
                           .maker(PartKind::trainer, row.description->name)
                           .trainer({.settings = settings.view(),
                                     .batch = spec,
                                     .batch_size = 1,
                                     .classes = 5,
                                     .runtime = *runtime,
                                     .device = *device,
                                     .times = times});
  CHECK(trainer != nullptr);
  return 1;
}

Verdict check_substitutions(const PartRow& row) {
  const PartDescription& part = *row.description;
  std::set<Component> components;
  std::uint64_t looked = 0;
  for (const Substitution& substitution : part.substitutions) {
    INFO("without " << name_of(substitution.component));
    CHECK(components.insert(substitution.component).second);
    CHECK_FALSE(substitution.changes.empty());
    PartSettings settings(part);
    for (const Change& change : substitution.changes) check_change(part, change, settings);
    looked += part.kind == PartKind::loader ? check_loader_without(row, settings)
                                            : check_trainer_without(row, settings);
  }
  if (part.substitutions.empty()) return set_aside("it lists no component that it can be without");
  return looked_at(looked);
}

TEST_CASE("parts: what they say they can be measured without, they can", "[contract][parts]") {
  for (const PartKind kind : kBothKinds) for_each_row(kind, 1, check_substitutions);
}

}  // namespace
}  // namespace benchbench::test::description_contract
