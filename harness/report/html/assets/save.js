// Saves what the page carries, and copies settings. The buttons are hidden without script.

function startSaving() {
  const name = (pictures.name || "report").replace(/[^\p{L}\p{N}._-]+/gu, "-").slice(0, 80) || "report";
  offer("save-json", async () => saveText(name + ".json", "application/json", await reportText()));
  if (pictures.trace) offer("save-trace", () => saveText(name + ".trace.json", "application/json", pictures.trace));
}

// A long document is packed.
async function reportText() {
  const text = document.getElementById("report").textContent;
  if (!text.startsWith('{"gzip_base64"')) return text;
  const bytes = Uint8Array.from(atob(JSON.parse(text).gzip_base64), (c) => c.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

function offer(id, action) {
  const button = document.getElementById(id);
  if (!button) return;
  unhide(button);
  button.addEventListener("click", action);
}

function unhide(node) {
  node.hidden = false;
  const actions = node.closest(".actions");
  if (actions) actions.hidden = false;
}

function saveText(name, type, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

function startCopying(button) {
  unhide(button);
  button.addEventListener("click", () => {
    const source = document.getElementById(button.dataset.copy);
    copyText(source).then((done) => (outputOf(button).textContent = done ? "copied" : "not copied: the browser does not allow it; select the text instead"));
  });
}

// By the clipboard where the browser has one for files, else by a selection, which stays as what was copied.
async function copyText(source) {
  try {
    await navigator.clipboard.writeText(source.textContent);
    return true;
  } catch (refused) {
    window.getSelection().selectAllChildren(source);
    return document.execCommand("copy");
  }
}
