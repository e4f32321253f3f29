// Moments in the reader's own time zone, and countdowns. Without scripts the server's words stand.
// <span data-local="ISO time"></span>   <span data-countdown="ISO time" data-now="the server's time">in 3 days</span>
const own = new Intl.DateTimeFormat(undefined, {
  weekday: "short", year: "numeric", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", timeZoneName: "short",
});
const skew = new WeakMap(); // the server's clock minus this one's, in ms
const reached = new WeakSet();

function locals() {
  for (const span of document.querySelectorAll("[data-local]")) {
    const moment = new Date(span.dataset.local);
    const said = moment.getTimezoneOffset() ? own.format(moment) : ""; // UTC stands there already
    if (span.textContent !== said) span.textContent = said;
  }
}

function left(span) {
  if (!skew.has(span)) skew.set(span, Date.parse(span.dataset.now) - Date.now());
  return Date.parse(span.dataset.countdown) - Date.now() - skew.get(span);
}

function words(ms) {
  const total = Math.ceil(ms / 1000);
  const clock = [total / 3600 % 24, total / 60 % 60, total % 60].map((part) => String(Math.floor(part)).padStart(2, "0")).join(":");
  const days = Math.floor(total / 86400);
  return days ? `in ${days} day${days > 1 ? "s" : ""} ${clock}` : `in ${clock}`;
}

function tick() {
  for (const span of document.querySelectorAll("[data-countdown]")) {
    const ms = left(span);
    if (ms > 0) {
      span.textContent = words(ms);
      reached.add(span);
    } else if (reached.delete(span)) {
      setTimeout(() => location.reload(), 1000); // it has opened or closed: the page says other things now
    }
  }
}

locals();
tick();
setInterval(tick, 1000);
document.addEventListener("live:fresh", locals);
