// Show lines of Python with a button that copies them; see pictures.Lines.

function render({ model, el }) {
  const button = document.createElement("button"), lines = document.createElement("pre");
  button.className = "jupyter-button widget-button";
  button.style.width = "120px";
  lines.style.cssText = "overflow-x: auto; padding: 8px; line-height: 1.4; background: rgba(128, 128, 128, 0.1)";
  el.append(button, lines);

  function show() {
    lines.textContent = model.get("value");
    button.textContent = "copy";
  }

  async function copy() {
    try {
      await navigator.clipboard.writeText(lines.textContent);
    } catch { // a page without permission, or without https
      getSelection().selectAllChildren(lines);
      document.execCommand("copy");
    }
    button.textContent = "copied";
  }

  button.addEventListener("click", copy);
  model.on("change:value", show);
  show();
  return () => model.off("change:value", show);
}

export default { render };
