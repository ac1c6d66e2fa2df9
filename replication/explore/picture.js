// Draws a scene (see scene.py) on a canvas in the colours of the page's theme. It decides nothing about
// scheduling: every rectangle, line and word comes from Python.

const TILE = 8;
const MARGIN = { left: 52, right: 14, top: 24, bottom: 38 };

function isDark() {
  const told = document.body.dataset.jpThemeLight;
  return told === undefined ? matchMedia("(prefers-color-scheme: dark)").matches : told === "false";
}

function colours(el) {
  const css = getComputedStyle(el);
  const of = (name, light, dark) => css.getPropertyValue(name).trim() || (isDark() ? dark : light);
  return {
    dark: isDark(),
    ink: of("--jp-ui-font-color1", "#212121", "#ffffff"),
    paper: of("--jp-layout-color0", "#ffffff", "#111111"),
    faint: of("--jp-border-color2", "#e0e0e0", "#424242"),
    font: of("--jp-ui-font-family", "sans-serif", "sans-serif"),
  };
}

// Hatches by the names that matplotlib gives them.
const HATCH = {
  "///": (g, t) => { g.moveTo(-1, t + 1); g.lineTo(t + 1, -1); },
  "\\\\\\": (g, t) => { g.moveTo(-1, -1); g.lineTo(t + 1, t + 1); },
  "xxx": (g, t) => { g.moveTo(-1, t + 1); g.lineTo(t + 1, -1); g.moveTo(-1, -1); g.lineTo(t + 1, t + 1); },
  "---": (g, t) => { g.moveTo(0, t / 2); g.lineTo(t, t / 2); },
};

function filling(g, look, theme, scale) {
  const ground = theme.dark ? look.dark : look.light;
  if (!look.hatch) return ground;
  const side = Math.round(TILE * scale);
  const tile = new OffscreenCanvas(side, side);
  const t = tile.getContext("2d");
  t.fillStyle = ground;
  t.fillRect(0, 0, side, side);
  t.scale(scale, scale);
  t.strokeStyle = t.fillStyle = theme.dark ? look.dark_hatch : look.light_hatch;
  t.lineWidth = 1;
  t.beginPath();
  if (look.hatch === "...") {
    t.arc(TILE / 4, TILE / 4, 1, 0, 7);
    t.arc(TILE * 0.75, TILE * 0.75, 1, 0, 7);
    t.fill();
  } else {
    HATCH[look.hatch](t, TILE);
    t.stroke();
  }
  const pattern = g.createPattern(tile, "repeat");
  pattern.setTransform(new DOMMatrix().scale(1 / scale));
  return pattern;
}

function triangle(g, x, y, size, up) {
  const s = up ? -size : size;
  g.beginPath();
  g.moveTo(x - size * 0.8, y - s / 2);
  g.lineTo(x + size * 0.8, y - s / 2);
  g.lineTo(x, y + s / 2);
  g.closePath();
}

function floats(view) {
  return new Float32Array(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength));
}

function bytes(view) {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

class Drawing {
  constructor(canvas, looks, width, height) {
    this.g = canvas.getContext("2d");
    this.looks = looks;
    this.scale = window.devicePixelRatio || 1;
    this.theme = colours(canvas);
    canvas.width = Math.round(width * this.scale);
    canvas.height = Math.round(height * this.scale);
    this.g.setTransform(this.scale, 0, 0, this.scale, 0, 0);
    this.width = width;
    this.height = height;
    this.fills = {};
  }

  fill(name) {
    return (this.fills[name] ??= filling(this.g, this.looks[name], this.theme, this.scale));
  }

  colour(name) {
    return this.theme.dark ? this.looks[name].dark : this.looks[name].light;
  }

  // Where a panel's numbers lie on the canvas.
  frame(panel) {
    const [x, y, w, h] = panel.box;
    const left = x * this.width + MARGIN.left, top = y * this.height + MARGIN.top;
    const wide = w * this.width - MARGIN.left - MARGIN.right, high = h * this.height - MARGIN.top - MARGIN.bottom;
    const [x0, x1] = panel.x, [y0, y1] = panel.y;
    return { left, top, wide, high,
             px: (v) => left + (v - x0) / (x1 - x0) * wide,
             py: (v) => top + high - (v - y0) / (y1 - y0) * high };
  }

  panel(panel, names, pointed) {
    const g = this.g, at = this.frame(panel);
    g.save();
    g.beginPath();
    g.rect(at.left, at.top, at.wide, at.high);
    g.clip();
    this.grid(panel, at);
    for (const line of panel.lines) this.line(line, at);
    if (panel.rects) this.rects(panel.rects, names, at, pointed);
    for (const rule of panel.rules) this.rule(rule, at);
    if (panel.marks) this.marks(panel.marks, names, at);
    g.restore();
    this.axes(panel, at);
    for (const text of panel.texts) this.text(text, at);
  }

  grid(panel, at) {
    const g = this.g;
    g.strokeStyle = this.theme.faint;
    g.lineWidth = 1;
    g.beginPath();
    for (const [v] of panel.xticks) { g.moveTo(at.px(v), at.top); g.lineTo(at.px(v), at.top + at.high); }
    for (const [v] of panel.yticks) { g.moveTo(at.left, at.py(v)); g.lineTo(at.left + at.wide, at.py(v)); }
    g.stroke();
  }

  rects(rects, names, at, pointed) {
    const g = this.g, look = bytes(rects.look);
    const [x0, x1, y0, y1] = ["x0", "x1", "y0", "y1"].map((key) => floats(rects[key]));
    names.forEach((name, k) => {
      if (!look.includes(k)) return;
      const own = this.looks[name];
      g.fillStyle = own.hollow ? "transparent" : this.fill(name);
      g.strokeStyle = own.hollow ? this.colour(name) : this.theme.ink;
      g.lineWidth = own.hollow ? 1.5 : 0.5;
      g.setLineDash(own.dash);
      for (let i = 0; i < look.length; i++) {
        if (look[i] !== k) continue;
        const left = at.px(x0[i]), top = at.py(y1[i]);
        const wide = Math.max(at.px(x1[i]) - left, 0.7), high = at.py(y0[i]) - top;
        g.fillRect(left, top, wide, high);
        if (wide > 2 && high > 2) g.strokeRect(left, top, wide, high);
      }
    });
    g.setLineDash([]);
    if (pointed >= 0 && pointed < look.length) {
      g.strokeStyle = this.theme.ink;
      g.lineWidth = 3;
      g.strokeRect(at.px(x0[pointed]), at.py(y1[pointed]), at.px(x1[pointed]) - at.px(x0[pointed]),
                   at.py(y0[pointed]) - at.py(y1[pointed]));
    }
  }

  line(line, at) {
    const g = this.g, x = floats(line.x), y = floats(line.y), own = this.looks[line.look];
    g.beginPath();
    x.forEach((v, k) => {
      if (k) g.lineTo(at.px(v), at.py(y[k - 1]));
      g.lineTo(at.px(v), at.py(y[k]));
    });
    g.strokeStyle = this.colour(line.look);
    g.lineWidth = 1.5;
    g.setLineDash(own.dash);
    g.stroke();
    g.setLineDash([]);
  }

  rule(rule, at) {
    const g = this.g, own = this.looks[rule.look], x = at.px(rule.x);
    g.strokeStyle = this.colour(rule.look);
    g.lineWidth = own.width;
    g.setLineDash(own.dash);
    g.beginPath();
    g.moveTo(x, at.top);
    g.lineTo(x, at.top + at.high);
    g.stroke();
    g.setLineDash([]);
  }

  marks(marks, names, at) {
    const g = this.g, x = floats(marks.x), y = floats(marks.y), look = bytes(marks.look);
    g.lineWidth = 1;
    g.strokeStyle = this.theme.paper;
    for (let i = 0; i < look.length; i++) {
      const name = names[look[i]];
      g.fillStyle = this.colour(name);
      triangle(g, at.px(x[i]) + 5, at.py(y[i]), 9, this.looks[name].mark === "up");
      g.fill();
      g.stroke();
    }
  }

  text(text, at) {
    const g = this.g;
    g.font = `${text.bold ? "bold " : ""}12px ${this.theme.font}`;
    g.textAlign = text.align || "center";
    g.textBaseline = "middle";
    g.lineWidth = 4;
    g.strokeStyle = this.theme.paper;
    g.fillStyle = this.theme.ink;
    g.strokeText(text.text, at.px(text.x), at.py(text.y));
    g.fillText(text.text, at.px(text.x), at.py(text.y));
  }

  axes(panel, at) {
    const g = this.g;
    g.fillStyle = this.theme.ink;
    g.strokeStyle = this.theme.ink;
    g.lineWidth = 1;
    g.strokeRect(at.left, at.top, at.wide, at.high);
    g.font = `11px ${this.theme.font}`;
    g.textAlign = "center";
    g.textBaseline = "top";
    for (const [v, label] of panel.xticks) g.fillText(label, at.px(v), at.top + at.high + 4);
    g.fillText(panel.xlabel, at.left + at.wide / 2, at.top + at.high + 19);
    g.textAlign = "right";
    g.textBaseline = "middle";
    for (const [v, label] of panel.yticks) g.fillText(label, at.left - 4, at.py(v));
    g.textAlign = "left";
    g.textBaseline = "bottom";
    g.font = `bold 12px ${this.theme.font}`;
    g.fillText(panel.title, at.left, at.top - 5);
    g.save();
    g.font = `11px ${this.theme.font}`;
    g.translate(at.left - 40, at.top + at.high / 2);
    g.rotate(-Math.PI / 2);
    g.textAlign = "center";
    g.fillText(panel.ylabel, 0, 6);
    g.restore();
  }

  // The panel and rectangle under a point of the canvas; the one drawn last where several are.
  under(scene, x, y) {
    for (let p = 0; p < scene.panels.length; p++) {
      const panel = scene.panels[p], at = this.frame(panel);
      const inside = x >= at.left && x <= at.left + at.wide && y >= at.top && y <= at.top + at.high;
      if (!inside || !panel.rects) continue;
      const [x0, x1, y0, y1] = ["x0", "x1", "y0", "y1"].map((key) => floats(panel.rects[key]));
      for (let i = x0.length - 1; i >= 0; i--) {
        if (x >= at.px(x0[i]) && x <= at.px(x1[i]) && y >= at.py(y1[i]) && y <= at.py(y0[i])) return [p, i];
      }
    }
    return [];
  }
}

function element(parent, tag, name, attributes = {}) {
  const made = parent.appendChild(document.createElement(tag));
  made.className = name;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

// Each look with its words: a swatch of the same filling, line or mark.
function legend(box, scene, looks) {
  box.replaceChildren();
  for (const name of scene.legend) {
    const look = looks[name], entry = element(box, "span", "replication-entry");
    const swatch = element(entry, "canvas", "", { "aria-hidden": "true" });
    entry.append(look.label);
    swatch.style.width = "26px";
    swatch.style.height = "14px";
    const d = new Drawing(swatch, looks, 26, 14), g = d.g;
    if (look.mark) {
      g.fillStyle = d.colour(name);
      triangle(g, 13, 7, 10, look.mark === "up");
      g.fill();
    } else if (look.line) {
      g.strokeStyle = d.colour(name);
      g.lineWidth = look.width;
      g.setLineDash(look.dash);
      g.beginPath();
      g.moveTo(0, 7);
      g.lineTo(26, 7);
      g.stroke();
    } else {
      g.fillStyle = look.hollow ? "transparent" : d.fill(name);
      g.strokeStyle = look.hollow ? d.colour(name) : d.theme.ink;
      g.setLineDash(look.dash);
      g.fillRect(1, 1, 24, 12);
      g.strokeRect(1, 1, 24, 12);
    }
  }
}

// JupyterLab moves between cells with the arrows, also where a control has the focus. Escape and keys with a
// modifier are left to it.
function keepPlainKeys(event) {
  if (!(event.ctrlKey || event.altKey || event.metaKey || event.shiftKey || event.key === "Escape")) {
    event.stopPropagation();
  }
}

function render({ model, el }) {
  const root = element(el, "div", "replication-picture");
  const key = element(root, "div", "replication-legend");
  const canvas = element(root, "canvas", "replication-canvas", { tabindex: "0", role: "img" });
  const tip = element(root, "div", "replication-tip", { role: "status", "aria-live": "polite" });
  let drawing = null, due = false;

  // Once for all changes of a frame.
  function redraw() {
    if (due) return;
    due = true;
    requestAnimationFrame(() => { due = false; draw(); });
  }

  function draw() {
    const scene = model.get("scene"), width = root.clientWidth;
    if (!scene.panels || width < 50) return;
    const began = performance.now();
    canvas.style.height = `${scene.height}px`;
    canvas.setAttribute("aria-label", scene.summary);
    drawing = new Drawing(canvas, model.get("looks"), width, scene.height);
    const [panel, rect] = model.get("pointer");
    scene.panels.forEach((p, k) => drawing.panel(p, scene.names, k === panel ? rect : -1));
    legend(key, scene, model.get("looks"));
    root.dataset.milliseconds = (performance.now() - began).toFixed(1);
    root.dataset.drawn = scene.number;
  }

  const say = () => { tip.textContent = model.get("tip"); };
  model.on("change:scene change:pointer", redraw);
  model.on("change:tip", say);
  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || !model.get("listens").includes(event.key)) return;
    event.preventDefault();
    model.send({ key: event.key });
  });
  canvas.addEventListener("mousemove", (event) => {
    if (!drawing) return;
    const box = canvas.getBoundingClientRect();
    const found = drawing.under(model.get("scene"), event.clientX - box.left, event.clientY - box.top);
    if (String(found) === String(model.get("pointer"))) return;
    model.set("pointer", found);
    model.save_changes();
  });
  const sized = new ResizeObserver(redraw);
  sized.observe(root);
  const themed = new MutationObserver(redraw);
  themed.observe(document.body, { attributeFilter: ["data-jp-theme-light", "data-jp-theme-name"] });
  // The controls around it need their arrows too; they are there only once the picture is in the page.
  requestAnimationFrame(() => (root.closest(".widget-vbox") ?? root).addEventListener("keydown", keepPlainKeys));
  redraw();
  say();
  return () => { sized.disconnect(); themed.disconnect(); };
}

export default { render };
