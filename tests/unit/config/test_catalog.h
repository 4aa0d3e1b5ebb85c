// A small catalogue that mirrors the real parts' descriptions, so that these tests stand when those
// change.
#pragma once
#include "harness/part/catalog.h"

namespace benchbench::test {

inline const Catalog& small_catalog() {
  using enum ParameterType;
  static constexpr std::string_view normalize[] = {"none", "imagenet"};
  static constexpr std::string_view places[] = {"worker", "device"};
  static constexpr std::string_view residency[] = {"storage", "host"};
  static constexpr std::string_view precision[] = {"fp32", "bf16-mixed"};
  static constexpr Parameter native[] = {
      {"transform.random_resized_crop", integer, "224", "Side of the crop.", 1, 4096},
      {"transform.horizontal_flip", real, "0.5", "Probability of a flip.", 0, 1},
      {.key = "transform.normalize",
       .type = choice,
       .standard = "imagenet",
       .help = "How.",
       .choices = normalize},
      {.key = "transform.normalize_on",
       .type = choice,
       .standard = "device",
       .help = "Where.",
       .choices = places},
      {.key = "residency",
       .type = choice,
       .standard = "storage",
       .help = "Where bytes lie.",
       .choices = residency}};
  static constexpr Parameter synthetic[] = {
      {"sample_time", duration, "0s", "Time a sample.", 0, 1e18},
      {"batch_time", duration, "0s", "Time a batch.", 0, 1e18},
      {"height", integer, "224", "Height.", 1, 16384},
      {"width", integer, "224", "Width.", 1, 16384}};
  static constexpr Parameter limited[] = {{"rate", rate, "", "Samples a second.", 0, 1e12},
                                          {"burst", bytes, "none", "Bytes at once.", 1, 1e12}};
  static constexpr std::string_view memory[] = {"host", "pinned", "device"};
  static constexpr Parameter cached[] = {
      {"of.use", text, "none", "Who makes the batch."},
      {"distinct", integer, "1", "How many.", 1, 1e4},
      {.key = "at", .type = choice, .standard = "host", .help = "Where.", .choices = memory},
      {"height", integer, "none", "Height.", 1, 16384},
      {"width", integer, "none", "Width.", 1, 16384}};
  static constexpr Parameter resnet[] = {{.key = "precision",
                                          .type = choice,
                                          .standard = "fp32",
                                          .help = "Number format.",
                                          .choices = precision},
                                         {"memory_format", text, "contiguous", "Layout."}};
  static constexpr Parameter timed[] = {{"step_time", duration, "0s", "Time a step.", 0, 1e18}};
  static constexpr Parameter buffer[] = {{"buffer_size", integer, "1000", "Held.", 1, 1e9}};
  static constexpr Parameter blocks[] = {{"block_size", integer, "256", "Of a block.", 1, 1e9},
                                         {"window", integer, "16", "Blocks.", 1, 1e9}};
  static constexpr Parameter image[] = {{"samples", integer, "2048", "How many.", 1, 1e9},
                                        {"seed", integer, "7", "Which.", 0, 1e15},
                                        {"image.mean_width", integer, "500", "Width.", 16, 16384},
                                        {"image.mean_height", integer, "375", "Height.", 16, 16384},
                                        {"image.quality", integer, "90", "JPEG quality.", 1, 100},
                                        {"classes", integer, "100", "Classes.", 1, 1e6}};
  static constexpr Change resident[] = {{"residency", "host"}};
  static constexpr Change undecoded[] = {{"transform.normalize", "none"}, {"residency", "host"}};
  static constexpr Substitution of_native[] = {{Component::storage, resident},
                                               {Component::decode, undecoded}};
  static constexpr Change at_once[] = {{"sample_time", "0s"}, {"batch_time", "0s"}};
  static constexpr Substitution of_synthetic[] = {{Component::transform, at_once}};
  static constexpr Change no_step[] = {{"step_time", "0s"}};
  static constexpr Substitution of_timed[] = {{Component::compute, no_step}};
  static const PartDescription parts[] = {
      {.kind = PartKind::loader,
       .name = "native",
       .summary = "",
       .data = DataKind::image,
       .parameters = native,
       .needs_dataset = true,
       .substitutions = of_native},
      {.kind = PartKind::loader,
       .name = "synthetic",
       .summary = "",
       .data = DataKind::image,
       .parameters = synthetic,
       .simulated = true,
       .mock = true,
       .substitutions = of_synthetic},
      {.kind = PartKind::loader,
       .name = "rate_limited",
       .summary = "",
       .parameters = limited,
       .simulated = true,
       .mock = true},
      {.kind = PartKind::loader,
       .name = "cached_batch",
       .summary = "",
       .parameters = cached,
       .simulated = true,
       .mock = true},
      {.kind = PartKind::loader,
       .name = "words",
       .summary = "",
       .data = DataKind::tokens,
       .simulated = true,
       .mock = true},
      {.kind = PartKind::trainer,
       .name = "resnet50",
       .summary = "",
       .data = DataKind::image,
       .parameters = resnet},
      {.kind = PartKind::trainer,
       .name = "resnet18",
       .summary = "",
       .data = DataKind::image,
       .parameters = resnet},
      {.kind = PartKind::trainer,
       .name = "timed",
       .summary = "",
       .parameters = timed,
       .simulated = true,
       .mock = true,
       .on_device = OnDevice::any,
       .substitutions = of_timed},
      {.kind = PartKind::trainer,
       .name = "discard",
       .summary = "",
       .simulated = true,
       .mock = true,
       .on_device = OnDevice::any,
       .needs_kernels = false},
      {.kind = PartKind::sample_format,
       .name = "image_folder",
       .summary = "",
       .on_disk = {.standard_of = {.images = true}}},
      {.kind = PartKind::sample_format, .name = "tar", .summary = ""},
      {.kind = PartKind::sample_format,
       .name = "hdf5",
       .summary = "",
       .on_disk = {.columns = true}},
      {.kind = PartKind::sampler, .name = "sequential", .summary = "", .simulated = true},
      {.kind = PartKind::sampler, .name = "random", .summary = "", .simulated = true},
      {.kind = PartKind::sampler,
       .name = "shuffle_buffer",
       .summary = "",
       .parameters = buffer,
       .simulated = true},
      {.kind = PartKind::sampler,
       .name = "block_shuffle",
       .summary = "",
       .parameters = blocks,
       .simulated = true},
      {.kind = PartKind::synthesis, .name = "image", .summary = "", .parameters = image}};
  static const Catalog catalog = [] {
    std::vector<PartRow> rows;
    for (const PartDescription& p : parts)
      rows.push_back({&p, {}, p.name.starts_with("resnet") ? "torch" : ""});
    return Catalog{rows};
  }();
  return catalog;
}

}  // namespace benchbench::test
