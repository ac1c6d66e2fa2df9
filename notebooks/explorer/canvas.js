// Draw a Plotly figure from the state of its widget; see pictures.Canvas.

async function load(model) {
  if (!globalThis.replicationPlotly) {
    const packed = await new Promise((resolve) => {
      const answer = (content, buffers) => content === "plotly" && resolve(buffers[0]);
      model.on("msg:custom", answer);
      model.send("plotly");
    });
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    const source = await new Response(stream).text();
    globalThis.replicationPlotly ??= new Function("module", `${source}; return Plotly`)();
  }
  return globalThis.replicationPlotly;
}

function render({ model, el }) {
  const place = document.createElement("div");
  place.textContent = "Loading the picture …";
  el.append(place);
  el.style.width = "100%";
  let plotly = null, asked = false;

  async function draw() {
    asked = false;
    if (!plotly || !place.isConnected || !el.clientWidth) return;
    if (!place.data) place.textContent = "";
    const layout = { ...JSON.parse(model.get("layout_of_figure")), width: el.clientWidth };
    if (layout.width < 500) layout.height += 130; // the legend needs several rows
    const config = { displaylogo: false, modeBarButtons: [["toImage"]], edits: { shapePosition: true } };
    const first = !place.data;
    await plotly.react(place, JSON.parse(model.get("data")), layout, config);
    if (first) listen();
  }

  function ask() {
    if (!asked) requestAnimationFrame(() => draw().catch(complain));
    asked = true;
  }

  function listen() {
    const say = (where) => {
      model.set("mouse", where);
      model.save_changes();
    };
    place.on("plotly_hover", ({ points: [point] }) =>
      say([Number(point.yaxis._id.slice(1) || 1), point.x, point.y]));
    place.on("plotly_unhover", () => say([]));
    place.on("plotly_click", ({ points: [point] }) => {
      model.set("clicked", [point.curveNumber, point.pointNumber]);
      model.save_changes();
    });
    place.on("plotly_relayout", (change) => {
      for (const [name, value] of Object.entries(change)) {
        const moved = /^shapes\[(\d+)\]\.xanchor$/.exec(name);
        if (moved) model.set("dragged", [Number(moved[1]), value]);
        else if (name === "shapes" && value.length) model.set("drawn", value.at(-1).path);
        else continue;
        model.save_changes();
      }
    });
  }

  function complain(error) {
    place.textContent = `The picture could not be drawn: ${error}. Reload the page and run the cells again.`;
  }

  function fade() {
    place.style.opacity = model.get("outdated") ? 0.25 : 1;
  }

  model.on("change:outdated", fade);
  const watcher = new ResizeObserver(ask);
  watcher.observe(el);
  model.on("change:data", ask);
  model.on("change:layout_of_figure", ask);
  const late = setTimeout(() => {
    place.textContent = "Loading the picture … If it does not come, reload the page and run all cells again.";
  }, 20000);
  load(model).then((loaded) => {
    clearTimeout(late);
    plotly = loaded;
    ask();
  }, complain);
  return () => {
    watcher.disconnect();
    model.off("change:outdated", fade);
    model.off("change:data", ask);
    model.off("change:layout_of_figure", ask);
    if (plotly) plotly.purge(place);
  };
}

export default { render };
