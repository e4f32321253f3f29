// Raw samples by uPlot: the time of each call in the order of the calls, both sides, one case at a time.
// <details data-samples="<JSON address>" data-script="<uPlot>" data-style="<its sheet>"> <select> <div data-plot> <p data-plot-said>

function loaded(element) {
  return new Promise((done, failed) => {
    element.onload = done;
    element.onerror = () => failed(new Error(`${element.src ?? element.href} could not be loaded`));
    document.head.append(element);
  });
}

function library({ script, style }) {
  const sheet = Object.assign(document.createElement("link"), { rel: "stylesheet", href: style });
  return Promise.all([loaded(sheet), window.uPlot ?? loaded(Object.assign(document.createElement("script"), { src: script }))]);
}

function time(us) {
  if (us === null || us === undefined) return "–";
  const [value, unit] = us < 1 ? [us * 1e3, "ns"] : us < 1e3 ? [us, "µs"] : us < 1e6 ? [us / 1e3, "ms"] : [us / 1e6, "s"];
  return `${Number(value.toPrecision(4))} ${unit}`;
}

function colours() {
  const style = getComputedStyle(document.documentElement);
  const probe = document.createElement("span"); // light-dark() is resolved for an element, not for a custom property
  document.body.append(probe);
  const found = Object.fromEntries(["accent", "ink-2", "line"].map((name) => {
    probe.style.color = style.getPropertyValue(`--${name}`);
    return [name, getComputedStyle(probe).color];
  }));
  probe.remove();
  return found;
}

function draw(plot, row) {
  const { accent, "ink-2": ink, line } = colours();
  const longest = Math.max(row.candidate_us.length, row.baseline_us.length);
  const padded = (values) => Array.from({ length: longest }, (_, number) => values[number] ?? null);
  const side = (label, stroke) => ({
    label, stroke, paths: () => null, points: { show: true, size: 5, stroke, fill: stroke }, value: (_, us) => time(us),
  });
  const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
  const options = {
    width: plot.clientWidth || 600,
    height: 320,
    scales: { x: { time: false } },
    axes: [axis, { ...axis, size: 76, values: (_, ticks) => ticks.map(time) }],
    series: [{ label: "call" }, side("kernel", accent), side("torch eager", ink)],
  };
  plot.replaceChildren();
  return new window.uPlot(options, [Array.from({ length: longest }, (_, number) => number + 1), padded(row.candidate_us), padded(row.baseline_us)], plot);
}

export async function drawSamples(details) {
  const plot = details.querySelector("[data-plot]");
  const said = details.querySelector("[data-plot-said]");
  const choice = details.querySelector("select");
  said.textContent = "Loading the samples…";
  try {
    const [answer] = await Promise.all([fetch(details.dataset.samples), library(details.dataset)]);
    if (!answer.ok) throw new Error(`The samples could not be read (${answer.status}).`);
    const { cases } = await answer.json();
    if (!cases.length) { said.textContent = "No samples were kept of this evaluation."; return; }
    choice.replaceChildren(...cases.map((row, number) => new Option(row.case, number)));
    let shown;
    const show = () => {
      const row = cases[choice.value];
      shown?.destroy();
      shown = draw(plot, row);
      said.textContent = `${row.case}: ${row.candidate_us.length} calls of the kernel, ${row.baseline_us.length} of torch eager.`;
    };
    choice.addEventListener("change", show);
    new MutationObserver(show).observe(document.documentElement, { attributeFilter: ["data-theme"] });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
    addEventListener("resize", () => shown?.setSize({ width: plot.clientWidth, height: 320 }));
    show();
  } catch (error) {
    said.textContent = `${error.message} Close and open this to try again; the CSV above has the same numbers.`;
    delete details.dataset.drawn;
  }
}
