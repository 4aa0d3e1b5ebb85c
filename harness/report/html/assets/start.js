// Everything begins here. Long tables first, so that the first layout is without their rows.
document.querySelectorAll("table.sortable").forEach(startPortions);
drawChanged();
followWidth();
followPrint();
document.querySelectorAll("table.sortable").forEach(startSorting);
document.querySelectorAll("input[data-for]").forEach((input) => {
  unhide(input);
  startFiltering(input);
});
document.querySelectorAll("button.copy").forEach(startCopying);
document.querySelectorAll("button[aria-describedby]").forEach(startTerm);
document.addEventListener("keydown", closeTips);
startSaving();
window.addEventListener("hashchange", showTarget);
showTarget();
document.documentElement.dataset.ready = "true";
