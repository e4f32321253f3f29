// A log that is being written: it follows its newest line (style sheet), and can be held still to be read.
// Held by the button, or by scrolling up; let go by the button, or by scrolling back to the end if that is how it was held.
// Held means that morph.js leaves it alone and says what it would have become ("live:held").
const AT_END = 24;

const held = new WeakMap(); // log → its newest rendering

function show(log) {
  const button = document.querySelector(`[data-log-pause="${log.id}"]`);
  if (!button) return;
  const frozen = log.hasAttribute("data-frozen");
  const more = frozen && held.has(log) ? held.get(log).dataset.lines - log.dataset.lines : 0;
  button.setAttribute("aria-pressed", String(frozen));
  button.textContent = frozen ? `Follow${more > 0 ? ` (${more} more line${more > 1 ? "s" : ""})` : ""}` : "Pause";
}

function freeze(log, how) {
  if (log.hasAttribute("data-frozen")) return;
  log.setAttribute("data-frozen", how);
  show(log);
}

function release(log) {
  log.removeAttribute("data-frozen");
  const newest = held.get(log);
  held.delete(log);
  if (newest) {
    log.dataset.lines = newest.dataset.lines ?? "";
    log.replaceChildren(...newest.cloneNode(true).childNodes);
  }
  log.scrollTop = 0;
  show(log);
}

export function followLogs(root) {
  root.addEventListener("click", ({ target }) => {
    const button = target.closest?.("[data-log-pause]");
    const log = button && document.getElementById(button.dataset.logPause);
    if (!log) return;
    if (log.hasAttribute("data-frozen")) release(log);
    else freeze(log, "button");
  });
  root.addEventListener("scroll", ({ target }) => {
    if (!target.classList?.contains("tail") || !target.classList.contains("live")) return;
    if (-target.scrollTop > AT_END) freeze(target, "scroll"); // the newest line is at 0, earlier ones above it
    else if (target.dataset.frozen === "scroll") release(target);
  }, true);
  root.addEventListener("live:held", ({ target, detail }) => {
    held.set(target, detail);
    show(target);
  });
  root.addEventListener("live:fresh", () => {
    for (const log of root.querySelectorAll(".tail[data-frozen]")) {
      if (document.querySelector(`[data-log-pause="${log.id}"]`)) show(log);
      else release(log); // it is done: nothing moves any more
    }
  });
}
