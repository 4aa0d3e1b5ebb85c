// The transformer against the same network in torch.nn: transformer_twin.py.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/scratch_folder.h"
#include "tests/skip.h"
#include "tests/unit/torch/test_module.h"
#include "tests/unit/torch/token_job.h"

namespace benchbench::test {
namespace {

constexpr std::int64_t kWidths[] = {24, 40, 9};
const std::map<std::string, std::string> kTwin = {
    {"vocab_size", "100"},     {"d_model", "32"},         {"nhead", "4"},
    {"dim_feedforward", "64"}, {"learning_rate", "0.05"}, {"weight_decay", "0.01"}};

// The results of torch.nn, in a folder that is gone at the end.
class Twin {
 public:
  Twin() : folder_(make_scratch_folder("twin")) {}
  ~Twin() { std::filesystem::remove_all(folder_); }

  // By BENCHBENCH_PYTHON or the active python3, whichever has torch.
  bool trained() const {
    const char* const named = std::getenv("BENCHBENCH_PYTHON");
    for (const char* python : {named ? named : "python3", "python3"}) {
      const std::string command = std::string(python) + " " +
                                  source_path("tests/unit/torch/transformer_twin.py") + " " +
                                  folder_.string() + " > /dev/null 2>&1";
      if (std::system(command.c_str()) == 0) return true;
    }
    return false;
  }
  std::filesystem::path weights() const { return folder_ / "weights"; }
  TokenBatch batch(std::size_t index) const {
    const std::string i = std::to_string(index);
    return {.width = kWidths[index],
            .ids = read<std::int64_t>("ids" + i),
            .lengths = read<std::int32_t>("lengths" + i)};
  }
  std::vector<double> losses() const { return read<double>("losses"); }

 private:
  template <class Number>
  std::vector<Number> read(const std::string& name) const {
    std::ifstream in(folder_ / name, std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
    std::vector<Number> values(bytes.size() / sizeof(Number));
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(Number));
    return values;
  }
  const std::filesystem::path folder_;
};

std::unique_ptr<Trainer> make_loaded(const TrainerContext& context, const std::string& weights) {
  using Maker = Trainer* (*)(const TrainerContext&, std::string_view, const char*);
  const auto make = reinterpret_cast<Maker>(find_test_function("benchbench_test_loaded_trainer"));
  return std::unique_ptr<Trainer>(make(context, "transformer", weights.c_str()));
}

}  // namespace

TEST_CASE("torch: a transformer's losses are those of torch.nn's from the same weights",
          "[unit][torch]") {
  BENCHBENCH_NEEDS_TORCH();
  const Twin twin;
  if (!twin.trained()) BENCHBENCH_SKIP("no python3 here can import torch");
  TokenJob job(kTwin, twin.batch(0));
  NamedDevice device("cpu");
  job.trainer = make_loaded(job.context(device), twin.weights().string());
  const std::vector<double> expected = twin.losses();
  REQUIRE(expected.size() == 12);
  for (std::size_t step = 0; step < expected.size(); ++step) {
    job.set_batch(twin.batch(step % std::size(kWidths)));
    const double loss = job.loss_after(1);
    CAPTURE(step);
    CHECK(loss == Approx(expected[step]).epsilon(1e-5));
  }
}

}  // namespace benchbench::test
