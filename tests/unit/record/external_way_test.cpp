// Which trials the external executor runs.
#include <catch2/catch.hpp>
#include <tuple>

#include "harness/record/external_way.h"

namespace benchbench::external_way_test {
namespace {

constexpr PartDescription kTheirLoader{
    .kind = PartKind::loader, .name = "theirs", .summary = "", .external = true};
constexpr PartDescription kTheirTrainer{
    .kind = PartKind::trainer, .name = "theirs", .summary = "", .external = true};
constexpr PartDescription kOurLoader{.kind = PartKind::loader, .name = "ours", .summary = ""};
constexpr PartDescription kOurTrainer{.kind = PartKind::trainer, .name = "ours", .summary = ""};

Catalog catalog() {
  const PartRow rows[] = {{&kTheirLoader, {}, ""},
                          {&kTheirTrainer, {}, ""},
                          {&kOurLoader, {}, ""},
                          {&kOurTrainer, {}, ""}};
  return Catalog(rows);
}

SettingsMap settings(const char* loader, const char* trainer, const char* prototype) {
  SettingsMap map;
  map.set("loader.use", {ParameterType::text, std::string(loader)});
  map.set("trainer.use", {ParameterType::text, std::string(trainer)});
  if (*prototype) map.set("loader.of.use", {ParameterType::text, std::string(prototype)});
  return map;
}

}  // namespace

TEST_CASE("external way: by the pair of parts, and what a repeated batch is made of",
          "[unit][record]") {
  using enum ExternalWay;
  const Catalog all = catalog();
  for (const auto& [loader, trainer, prototype, way] :
       std::initializer_list<std::tuple<const char*, const char*, const char*, ExternalWay>>{
           {"theirs", "discard", "", self_timed},
           {"theirs", "theirs", "", all_there},
           {"theirs", "ours", "", hand_over},
           {"cached_batch", "theirs", "theirs", replayed},
           {"rate_limited", "theirs", "theirs", replayed},
           {"cached_batch", "theirs", "ours", hand_over},
           {"cached_batch", "theirs", "", hand_over},
           {"cached_batch", "ours", "theirs", none},
           {"ours", "theirs", "theirs", hand_over},
           {"ours", "discard", "", none},
           {"ours", "ours", "", none}}) {
    CAPTURE(loader, trainer, prototype);
    CHECK(external_way(settings(loader, trainer, prototype), all) == way);
  }
}

TEST_CASE("external way: batches that are handed over are the threaded executor's",
          "[unit][record]") {
  using enum ExternalWay;
  for (const auto way : {self_timed, all_there, replayed}) CHECK(runs_externally(way));
  for (const auto way : {none, hand_over}) CHECK_FALSE(runs_externally(way));
}

}  // namespace benchbench::external_way_test
