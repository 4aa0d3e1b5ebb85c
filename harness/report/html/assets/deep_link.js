// A link to a point opens what hides it.

function showTarget() {
  const id = decodeURIComponent(window.location.hash.slice(1));
  const target = id && document.getElementById(id);
  if (!target) return;
  for (let node = target; node; node = node.parentElement) {
    if (node.tagName === "DETAILS") node.open = true;
  }
  const table = target.closest("table.sortable");
  if (table && target.classList.contains("later")) showRows(table, Infinity);
  target.scrollIntoView();
}
