// Definitions show by style alone; this keeps them inside the window and closes them with Escape.

function startTerm(term) {
  const tip = document.getElementById(term.getAttribute("aria-describedby"));
  if (!tip) return;
  const open = () => place(term, tip);
  const reopen = () => tip.classList.remove("closed");
  term.addEventListener("mouseenter", open);
  term.addEventListener("focus", open);
  term.addEventListener("mouseleave", reopen);
  term.addEventListener("blur", reopen);
}

// Below the term, moved left where it would leave the window, above where there is no room below.
function place(term, tip) {
  const at = term.getBoundingClientRect();
  const box = tip.getBoundingClientRect();
  const room = document.documentElement.clientWidth - box.width - 8;
  const below = at.bottom + box.height + 8 < window.innerHeight;
  tip.classList.add("placed");
  tip.style.left = Math.max(8, Math.min(at.left, room)) + "px";
  tip.style.top = (below ? at.bottom + 2 : Math.max(8, at.top - box.height - 2)) + "px";
}

function closeTips(event) {
  if (event.key === "Escape") document.querySelectorAll("[role=tooltip]").forEach((tip) => tip.classList.add("closed"));
}
