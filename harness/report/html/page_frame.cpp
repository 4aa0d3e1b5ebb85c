#include "harness/report/html/page_frame.h"

#include <fmt/format.h>

#include <ostream>
#include <string_view>

#include "harness/report/html/html_text.h"
#include "harness/report/html/packed_json.h"
#include "harness/report/html/page_assets.h"

namespace benchbench {
namespace {

std::string base64_of_hex(std::string_view hex) {
  const auto nibble = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (std::size_t at = 0; at + 1 < hex.size(); at += 2)
    bytes += static_cast<char>(nibble(hex[at]) << 4 | nibble(hex[at + 1]));
  return base64(bytes);
}

// W3C Content Security Policy Level 3: a hash is of the element's text, byte for byte.
std::string policy() {
  return fmt::format(
      "default-src 'none'; script-src 'sha256-{}' 'sha256-{}'; style-src 'sha256-{}'; base-uri "
      "'none'; form-action 'none'",
      base64_of_hex(kChartLibrary.sha256), base64_of_hex(kPageScript.sha256),
      base64_of_hex(kPageStyle.sha256));
}

std::string header_of(const HtmlPage& page) {
  std::string out = fmt::format("<header>\n<h1>{}</h1>\n", html(page.title));
  if (!page.question.empty())
    out += fmt::format("<p class=\"question\">{}</p>\n", html(page.question));
  out += "<ul class=\"about\">";
  for (const std::string& line : page.about) out += fmt::format("<li>{}</li>", html(line));
  out += "</ul>\n</header>\n<nav aria-label=\"Sections\">";
  for (const auto& [id, title] : page.sections)
    out += fmt::format("<a href=\"#{}\">{}</a> ", id, html(title));
  return out + "</nav>\n";
}

}  // namespace

void write_html(std::ostream& out, const HtmlPage& page) {
  out << "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
         "http-equiv=\"Content-Security-Policy\" content=\""
      << policy()
      << "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta "
         "name=\"color-scheme\" content=\"light dark\">\n<title>"
      << html(page.title) << " - benchbench</title>\n<style>" << kPageStyle.text
      << "</style>\n</head>\n<body>\n"
      << kPagePatterns.text << "<a class=\"skip\" href=\"#answer\">Skip to the answer</a>\n"
      << header_of(page)
      << "<main>\n<noscript><p class=\"absent\">Charts below the first one, sorting and saving "
         "need a script. All values are in the tables.</p></noscript>\n"
      << page.body << "</main>\n<script type=\"application/json\" id=\"report\">"
      << packed_json(page.report) << "</script>\n<script type=\"application/json\" id=\"pictures\">"
      << json_in_html(page.pictures) << "</script>\n<script>" << kChartLibrary.text
      << "</script>\n<script>" << kPageScript.text << "</script>\n</body>\n</html>\n";
}

}  // namespace benchbench
