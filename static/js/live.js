// Live pages. The socket carries only a hint; the page then refetches the fragment that the server renders anyway.
// <div data-live="<socket path>" data-seq="<last seq>" data-fragment="<url>"> … </div>
// The fragment's root may carry data-final: nothing more will come, so everything stops.
// Socket lost: back off and reconnect after the last seq; meanwhile the same fragment is polled.
import { morphChildren } from "./morph.js";
import { localTimes } from "./main.js";

const REFUSED = new Set([4401, 4403, 4404]);
const POLL_MS = 3000;
const COALESCE_MS = 120;

class Live {
  constructor(element) {
    this.element = element;
    this.seq = element.dataset.seq === undefined ? undefined : Number(element.dataset.seq);
    if (element.dataset.every) setInterval(() => { if (!document.hidden) this.refresh(); }, element.dataset.every * 1000);
    this.tries = 0;
    this.busy = false;
    this.again = false;
    this.log = follow(element);
    this.connect();
    document.addEventListener("visibilitychange", () => { if (!document.hidden) this.refresh(); });
    addEventListener("online", () => this.connect());
    addEventListener("pageshow", (event) => { if (event.persisted) this.refresh(); });
  }

  get final() {
    return this.element.querySelector("[data-final]") !== null;
  }

  connect() {
    if (this.final || this.socket?.readyState <= WebSocket.OPEN) return;
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    this.socket = new WebSocket(`${scheme}//${location.host}${this.element.dataset.live}${this.seq === undefined ? "" : `?after=${this.seq}`}`);
    this.socket.onopen = () => { this.tries = 0; this.stopPolling(); this.mark("live"); };
    this.socket.onmessage = (event) => this.hear(JSON.parse(event.data));
    this.socket.onclose = (event) => {
      this.poll();
      if (this.final) return;
      this.mark("polling");
      if (REFUSED.has(event.code)) return;
      this.tries += 1;
      setTimeout(() => this.connect(), Math.min(15000, 300 * 2 ** this.tries) * (0.7 + Math.random() * 0.6));
    };
  }

  hear(message) {
    if (typeof message.seq === "number") this.seq = Math.max(this.seq ?? 0, message.seq);
    if (message.kind === "hello") return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.refresh(), COALESCE_MS);
  }

  async refresh() {
    if (this.busy) { this.again = true; return; }
    this.busy = true;
    try {
      const answer = await fetch(this.element.dataset.fragment, { headers: { "HX-Request": "true" }, cache: "no-store" });
      if (answer.ok) {
        const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").body;
        morphChildren(this.element, fresh);
        localTimes(this.element);
        this.log();
        this.element.dispatchEvent(new CustomEvent("live:fresh", { bubbles: true }));
      }
    } catch { /* offline: the next poll or reconnect asks again */ }
    this.busy = false;
    if (this.final) { this.stopPolling(); this.socket?.close(); this.mark("final"); }
    else if (this.again) { this.again = false; this.refresh(); }
  }

  poll() {
    if (!this.polling && !this.final) this.polling = setInterval(() => this.refresh(), POLL_MS);
  }

  stopPolling() {
    clearInterval(this.polling);
    this.polling = undefined;
  }

  mark(how) {
    this.element.dataset.liveState = how;
    for (const lamp of document.querySelectorAll("[data-live-lamp]")) {
      lamp.textContent = { live: "live", polling: "reconnecting", final: "" }[how];
    }
  }
}

/** Keep a log at its end while the reader has not scrolled up. Returns what to call after each refresh. */
function follow(element) {
  const pinned = new WeakMap();
  element.addEventListener("scroll", ({ target }) => {
    if (target.matches?.("[data-follow]")) pinned.set(target, target.scrollHeight - target.scrollTop - target.clientHeight < 24);
  }, true);
  element.addEventListener("toggle", ({ target }) => { target.dataset.touched = "1"; }, true);
  return () => {
    for (const log of element.querySelectorAll("[data-follow]")) {
      if (pinned.get(log) ?? true) log.scrollTop = log.scrollHeight;
    }
  };
}

for (const element of document.querySelectorAll("[data-live]")) new Live(element);

// Elapsed seconds between refreshes: <span data-since="ISO time">.
setInterval(() => {
  for (const span of document.querySelectorAll("[data-since]")) {
    const seconds = Math.max(0, (Date.now() - Date.parse(span.dataset.since)) / 1000);
    span.textContent = seconds < 10 ? `${seconds.toFixed(1)} s` : `${Math.round(seconds)} s`;
  }
}, 200);
