// What a report says was measured.
#include "harness/report/words/title.h"

#include <catch2/catch.hpp>

#include "tests/unit/report/told_findings.h"

namespace benchbench::title_test {

using test::ToldFindings;
using test::whole;
using test::words;
using Lines = std::vector<std::string>;

ToldFindings resnet() {
  ToldFindings t;
  t.add({{"loader.num_workers", "2"}}, 2000, 60, 60).payload_bytes_per_sample = 108'600;
  SettingsMap& base = t.plan.scenario.base;
  base.set("trainer.use", words("resnet18"));
  base.set("trainer.device", words("cpu"));
  base.set("trainer.precision", words("fp32"));
  base.set("loader.use", words("native"));
  base.set("loader.batch_size", whole(16));
  base.set("loader.transform.random_resized_crop", whole(64));
  base.set("dataset.format", words("image_folder"));
  t.f.trainer_parameters = 11'227'812;
  t.f.epoch_samples = 2048;
  return t;
}

TEST_CASE("title: model, parameters, crop, batch, loader, data and how large a sample is",
          "[unit][report]") {
  ToldFindings t = resnet();
  CHECK(title_lines(t.f, t.plan) ==
        Lines{"resnet18 (11.2 M parameters) on cpu, 64 px, batch 16; loader native; 2,048 samples "
              "of 109 KB in image_folder"});
  t.plan.scenario.base.set("trainer.precision", words("bf16-mixed"));
  t.plan.scenario.base.set("dataset.path", words("my/photos"));
  t.f.trainer_parameters = 999'999;
  t.f.epoch_samples.reset();
  CHECK(title_lines(t.f, t.plan) == Lines{"resnet18 (999,999 parameters) on cpu, bf16-mixed, 64 "
                                          "px, batch 16; loader native; samples of "
                                          "109 KB in image_folder (my/photos)"});
  t.plan.scenario.base.set("loader.transform.center_crop", whole(48));
  CHECK_THAT(title_lines(t.f, t.plan)[0], Catch::Contains(", 48 px, batch 16"));
}

TEST_CASE("title: a mock is told by the time it was set to", "[unit][report]") {
  ToldFindings t;
  t.add({}, 100, 100, 100);
  SettingsMap& base = t.plan.scenario.base;
  base.set("trainer.use", words("timed"));
  base.set("trainer.step_time", {ParameterType::duration, std::int64_t{2'000'000}});
  base.set("loader.use", words("synthetic"));
  base.set("loader.batch_time", {ParameterType::duration, std::int64_t{5'000'000}});
  base.set("loader.batch_size", whole(32));
  t.plan.scenario.mocks = {"loader=synthetic", "trainer=timed"};
  CHECK(title_lines(t.f, t.plan) ==
        Lines{"mock trainer 2 ms per step, batch 32; mock loader 5 ms per batch"});
  base.set("trainer.sample_time", {ParameterType::duration, std::int64_t{10'000}});
  base.set("loader.batch_time", {ParameterType::duration, std::int64_t{0}});
  CHECK(title_lines(t.f, t.plan) ==
        Lines{"mock trainer 2 ms per step and 10 us per sample, batch 32; mock loader synthetic"});
  base.set("trainer.step_time", {ParameterType::duration, std::int64_t{0}});
  base.set("loader.sample_time", {ParameterType::duration, std::int64_t{3'000}});
  CHECK(title_lines(t.f, t.plan) ==
        Lines{"mock trainer 10 us per sample, batch 32; mock loader 3 us per sample"});
  base.set("trainer.use", words("discard"));
  for (const char* time : {"trainer.step_time", "trainer.sample_time"}) base.erase(time);
  t.plan.scenario.mocks = {"trainer=discard"};
  CHECK(title_lines(t.f, t.plan) == Lines{"mock trainer discard, batch 32; loader synthetic"});
}

TEST_CASE("title: what a variant and --set laid on, in place of what", "[unit][report]") {
  ToldFindings t = resnet();
  t.plan.scenario.replaced = {{"cpu", "loader.batch_size", "32", "16"},
                              {"cpu", "trainer.use", "resnet50", "resnet18"},
                              {"--set", "loader.prefetch_factor", "2", "4"},
                              {"cpu", "loader.transform.random_resized_crop", "224", "64"}};
  const Lines lines = title_lines(t.f, t.plan);
  REQUIRE(lines.size() == 3);
  CHECK(lines[1] == "cpu: resnet18, 64 px, batch 16 in place of resnet50, 224 px, batch 32");
  CHECK(lines[2] == "--set: prefetch_factor 4 in place of prefetch_factor 2");
  for (const char* key : {"loader.a", "loader.b"})
    t.plan.scenario.replaced.push_back({"cpu", key, "", "1"});
  CHECK(title_lines(t.f, t.plan)[1] ==
        "cpu: resnet18, 64 px, batch 16, a 1 in place of resnet50, 224 px, batch 32, and 1 more");
  t.plan.scenario.replaced = {{"--set", "loader.python", "", "/usr/bin/python3"}};
  CHECK(title_lines(t.f, t.plan)[1] == "--set: python /usr/bin/python3");
}

TEST_CASE("title: a batch size that is the user's own is not known", "[unit][report]") {
  ToldFindings t = resnet();
  CHECK(title_lines(t.f, t.plan)[0].find("batch 16") != std::string::npos);
  t.plan.scenario.base.set("loader.users_own",
                           {ParameterType::text, std::string("shuffle,batch_size")});
  CHECK(title_lines(t.f, t.plan)[0].find("batch") == std::string::npos);
}

TEST_CASE("title: the base's values are told where its name has not all of them",
          "[unit][report]") {
  ToldFindings t = resnet();
  t.plan.points[0].labels = {{"loader.num_workers", "2"},
                             {"loader.batch_size", "16"},
                             {"loader.prefetch_factor", "2"},
                             {"dataset.format", "tar"}};
  CHECK(t.plan.points[0].name() == "num_workers=2 +3 (base)");
  CHECK(title_lines(t.f, t.plan).back() ==
        "base: num_workers=2, batch_size=16, prefetch_factor=2, format=tar");
  t.plan.points[0].labels.resize(2);
  CHECK(title_lines(t.f, t.plan).size() == 1);
}

}  // namespace benchbench::title_test
