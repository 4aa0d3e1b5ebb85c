#include "harness/app/run/price_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace benchbench {
namespace {

std::string file_of(const std::string& cache_folder, const std::string& machine) {
  return fmt::format("{}/prices-{}.tsv", cache_folder, machine);
}

}  // namespace

std::map<std::string, PriceEntry> read_prices(const std::string& cache_folder, const std::string& machine) {
  std::map<std::string, PriceEntry> prices;
  std::ifstream in(file_of(cache_folder, machine));
  for (std::string line; std::getline(in, line);) {
    std::istringstream fields(line);
    std::string key;
    PriceEntry entry;
    if (fields >> key >> entry.startup_seconds >> entry.step_seconds >> entry.memory_bytes) prices[key] = entry;
  }
  return prices;
}

void write_prices(const std::string& cache_folder, const std::string& machine,
                  const std::map<std::string, PriceEntry>& prices) {
  std::error_code ignored;
  std::filesystem::create_directories(cache_folder, ignored);
  const std::string path = file_of(cache_folder, machine), beside = fmt::format("{}.{}", path, ::getpid());
  {
    std::ofstream out(beside);
    for (const auto& [key, p] : prices)
      out << fmt::format("{}\t{:.6g}\t{:.6g}\t{}\n", key, p.startup_seconds, p.step_seconds, p.memory_bytes);
    if (!out) return;
  }
  std::filesystem::rename(beside, path, ignored);
}

bool learn_price(std::map<std::string, PriceEntry>& prices, const TrialRecord& record) {
  const Facts& f = record.facts;
  if (record.status != Status::valid || f.simulated || f.window.steps == 0) return false;
  PriceEntry& entry = prices[price_key(record.trial)];
  entry.startup_seconds = static_cast<double>(f.start.startup_ns) * 1e-9;
  entry.step_seconds = static_cast<double>(f.window.ns) * 1e-9 / static_cast<double>(f.window.steps);
  entry.memory_bytes = f.peak_memory_bytes.value_or(0);
  return true;
}

}  // namespace benchbench
