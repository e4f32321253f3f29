// Seconds between refreshes: <span data-elapsed="3.2"> counts up, <span data-remaining="40"> down ("in about 40 s"), both from when they came.
// The server's figures and this clock's differences: it does not matter whether the two clocks agree.
let begun = new WeakMap();

function seconds(value) {
  if (value < 10) return `${value.toFixed(1)} s`;
  if (value < 120) return `${Math.round(value)} s`;
  const whole = Math.round(value);
  return whole < 7200 ? `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, "0")} s` : `${Math.floor(whole / 3600)} h ${String(Math.floor((whole % 3600) / 60)).padStart(2, "0")} min`;
}

function until(left) {
  return left > 0 ? `in about ${seconds(left)}` : "any moment now";
}

function tick() {
  for (const span of document.querySelectorAll("[data-elapsed], [data-remaining]")) {
    const given = span.dataset.elapsed ?? span.dataset.remaining;
    if (begun.get(span)?.given !== given) begun.set(span, { given, at: Date.now() });
    const passed = (Date.now() - begun.get(span).at) / 1000;
    const said = span.dataset.elapsed === undefined ? until(given - passed) : seconds(Number(given) + passed);
    if (span.textContent !== said) span.textContent = said;
  }
}
document.addEventListener("live:fresh", () => { begun = new WeakMap(); });
setInterval(tick, 200);
