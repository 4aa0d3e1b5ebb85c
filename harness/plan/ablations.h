// What is measured of the base point beyond the three modes: the pipeline with one component free,
// with four times the batch, the loader with one worker, the trainer with the loader beside it.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "harness/part/catalog.h"
#include "harness/record/trial.h"

namespace benchbench {

// Fills Point::ablations of the base point with what measure.substitute, measure.interference and a
// device with memory of its own ask for, adding trials to those of the three modes; settings that
// some trial has already are shared. A component that a part cannot run without is left out, which
// is "not measured"; so is one whose substitution would change nothing. PartError where a part's
// description names a parameter that it does not have.
void add_ablations(std::vector<Point>& points, std::vector<Trial>& trials, const Catalog& catalog);

// The trials of `plan` beyond the modes, by what they are for: as the base point lists them.
std::vector<std::pair<Ablation, const Trial*>> ablations_of(const Plan& plan);

// "storage free", "four times the batch": what the trial measures, in words; nothing for
// AblationKind::none.
std::string words_of(const Ablation& ablation);

}  // namespace benchbench
