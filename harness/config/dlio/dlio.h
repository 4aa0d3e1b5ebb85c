// A workload file of DLIO (the engine of MLPerf Storage) as a scenario of ours.
#pragma once
#include <string>
#include <vector>

namespace benchbench {

struct DlioImport {
  std::string yaml;  // the scenario, with what was not taken over as comments at its end
  // "train.epochs: 5 (line 21): a run here is as long as measure says", in order
  std::vector<std::string> ignored;
};

// Takes over what decides loader and step: format, size and number of records, batch size, reader
// threads, prefetch, shuffle, the emulated step, checkpoints, O_DIRECT, and metric.au as
// measure.au_at_least. A workload of checkpoints alone becomes a `timed` trainer that writes one
// after each step. Every other key is in `ignored` with the reason. Throws ScenarioDiagnostics with
// all that is wrong: no YAML, no workload, a value that is none, a format that we do not have.
DlioImport scenario_from_dlio(const std::string& path);

}  // namespace benchbench
