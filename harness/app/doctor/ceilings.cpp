#include "harness/app/doctor/ceilings.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "harness/core/contains.h"
#include "harness/core/error.h"
#include "harness/core/files/whole_file.h"
#include "harness/core/parse_number.h"
#include "harness/core/units.h"
#include "harness/store/durable_file.h"

namespace benchbench {
namespace {

struct Rate {
  const char* key;
  double Ceilings::* value;
  bool bytes;
  bool gpu = false;  // of the GPU that Ceilings::gpu names
};
constexpr Rate kRates[] = {
    {"multiply_add_per_second", &Ceilings::multiply_add_per_second, false},
    {"memory_copy", &Ceilings::memory_copy, true},
    {"disk_read_warm", &Ceilings::disk_read_warm, true},
    {"disk_read_cold", &Ceilings::disk_read_cold, true},
    {"network", &Ceilings::network, true},
    {"cpu_clock", &Ceilings::cpu_clock, false},
    {"link_to_device", &Ceilings::link_to_device, true, true},
    {"link_from_device", &Ceilings::link_from_device, true, true},
    {"link_pageable_to_device", &Ceilings::link_pageable_to_device, true, true},
    {"link_pageable_from_device", &Ceilings::link_pageable_from_device, true, true},
    {"device_memory", &Ceilings::device_memory, true, true},
    {"gpu_clock", &Ceilings::gpu_clock, false, true}};
struct Word {
  const char* key;
  std::string Ceilings::* value;
};
// Bytes or operations a second that no machine reaches; nan and inf are none either.
constexpr double kMostOfARate = 1e18;

constexpr Word kWords[] = {{"machine", &Ceilings::machine},
                           {"cpu_model", &Ceilings::cpu_model},
                           {"measured", &Ceilings::measured},
                           {"gpu", &Ceilings::gpu}};

// False where the value is none that the key can have. Keys of later versions are passed over.
bool take(Ceilings& ceilings, const std::string& key, const std::string& value) {
  for (const Word& word : kWords) {
    if (key == word.key) ceilings.*word.value = value;
  }
  for (const Rate& rate : kRates) {
    if (key != rate.key) continue;
    const auto read = rate.bytes ? parse_bandwidth(value) : parse_number<double>(value);
    if (!read || !(*read > 0) || *read > kMostOfARate) return false;
    ceilings.*rate.value = *read;
  }
  return true;
}

// Passes over comments; false of a line that is no ceiling.
bool take_line(Ceilings& ceilings, const std::string& line) {
  if (line.empty() || line.front() == '#') return true;
  const std::size_t colon = line.find(": ");
  return colon != std::string::npos &&
         take(ceilings, line.substr(0, colon), line.substr(colon + 2));
}

}  // namespace

void Ceilings::forget_gpu() {
  for (const Rate& rate : kRates)
    if (rate.gpu) this->*rate.value = 0;
}

std::string ceilings_path(const std::string& cache_folder) {
  return cache_folder + "/machine.yaml";
}

std::string ceilings_text(const Ceilings& c) {
  std::string text =
      "# Maximum rates of this machine, measured by `benchbench doctor --write`.\nversion: 1\n";
  for (const Word& word : kWords) {
    if (!(c.*word.value).empty()) text += fmt::format("{}: {}\n", word.key, c.*word.value);
  }
  for (const Rate& rate : kRates) {
    const double value = c.*rate.value;
    if (value > 0 && rate.bytes) text += fmt::format("{}: {:.4g}MB/s\n", rate.key, value / 1e6);
    if (value > 0 && !rate.bytes) text += fmt::format("{}: {:.4g}\n", rate.key, value);
  }
  return text;
}

std::optional<Ceilings> read_ceilings(const std::string& cache_folder) {
  const std::string path = ceilings_path(cache_folder);
  if (!is_there(path)) return std::nullopt;
  std::istringstream in(read_whole(path, kMostOfASmallFile));
  Ceilings ceilings;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (!take_line(ceilings, line))
      throw StoreError(fmt::format("{}:{}: '{}' is not a ceiling", path, number, line),
                       "remove the file or rewrite it: benchbench doctor --write");
  }
  return ceilings;
}

std::string add_ceilings(Environment& environment, const std::string& cache_folder) {
  try {
    const auto kept = read_ceilings(cache_folder);
    if (!kept || kept->machine != environment.machine) return "";
    for (const Rate& rate : kRates)
      if ((*kept).*rate.value > 0 && (!rate.gpu || contains(environment.gpu_uuids, kept->gpu)))
        environment.ceilings.emplace_back(rate.key, (*kept).*rate.value);
    environment.gpu_of_ceilings = kept->gpu;
    return "";
  } catch (const Error& error) {
    return fmt::format("rates are not compared with this machine's ceilings: {}", error.message());
  }
}

Ceilings raised(const std::optional<Ceilings>& kept, const Ceilings& now) {
  Ceilings higher = now;
  if (!kept || kept->machine != now.machine) return higher;
  for (const Rate& rate : kRates)
    if (!rate.gpu || kept->gpu == now.gpu)
      higher.*rate.value = std::max((*kept).*rate.value, now.*rate.value);
  return higher;
}

void write_ceilings(const std::string& cache_folder, const Ceilings& ceilings) {
  make_folders(cache_folder);
  write_whole_shared(ceilings_path(cache_folder), ceilings_text(ceilings));
}

}  // namespace benchbench
