// Text within HTML.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace benchbench {

// As it reads: what HTML would take for markup is escaped, also within a quoted attribute; control
// characters and bytes that are no UTF-8 become U+FFFD.
std::string html(std::string_view text);

// A document's JSON within <script type="application/json">: no "<" is left in it, and its value is
// the same.
std::string json_in_html(std::string_view json);

// RFC 4648, with padding.
std::string base64(std::string_view bytes);

struct HtmlCell {
  std::string text = {};
  // The number that a column of numbers is sorted by; nullopt there: not measured.
  std::optional<double> sort = {};
  std::string status = {};  // a status in words, also its class: "noisy"
};

struct HtmlColumn {
  std::string title = {}, unit = {};
  bool number = true;        // right-aligned, sorted by HtmlCell::sort; else by its text
  std::string meaning = {};  // what the title means; shown on hover and focus
};

struct HtmlTable {
  std::string id;    // empty: none
  std::string name;  // for those who do not see it
  bool sortable = false;
  std::vector<HtmlColumn> columns;
  std::vector<std::vector<HtmlCell>> rows;  // the first cell heads its row
  std::vector<std::string> row_ids = {};    // one a row, or none at all
};

// In a frame that scrolls by itself where it is wider than the page.
std::string html_table(const HtmlTable& table);

// A figure that the page's script draws: its question, how it is read, and the same values as a
// table.
struct HtmlFigure {
  std::string kind;  // "ratio": member of the pictures' data
  std::size_t index = 0, sub = 0;
  std::string question, how;
  HtmlTable values;
};
std::string html_figure(const HtmlFigure& figure);
// Where there is nothing to draw.
std::string html_absent(std::string_view why);
// <section> with a title; `id` is what links lead to.
std::string html_section(std::string_view id, std::string_view title, const std::string& body);

}  // namespace benchbench
