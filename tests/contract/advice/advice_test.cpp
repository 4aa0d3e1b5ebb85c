// Every component × every loader, trainer and format: advised is what that part has, can be set to,
// and is not already so.
#include "harness/analysis/components/advice.h"

#include <fmt/format.h>
#include <catch2/catch.hpp>
#include <fstream>
#include <set>

#include "harness/config/scenario_file.h"
#include "harness/plan/planner.h"
#include "tests/scratch_folder.h"

namespace benchbench::advice_test {
namespace {

using Sets = std::vector<Overlay>;

// A scenario file that is there while this lives.
class ScenarioFile {
 public:
  explicit ScenarioFile(const std::string& text)
      : folder_(test::make_scratch_folder("advice")), path_(folder_ + "/s.yaml") {
    std::ofstream(path_) << text;
  }
  ~ScenarioFile() { std::filesystem::remove_all(folder_); }
  SettingsMap base(const Sets& sets) const {
    ScenarioRequest request;
    request.path = path_;
    request.cores = 4;
    request.cuda_available = true;
    request.sets = sets;
    return load_scenario(request, built_in_catalog()).base;
  }

 private:
  std::string folder_, path_;
};

Sets operator+(Sets a, const Sets& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

bool has(const PartDescription& part, std::string_view key) {
  return std::ranges::find(part.parameters, key, &Parameter::key) != part.parameters.end();
}

// Parameters without a default, as any text.
std::string required(const PartDescription& part) {
  std::string text;
  for (const Parameter& p : part.parameters)
    if (p.standard.empty()) text += fmt::format(", {}: x.txt", p.key);
  if (part.external) text += ", script: x.py";
  return text;
}

std::string dataset(const PartDescription* format) {
  if (!format) return "";
  const Holds& h = format->holds;
  const char* data = h.images   ? "image: {mean_width: 500, mean_height: 375}"
                     : h.tokens ? "tokens: {mean_length: 400, max_length: 2048}"
                                : "volume: {depth: 64, height: 96, width: 96}";
  return fmt::format("dataset: {{format: {}, synthesize: {{samples: 4096, {}}}}}\n", format->name,
                     data);
}

// What a point may look like, so far as its parts have the keys.
std::vector<Sets> variants(const PartDescription& loader, const PartDescription& trainer) {
  std::vector<Sets> all;
  const auto add = [&](Sets sets) {
    std::erase_if(sets, [&](const Overlay& o) {
      const bool of_loader = o.key.starts_with("loader.?"),
                 of_trainer = o.key.starts_with("trainer.?");
      return (of_loader && !has(loader, o.key.substr(8))) ||
             (of_trainer && !has(trainer, o.key.substr(9)));
    });
    for (Overlay& o : sets) std::erase(o.key, '?');
    all.push_back(std::move(sets));
  };
  add({});
  add({{"loader.num_workers", "4"},
       {"trainer.device", "cpu"},
       {"trainer.intra_op_threads", "4"},
       {"loader.dispatch", "round_robin"}});
  add({{"loader.num_workers", "2"},
       {"loader.in_order", "false"},
       {"trainer.device", "cuda:0"},
       {"loader.pin_memory", "true"}});
  add({{"loader.num_workers", "1"},
       {"trainer.device", "cuda:0"},
       {"loader.?residency", "host"},
       {"trainer.?precision", "bf16-mixed"}});
  add({{"loader.num_workers", "2"},
       {"loader.?transform.normalize_on", "worker"},
       {"loader.?read_time", "1ms"},
       {"loader.?sample_time", "1ms"},
       {"loader.?lock_time", "1ms"},
       {"loader.?straggler", "2"},
       {"trainer.?copy_bandwidth", "1GB/s"},
       {"trainer.log_every", "5"},
       {"trainer.postprocess.every", "2"},
       {"trainer.postprocess.time", "1ms"},
       {"trainer.checkpoint.every", "10"},
       {"trainer.checkpoint.bytes", "1MiB"},
       {"dataset.storage.like", "s3"}});
  add({{"loader.num_workers", "3"},
       {"loader.?io_depth", "8"},
       {"loader.?payload", "ready"},
       {"loader.batch_size", "4096"}});
  return all;
}

struct Seen {
  std::set<std::string> loaders, trainers, formats, keys;
  std::set<Component> with_key;
  int advised = 0;
};

void check_advice(const ScenarioFile& file, const Sets& sets, const SettingsMap& now,
                  const Advice& advice, const PartDescription& loader,
                  const PartDescription& trainer, Seen& seen) {
  if (advice.key.empty()) {
    CHECK(advice.remedy == Remedy::by_hand);
    return;
  }
  INFO(advice.key << ": " << advice.from << " -> " << advice.to);
  ++seen.advised;
  seen.keys.insert(advice.key);
  seen.with_key.insert(advice.component);
  CHECK(advice.from != advice.to);
  CHECK(advice.in_code == (advice.key.starts_with("trainer.") ? trainer : loader).external);
  const Value* value = now.find(advice.key);
  CHECK((value ? value->text() : "none") == advice.from);
  SettingsMap then;
  REQUIRE_NOTHROW(then = file.base(sets + Sets{{advice.key, advice.to}}));
  const Value* set = then.find(advice.key);
  CHECK((set ? set->text() : "none") == advice.to);
  const Catalog& catalog = built_in_catalog();
  CHECK_FALSE(substitute(Mode::pipeline, then, then, catalog) ==
              substitute(Mode::pipeline, now, now, catalog));
}

// What the settings themselves cannot tell: that a key means something there.
void check_meaning(const SettingsMap& now, const PartDescription& loader,
                   const PartDescription& trainer, const Advice& a, bool locked) {
  const std::int64_t workers = now.integer("loader.num_workers");
  if (a.key == "loader.in_order" || a.key == "loader.dispatch")
    CHECK((workers >= 2 && loader.name != "cached_batch"));
  if (a.key == "loader.pin_memory")
    CHECK((now.text("trainer.device") != "cpu" && (loader.simulated || loader.external) &&
           (trainer.on_device != OnDevice::no || !trainer.mock)));
  if (a.key == "trainer.non_blocking")
    CHECK((now.boolean("loader.pin_memory") && !loader.external));
  if (a.key == "trainer.intra_op_threads")
    CHECK((now.text("trainer.device") == "cpu" && !trainer.mock));
  if (a.key == "loader.num_workers") CHECK(loader.name != "cached_batch");
  if (a.key == "loader.num_workers" && a.remedy == Remedy::more_workers) {
    CHECK_FALSE(locked);
    CHECK(a.component != Component::lock);
    CHECK(std::stoll(a.to) > workers);
    CHECK(std::stoll(a.to) <= 4);
  }
  if (a.key.starts_with("dataset.")) CHECK(loader.needs_dataset);
  if (a.key == "dataset.format")
    CHECK_FALSE(
        built_in_catalog().find(PartKind::sample_format, a.to)->description->on_disk.files ==
        FormatFiles::tree_only);
  if (a.remedy == Remedy::mock_setting) CHECK((loader.mock || trainer.mock));
}

void check_point(const ScenarioFile& file, const Sets& sets, const PartDescription& loader,
                 const PartDescription& trainer, Seen& seen) {
  SettingsMap now;
  try {
    now = file.base(sets);
  } catch (const ScenarioError&) {
    return;  // contradicts itself there
  }
  seen.loaders.insert(std::string(loader.name));
  seen.trainers.insert(std::string(trainer.name));
  for (std::size_t c = 0; c < kComponents; ++c)
    for (const double cores : {0.0, 4.0})
      for (const bool locked : {false, true}) {
        const auto component = static_cast<Component>(c);
        const Advice advice = advise(component, {now, built_in_catalog(), cores}, locked);
        INFO(name_of(component) << ", cores " << cores << ", locked " << locked << ", variant "
                                << sets.size());
        CHECK(advice.component == component);
        check_meaning(now, loader, trainer, advice, locked);
        if (advice.remedy == Remedy::more_workers) CHECK(cores > 0);
        if (cores > 0 && !locked) check_advice(file, sets, now, advice, loader, trainer, seen);
        if (advice.remedy == Remedy::more_workers) continue;
      }
}

std::vector<const PartDescription*> parts_of(PartKind kind) {
  std::vector<const PartDescription*> all;
  for (const PartRow& row : built_in_catalog().rows())
    if (row.description->kind == kind) all.push_back(row.description);
  return all;
}

}  // namespace

TEST_CASE(
    "advice: each key exists in that part, may have that value there, "
    "changes something and is not already so",
    "[contract][advice]") {
  Seen seen;
  for (const PartDescription* loader : parts_of(PartKind::loader))
    for (const PartDescription* trainer : parts_of(PartKind::trainer)) {
      if (trainer->external && !loader->external) continue;  // most loaders do not go with it
      std::vector<const PartDescription*> formats = {nullptr};
      if (loader->needs_dataset) formats = parts_of(PartKind::sample_format);
      for (const PartDescription* format : formats) {
        // Formats do not meet trainers: two of these are enough for all of them, and the others
        // take one that holds what they train on.
        const std::string_view own = trainer->data == DataKind::tokens ? "tokens" : "image_folder";
        if (format && trainer->name != "timed" && trainer->name != "resnet18" &&
            format->name != own)
          continue;
        const ScenarioFile file(fmt::format(
            "{}loader: {{use: {}, batch_size: 8{}}}\ntrainer: {{use: {}{}}}\n", dataset(format),
            loader->name, required(*loader), trainer->name, required(*trainer)));
        INFO(loader->name << " into " << trainer->name << " of "
                          << (format ? format->name : "nothing"));
        for (const Sets& more : variants(*loader, *trainer)) {
          check_point(file, more, *loader, *trainer, seen);
          if (format && format->on_disk.library)
            check_point(file, more + Sets{{"loader.io", "library"}}, *loader, *trainer, seen);
        }
        if (format) seen.formats.insert(std::string(format->name));
      }
    }
  CHECK(seen.loaders.size() == parts_of(PartKind::loader).size());
  CHECK(seen.trainers.size() == parts_of(PartKind::trainer).size());
  CHECK(seen.formats.size() == parts_of(PartKind::sample_format).size());
  CHECK(seen.advised > 500);
  for (const char* key :
       {"loader.io", "loader.residency", "loader.io_depth", "loader.num_workers", "loader.in_order",
        "loader.batch_size", "loader.pin_memory", "loader.transform.normalize_on",
        "loader.lock_time", "loader.straggler", "dataset.format", "dataset.prepare",
        "trainer.log_every", "trainer.postprocess.every", "trainer.checkpoint.every",
        "trainer.copy_bandwidth", "trainer.intra_op_threads"}) {
    INFO(key);
    CHECK(seen.keys.contains(key));
  }
  // Nothing says ahead of a trial what another number format gives on this CPU.
  CHECK_FALSE(seen.keys.contains("trainer.precision"));
}

namespace {

Advice advised(Component component, const std::string& text, const Sets& sets = {},
               double cores = 4, bool locked = false) {
  const ScenarioFile file(text);
  const SettingsMap base = file.base(sets);
  return advise(component, {base, built_in_catalog(), cores}, locked);
}

const std::string kGzip =
    "dataset: {format: hdf5_gzip, synthesize: {samples: 64, "
    "volume: {depth: 64, height: 96, width: 96}}}\n"
    "loader: {use: native, num_workers: 2, batch_size: 4, io: library}\ntrainer: {use: timed}\n";
const std::string kPictures =
    "dataset: {format: image_folder, synthesize: {samples: 64, image: {mean_width: 500, "
    "mean_height: 375}}}\n"
    "loader: {use: native, num_workers: 2, batch_size: 4}\ntrainer: {use: resnet18, device: cpu}\n";

Advice with_key(Component c, Remedy remedy, std::string key, std::string from, std::string to) {
  return {c, remedy, std::move(key), std::move(from), std::move(to)};
}
Advice by_hand(Component c) { return {c, Remedy::by_hand, "", "", ""}; }

}  // namespace

TEST_CASE(
    "advice: against the HDF5 library's lock, "
    "past the library; against its storage no other container",
    "[contract][advice]") {
  CHECK(advised(Component::lock, kGzip) ==
        with_key(Component::lock, Remedy::past_the_lock, "loader.io", "library", "auto"));
  CHECK(advised(Component::lock, kGzip, {{"loader.io", "auto"}}) == by_hand(Component::lock));
  CHECK(advised(Component::decode, kGzip) == with_key(Component::decode, Remedy::uncompressed,
                                                      "dataset.format", "hdf5_gzip",
                                                      "hdf5_contiguous"));
  CHECK(advised(Component::storage, kGzip) == with_key(Component::storage, Remedy::keep_in_memory,
                                                       "loader.residency", "storage", "host"));
  CHECK(advised(Component::storage, kGzip, {{"loader.io", "auto"}}) ==
        with_key(Component::storage, Remedy::reads_ahead, "loader.io_depth", "0", "16"));
  CHECK(advised(Component::storage, kGzip, {{"loader.residency", "host"}}) ==
        by_hand(Component::storage));
}

TEST_CASE("advice: pictures in a folder", "[contract][advice]") {
  CHECK(advised(Component::storage, kPictures) ==
        with_key(Component::storage, Remedy::whole_files, "dataset.format", "image_folder", "tar"));
  const auto more = [](const char* to) {
    return with_key(Component::decode, Remedy::more_workers, "loader.num_workers", "2", to);
  };
  CHECK(advised(Component::decode, kPictures) == more("4"));
  CHECK(advised(Component::decode, kPictures, {}, 3) == more("3"));
  CHECK(advised(Component::decode, kPictures, {}, 3.9) == more("3"));
  const Advice smaller =
      with_key(Component::decode, Remedy::smaller_pictures, "dataset.prepare", "none", "jpeg");
  CHECK(advised(Component::decode, kPictures, {}, 2) == smaller);  // no core is free
  CHECK(advised(Component::decode, kPictures, {}, 2.9) == smaller);
  CHECK(advised(Component::decode, kPictures, {}, 0) == smaller);        // not known to be
  CHECK(advised(Component::decode, kPictures, {}, 4, true) == smaller);  // a lock holds them back
  CHECK(advised(Component::decode, kPictures, {{"dataset.prepare", "jpeg"}}, 2) ==
        by_hand(Component::decode));
  CHECK(advised(Component::decode, kPictures, {{"dataset.synthesize.image.mean_height", "256"}},
                2) == by_hand(Component::decode));
  CHECK(advised(Component::decode, kPictures, {{"dataset.synthesize.image.mean_height", "257"}},
                2) == smaller);
}

TEST_CASE("advice: no setting is advised against the computing of a step on a CPU",
          "[contract][advice]") {
  CHECK(advised(Component::compute, kPictures) == by_hand(Component::compute));
  CHECK(advised(Component::compute, kPictures, {{"trainer.precision", "bf16-mixed"}}) ==
        by_hand(Component::compute));
}

TEST_CASE("advice: a mock is told what it was set to, never what it does not have",
          "[contract][advice]") {
  const std::string mocks =
      "loader: {use: synthetic, num_workers: 2, sample_time: 2ms}\ntrainer: {use: timed, "
      "step_time: 5ms, device: cpu}\n";
  CHECK(advised(Component::decode, mocks) ==
        with_key(Component::decode, Remedy::mock_setting, "loader.sample_time", "2ms", "0s"));
  CHECK(advised(Component::compute, mocks) == by_hand(Component::compute));
  CHECK(advised(Component::storage, mocks) == by_hand(Component::storage));
  CHECK(advised(Component::parse, mocks) == by_hand(Component::parse));
  CHECK(advised(Component::copy, mocks) == by_hand(Component::copy));
  CHECK(advised(Component::order, mocks) ==
        with_key(Component::order, Remedy::out_of_order, "loader.in_order", "true", "false"));
  CHECK(advised(Component::order, mocks, {{"loader.in_order", "false"}}) ==
        by_hand(Component::order));
  CHECK(advised(Component::order, mocks, {{"loader.num_workers", "1"}}) ==
        by_hand(Component::order));
  CHECK(advised(Component::sync, mocks) == by_hand(Component::sync));
  CHECK(advised(Component::sync, mocks, {{"trainer.log_every", "5"}}) ==
        with_key(Component::sync, Remedy::rarer, "trainer.log_every", "5", "50"));
  CHECK(advised(Component::tiny_batch, mocks, {{"loader.batch_size", "8"}}) ==
        with_key(Component::tiny_batch, Remedy::larger_batch, "loader.batch_size", "8", "32"));
  CHECK(advised(Component::tiny_batch, mocks, {{"loader.batch_size", "262144"}}) ==
        with_key(Component::tiny_batch, Remedy::larger_batch, "loader.batch_size", "262144",
                 "1048576"));
  CHECK(advised(Component::tiny_batch, mocks, {{"loader.batch_size", "262145"}}) ==
        by_hand(Component::tiny_batch));
}

TEST_CASE("advice: copies of pinned batches need not hold the host, whoever made the batches",
          "[contract][advice]") {
  const auto text = [](const char* loader) {
    return fmt::format(
        "loader: {{use: {}, num_workers: 2, batch_size: 4}}\n"
        "trainer: {{use: timed, device: emulated}}\n",
        loader);
  };
  CHECK(advised(Component::copy, text("synthetic")) ==
        with_key(Component::copy, Remedy::pinned, "loader.pin_memory", "false", "true"));
  // Pinning in libtorch_mock costs one copy more.
  CHECK(advised(Component::copy, text("libtorch_mock")).key != "loader.pin_memory");
  for (const char* loader : {"synthetic", "libtorch_mock"})
    CHECK(advised(Component::copy, text(loader),
                  {{"loader.pin_memory", "true"}, {"trainer.copy_stream", "own"}}) ==
          with_key(Component::copy, Remedy::not_blocking, "trainer.non_blocking", "false", "true"));
}

TEST_CASE("advice: a change is advised only where it is one", "[contract][advice]") {
  const ScenarioFile file(kPictures);
  const SettingsMap base = file.base({});
  const AdviceScene scene{base, built_in_catalog(), 4};
  const auto change = [&](std::string_view key, std::string_view to) {
    return change_of(Component::decode, Remedy::more_workers, key, to, scene);
  };
  REQUIRE(change("loader.num_workers", "3"));
  CHECK(change("loader.num_workers", "3")->from == "2");
  CHECK_FALSE(change("loader.num_workers", "2"));  // already so
  CHECK(change("loader.num_workers", "1024"));
  CHECK_FALSE(change("loader.num_workers", "1025"));  // out of range
  CHECK_FALSE(change("loader.num_workers", "-1"));
  CHECK_FALSE(change("loader.num_workers", "many"));
  CHECK_FALSE(change("loader.num_workers", "none"));
  CHECK_FALSE(change("loader.sample_time", "1ms"));  // a mock's
  CHECK_FALSE(change("trainer.step_time", "1ms"));
  CHECK_FALSE(change("loader.io", "magic"));
  CHECK(change("loader.io", "mmap"));
  CHECK_FALSE(change("dataset.format", "rar"));
  CHECK(change("dataset.format", "tar"));
  CHECK_FALSE(change("loader.pin_memory", "true"));  // on a CPU
  CHECK(change("trainer.precision", "bf16-mixed"));
  CHECK_FALSE(change("trainer.precision", "fp32"));
  CHECK(change("trainer.intra_op_threads", "1"));
  CHECK_FALSE(change("trainer.intra_op_threads", "0"));
  CHECK_FALSE(change("measure.window", "2s"));
}

}  // namespace benchbench::advice_test
