// Style and scripts of the page, as the build found them (embed.cmake).
#pragma once
#include <string_view>

namespace benchbench {

struct PageAsset {
  std::string_view text;
  std::string_view sha256;  // of it, in hexadecimal
};

extern const PageAsset kPageStyle, kPageScript;
// An SVG without a size whose patterns fill bars that are NOISY.
extern const PageAsset kPagePatterns;
// D3 5 of Debian's node-d3, with its licence (BSD 3-clause) in front.
extern const PageAsset kChartLibrary;
extern const std::string_view kChartLibraryName;  // "D3 5.16.0"

}  // namespace benchbench
