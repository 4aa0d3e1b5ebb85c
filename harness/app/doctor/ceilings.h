// Rates that this machine cannot pass, kept in machine.yaml of the cache folder by
// `benchbench doctor --write`: a trial above one of them was measured wrongly, and a machine below
// them today is not itself.
//
//   # comment
//   version: 1
//   machine: 0f3a...              digest of the hardware; ceilings of another machine are not used
//   cpu_model: AMD EPYC 9R14
//   measured: 2026-01-31T12:00:00Z
//   multiply_add_per_second: 6.1e+10      one thread, multiplications and additions of floats
//   memory_copy: 9.8GB/s                  one thread, bytes copied (read and written once each)
//   disk_read_warm: 8.1GB/s               one thread, from the page cache
//   disk_read_cold: 1.2GB/s               one thread, 4 MiB reads of a file evicted from it
//   network: 1.1GB/s                      from where the data are, the most of one and of 8 readers
//   cpu_clock: 2.6e+09                    Hz, the CPUs' mean while one thread was at work
//
// A value that could not be measured is left out. YAML that any reader takes; ours reads only these
// flat lines.
#pragma once
#include <optional>
#include <string>

#include "harness/record/environment.h"

namespace benchbench {

struct Ceilings {
  std::string machine;
  std::string cpu_model;
  std::string measured;
  double multiply_add_per_second = 0;  // 0: not measured, here and below
  double memory_copy = 0;              // bytes per second, here and below
  double disk_read_warm = 0;
  double disk_read_cold = 0;
  double cpu_clock = 0;  // Hz
  std::string gpu = {};  // UUID of the GPU that what follows was measured on
  double link_to_device = 0, link_from_device = 0;  // of pinned memory
  double link_pageable_to_device = 0, link_pageable_from_device = 0;
  double device_memory = 0;
  double gpu_clock = 0;  // Hz
  double network = 0;    // from where the data are

  // What was measured on a GPU that is no longer there.
  void forget_gpu();
};

std::string ceilings_path(const std::string& cache_folder);
std::string ceilings_text(const Ceilings& ceilings);
// nullopt where there is none; StoreError naming the line where one cannot be understood.
std::optional<Ceilings> read_ceilings(const std::string& cache_folder);
// Puts the rates kept in the cache folder into environment.ceilings, by their keys, where there are
// any and of its machine. Throws nothing: where they cannot be read, why is returned.
std::string add_ceilings(Environment& environment, const std::string& cache_folder);
// The higher of both, rate by rate, where both are of one machine; else `now`. A busy hour lowers
// no ceiling.
Ceilings raised(const std::optional<Ceilings>& kept, const Ceilings& now);
// Beside, then renamed. StoreError where the folder cannot be written.
void write_ceilings(const std::string& cache_folder, const Ceilings& ceilings);

}  // namespace benchbench
