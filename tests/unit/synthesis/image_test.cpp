#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <vector>

#include <jpeglib.h>

#include "harness/core/digest.h"
#include "harness/part/catalog.h"
#include "harness/record/value.h"
#include "scenarios/synthesis/picture.h"

namespace benchbench::image_synthesis_test {

// The part's defaults with `changes` laid on.
SettingsMap settings(const std::map<std::string, std::string>& changes) {
  SettingsMap map;
  const PartRow* row = built_in_catalog().find(PartKind::synthesis, "image");
  for (const Parameter& p : row->description->parameters) {
    const auto changed = changes.find(std::string(p.key));
    const std::string_view text = changed == changes.end() ? p.standard : changed->second;
    map.set("dataset.synthesize." + std::string(p.key), Value::parse(p.type, text).value());
  }
  return map;
}

std::unique_ptr<Synthesis> images(const std::map<std::string, std::string>& changes = {}) {
  const SettingsMap map = settings(changes);
  const PrefixedSettings view(map, "dataset.synthesize.");
  return built_in_catalog().maker(PartKind::synthesis, "image").synthesis(view);
}

std::vector<unsigned char> bytes_of(const Synthesis& synthesis, SampleId id) {
  std::vector<unsigned char> bytes;
  synthesis.make(id, [&](std::span<const std::byte> b) {
    const auto* first = reinterpret_cast<const unsigned char*>(b.data());
    bytes.assign(first, first + b.size());
  });
  return bytes;
}

struct Decoded {
  unsigned width = 0;
  unsigned height = 0;
  long warnings = 0;
  bool half_colour = false;  // baseline, 4:2:0
};

Decoded decoded(const std::vector<unsigned char>& jpeg) {
  jpeg_error_mgr errors;
  jpeg_decompress_struct info;
  info.err = jpeg_std_error(&errors);
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, jpeg.data(), jpeg.size());
  jpeg_read_header(&info, TRUE);
  const auto* c = info.comp_info;
  Decoded out;
  out.half_colour = !info.progressive_mode && info.num_components == 3 && c[0].h_samp_factor == 2 &&
                    c[0].v_samp_factor == 2 && c[1].h_samp_factor == 1 && c[1].v_samp_factor == 1 &&
                    c[2].h_samp_factor == 1 && c[2].v_samp_factor == 1;
  jpeg_start_decompress(&info);
  std::vector<unsigned char> row(std::size_t{info.output_width} * 3);
  JSAMPROW rows[] = {row.data()};
  while (info.output_scanline < info.output_height) jpeg_read_scanlines(&info, rows, 1);
  out.width = info.output_width;
  out.height = info.output_height;
  jpeg_finish_decompress(&info);
  out.warnings = errors.num_warnings;
  jpeg_destroy_decompress(&info);
  return out;
}

TEST_CASE("image synthesis: its keys and defaults are those of the manual", "[unit][synthesis]") {
  const SettingsMap map = settings({});
  CHECK(map.all().size() == 7);
  CHECK(map.text("dataset.synthesize.samples") == "2048");
  CHECK(map.text("dataset.synthesize.seed") == "7");
  CHECK(map.text("dataset.synthesize.image.mean_width") == "500");
  CHECK(map.text("dataset.synthesize.image.mean_height") == "375");
  CHECK(map.text("dataset.synthesize.image.spread") == "0.2");
  CHECK(map.text("dataset.synthesize.image.quality") == "90");
  CHECK(map.text("dataset.synthesize.classes") == "100");
}

TEST_CASE("image synthesis: a picture depends on settings and id alone", "[unit][synthesis]") {
  const auto first = images();
  const auto second = images({{"samples", "100"}, {"classes", "3"}});
  const auto forwards = std::vector{bytes_of(*first, 3), bytes_of(*first, 4)};
  CHECK(bytes_of(*second, 4) == forwards[1]);
  CHECK(bytes_of(*second, 3) == forwards[0]);
  CHECK(bytes_of(*images({{"seed", "8"}}), 3) != forwards[0]);
  CHECK(bytes_of(*images({{"image.quality", "89"}}), 3) != forwards[0]);
}

// The planes, not the JPEG bytes: those may change with libjpeg's version. Where this fails because
// the painting was changed on purpose, raise kSynthesisVersion in harness/dataset/dataset_need.cpp
// too, or old data sets pass for new ones.
TEST_CASE("image synthesis: the painted planes are the same on every machine",
          "[unit][synthesis]") {
  const auto digest = [](std::uint64_t seed, int width, int height) {
    synthesis::Picture picture;
    synthesis::paint(seed, width, height, picture);
    Digester digester;
    for (const auto* plane : {&picture.light, &picture.blue, &picture.red})
      digester.add(std::as_bytes(std::span(*plane)));
    return digester.finish().text();
  };
  CHECK(digest(1, 500, 375) == "2644e1d6b3bb48c1d01043ba461e42db");
  CHECK(digest(2, 333, 491) == "032b37e4ec2586b0ad02491fca8dcb05");
  CHECK(digest(3, 17, 8) == "995ec25043285c836f226f5fd79c7ee8");
}

TEST_CASE("image synthesis: no two pictures are alike", "[unit][synthesis]") {
  const auto synthesis = images({{"image.mean_width", "64"}, {"image.mean_height", "48"}});
  std::set<Digest> seen;
  for (SampleId id = 0; id < synthesis->samples(); ++id) {
    const auto bytes = bytes_of(*synthesis, id);
    seen.insert(digest_of(std::as_bytes(std::span(bytes))));
  }
  CHECK(seen.size() == synthesis->samples());
}

TEST_CASE("image synthesis: 4 to 5 bits a pixel at quality 90, some with twice the bits of others",
          "[unit][synthesis]") {
  const auto synthesis = images();
  double bits = 0;
  double pixels = 0;
  double min = 1e9;
  double max = 0;
  for (SampleId id = 0; id < 2048; id += 32) {
    const auto jpeg = bytes_of(*synthesis, id);
    const Decoded picture = decoded(jpeg);
    const double b = 8.0 * static_cast<double>(jpeg.size());
    const double p = static_cast<double>(picture.width) * picture.height;
    bits += b;
    pixels += p;
    min = std::min(min, b / p);
    max = std::max(max, b / p);
  }
  CHECK(bits / pixels > 4.0);
  CHECK(bits / pixels < 5.0);
  CHECK(max > 2 * min);
}

TEST_CASE("image synthesis: every picture is baseline 4:2:0 and decodes without a warning",
          "[unit][synthesis]") {
  for (const char* quality : {"1", "50", "90", "100"}) {
    const auto synthesis = images(
        {{"image.mean_width", "40"}, {"image.mean_height", "30"}, {"image.quality", quality}});
    for (SampleId id = 0; id < 40; ++id) {
      const Decoded picture = decoded(bytes_of(*synthesis, id));
      CHECK(picture.half_colour);
      CHECK(picture.warnings == 0);
    }
  }
}

TEST_CASE("image synthesis: sizes vary about their means as asked", "[unit][synthesis]") {
  const auto synthesis =
      images({{"image.mean_width", "120"}, {"image.mean_height", "80"}, {"image.spread", "0.2"}});
  std::vector<double> widths;
  std::vector<double> heights;
  for (SampleId id = 0; id < 600; ++id) {
    const Decoded picture = decoded(bytes_of(*synthesis, id));
    widths.push_back(picture.width);
    heights.push_back(picture.height);
  }
  const auto mean = [](const std::vector<double>& v) {
    double sum = 0;
    for (const double x : v) sum += x;
    return sum / static_cast<double>(v.size());
  };
  const auto deviation = [&](const std::vector<double>& v) {
    double sum = 0;
    for (const double x : v) sum += (x - mean(v)) * (x - mean(v));
    return std::sqrt(sum / static_cast<double>(v.size()));
  };
  // Four standard errors: 120 × 0.2 / sqrt(600) × 4 = 3.9. Cut at two deviations, the deviation is
  // 0.88 of that asked.
  CHECK(mean(widths) == Approx(120).margin(4));
  CHECK(mean(heights) == Approx(80).margin(2.7));
  CHECK(deviation(widths) == Approx(0.88 * 24).epsilon(0.15));
  CHECK(deviation(heights) == Approx(0.88 * 16).epsilon(0.15));

  const auto alike =
      images({{"image.mean_width", "41"}, {"image.mean_height", "23"}, {"image.spread", "0"}});
  for (SampleId id = 0; id < 8; ++id) {
    const Decoded picture = decoded(bytes_of(*alike, id));
    CHECK(picture.width == 41);
    CHECK(picture.height == 23);
  }
}

TEST_CASE("image synthesis: labels rise with the ids and leave out no class", "[unit][synthesis]") {
  for (const auto& [samples, classes] :
       {std::pair{"2048", "100"}, {"7", "100"}, {"100", "100"}, {"1", "1"}}) {
    const auto synthesis = images({{"samples", samples}, {"classes", classes}});
    std::set<std::int64_t> seen;
    std::int64_t before = 0;
    for (SampleId id = 0; id < synthesis->samples(); ++id) {
      const std::int64_t label = synthesis->label(id);
      CHECK(label >= before);
      before = label;
      seen.insert(label);
    }
    CHECK(seen.size() == synthesis->classes());
    CHECK(*seen.rbegin() + 1 == synthesis->classes());
    CHECK(synthesis->classes() == std::min(std::stoul(samples), std::stoul(classes)));
  }
}

TEST_CASE("image synthesis: its estimate of all bytes is within 20 %", "[unit][synthesis]") {
  const auto check = [](const char* quality, const char* width, const char* height) {
    const auto synthesis = images({{"samples", "48"},
                                   {"image.quality", quality},
                                   {"image.mean_width", width},
                                   {"image.mean_height", height}});
    double bytes = 0;
    for (SampleId id = 0; id < 48; ++id)
      bytes += static_cast<double>(bytes_of(*synthesis, id).size());
    INFO("quality " << quality << ", " << width << " x " << height);
    CHECK(static_cast<double>(synthesis->bytes_estimate()) == Approx(bytes).epsilon(0.2));
  };
  check("90", "500", "375");
  check("75", "500", "375");
  check("95", "300", "200");
  check("30", "640", "480");
  check("98", "224", "224");
}

}  // namespace benchbench::image_synthesis_test
