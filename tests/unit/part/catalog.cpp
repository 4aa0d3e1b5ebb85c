#include "harness/part/catalog.h"

#include <catch2/catch.hpp>

#include "harness/core/error.h"
#include "harness/part/module.h"

namespace benchbench::catalog_tests {

constexpr PartDescription kNear{.kind = PartKind::loader, .name = "native", .summary = "s"};
constexpr PartDescription kTwin{.kind = PartKind::trainer, .name = "replay", .summary = "s"};
constexpr PartDescription kOther{.kind = PartKind::loader, .name = "replay", .summary = "s"};
constexpr PartDescription kAway{.kind = PartKind::trainer, .name = "resnet18", .summary = "s"};
constexpr PartDescription kFormat{.kind = PartKind::sample_format, .name = "tar", .summary = "s"};

std::unique_ptr<Loader> made_by_test(const LoaderContext&) { return nullptr; }

Catalog catalog() {
  static const PartRow rows[] = {{&kNear, {.loader = made_by_test, .format = {}}, ""},
                                 {&kTwin, {}, ""},
                                 {&kOther, {}, ""},
                                 {&kAway, {}, "no_such_module"},
                                 {&kFormat, {}, ""}};
  return Catalog(rows);
}

TEST_CASE("catalog: a part is found by kind and name, names keep their order", "[unit][part]") {
  const Catalog c = catalog();
  REQUIRE(c.find(PartKind::loader, "replay"));
  CHECK(c.find(PartKind::loader, "replay")->description == &kOther);
  CHECK(c.find(PartKind::trainer, "replay")->description == &kTwin);
  CHECK(c.find(PartKind::sampler, "replay") == nullptr);
  CHECK(c.names(PartKind::loader) == std::vector<std::string>{"native", "replay"});
  CHECK(c.maker(PartKind::loader, "native").loader == made_by_test);
}

TEST_CASE("catalog: an unknown part is told with its nearest spelling and what there is",
          "[unit][part]") {
  const Catalog c = catalog();
  try {
    c.maker(PartKind::loader, "natve");
    FAIL("no error");
  } catch (const PartError& e) {
    CHECK(std::string(e.message()) == "unknown loader natve (did you mean native?)");
    CHECK(std::string(e.hint()) == "known: native, replay");
  }
  try {
    c.maker(PartKind::sample_format, "parquet");
    FAIL("no error");
  } catch (const PartError& e) {
    CHECK(std::string(e.message()) == "unknown sample format parquet");
  }
}

TEST_CASE("catalog: a part whose module is absent is a device error that says so", "[unit][part]") {
  const Catalog c = catalog();
  try {
    c.maker(PartKind::trainer, "resnet18");
    FAIL("no error");
  } catch (const DeviceError& e) {
    CHECK(std::string(e.message())
              .find("needs the module no_such_module: "
                    "libbenchbench_no_such_module.so is not next to") == 0);
  }
}

TEST_CASE("catalog: the build's own parts are described, each once a kind", "[unit][part]") {
  const Catalog& c = built_in_catalog();
  for (const PartRow& row : c.rows()) {
    INFO(name_of(row.description->kind) << " " << row.description->name);
    CHECK(c.find(row.description->kind, row.description->name) == &row);
    CHECK_FALSE(row.description->summary.empty());
  }
}

}  // namespace benchbench::catalog_tests
