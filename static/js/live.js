// Live pages. The socket carries only a hint; the page then refetches the fragment that the server renders anyway.
// <div data-live="<socket path>" data-seq="<last seq>" data-fragment="<url>"> … </div>
// The fragment's root may carry data-final: nothing more will come, so everything stops; data-refresh-s: ask again after so long,
// because something moves that this stream does not tell; data-title: the title of the page now.
// Socket lost: back off and reconnect after the last seq; meanwhile the same fragment is polled. A socket that has been silent for longer
// than the server ever is (a laptop slept, a network changed) counts as lost before the browser notices.
// Socket refused, or the fragment forbidden or gone: everything stops, and the page says so.
import "./clock.js";
import { followLogs } from "./log.js";
import { morphChildren } from "./morph.js";
import { localTimes } from "./main.js";

const REFUSED = new Set([4401, 4403, 4404]);
const POLL_MS = 3000;
const COALESCE_MS = 120;
const SILENT_MS = 40000; // the server says something every 15 s
const ANSWER_MS = 15000;

class Live {
  constructor(element) {
    this.element = element;
    this.seq = element.dataset.seq === undefined ? undefined : Number(element.dataset.seq);
    if (element.dataset.every) setInterval(() => { if (!document.hidden) this.refresh(); }, element.dataset.every * 1000);
    this.tries = 0;
    this.busy = false;
    this.again = false;
    this.heardAt = Date.now();
    followLogs(element);
    element.addEventListener("toggle", ({ target }) => { target.dataset.touched = "1"; }, true);
    this.connect();
    this.askAgain();
    setInterval(() => this.checkSilence(), 5000);
    document.addEventListener("visibilitychange", () => { if (!document.hidden) this.wake(); });
    addEventListener("online", () => this.wake());
    addEventListener("pageshow", (event) => { if (event.persisted) this.wake(); });
  }

  get final() {
    return this.refused || this.element.querySelector("[data-final]") !== null;
  }

  connect() {
    if (this.final || this.socket?.readyState <= WebSocket.OPEN) return;
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    this.socket = new WebSocket(`${scheme}//${location.host}${this.element.dataset.live}${this.seq === undefined ? "" : `?after=${this.seq}`}`);
    const socket = this.socket;
    socket.onopen = () => { this.tries = 0; this.heardAt = Date.now(); this.stopPolling(); this.mark("live"); };
    socket.onmessage = (event) => this.hear(JSON.parse(event.data));
    socket.onclose = (event) => {
      if (socket !== this.socket || this.final) return; // given up before
      if (REFUSED.has(event.code)) { this.refuse(); return; }
      this.poll();
      this.mark("polling");
      this.tries += 1;
      setTimeout(() => this.connect(), Math.min(15000, 300 * 2 ** this.tries) * (0.7 + Math.random() * 0.6));
    };
  }

  /** The page is looked at again, or the network is back: what was missed is fetched at once, and a socket that died is replaced. */
  wake() {
    if (this.final) return;
    this.refresh();
    this.checkSilence();
    this.connect();
  }

  checkSilence() {
    if (this.final || this.socket?.readyState !== WebSocket.OPEN || Date.now() - this.heardAt < SILENT_MS) return;
    const dead = this.socket;
    this.socket = undefined;
    dead.close();
    this.poll();
    this.mark("polling");
    this.connect();
  }

  hear(message) {
    this.heardAt = Date.now();
    if (typeof message.seq === "number") this.seq = Math.max(this.seq ?? 0, message.seq);
    if (message.kind === "hello" || message.kind === "beat") return;
    this.timer ??= setTimeout(() => { this.timer = undefined; this.refresh(); }, COALESCE_MS); // others wait with it, however many come
  }

  async refresh() {
    if (this.refused) return;
    if (this.busy) { this.again = true; return; }
    this.busy = true;
    try {
      const answer = await fetch(this.element.dataset.fragment, {
        headers: { "HX-Request": "true" }, cache: "no-store", signal: AbortSignal.timeout(ANSWER_MS),
      });
      if (answer.status === 403 || answer.status === 404) this.refuse();
      else if (answer.ok) {
        const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").body;
        morphChildren(this.element, fresh);
        localTimes(this.element);
        const title = this.element.querySelector("[data-title]")?.dataset.title;
        if (title) document.title = `${title} · kbweb`;
        this.element.dispatchEvent(new CustomEvent("live:fresh", { bubbles: true }));
      }
    } catch { /* offline, or no answer: the next poll or reconnect asks again */ }
    this.busy = false;
    if (this.refused) return;
    if (this.final) { this.stopPolling(); this.socket?.close(); this.mark("final"); }
    else if (this.again) { this.again = false; this.refresh(); }
    else this.askAgain();
  }

  askAgain() {
    clearTimeout(this.later);
    const wait = this.element.querySelector("[data-refresh-s]")?.dataset.refreshS;
    if (wait) this.later = setTimeout(() => { if (!document.hidden) this.refresh(); }, wait * 1000);
  }

  /** Whoever was signed out, or may not see it any more, is told so once, above what was seen last. */
  refuse() {
    if (this.refused) return;
    this.refused = true;
    this.stopPolling();
    clearTimeout(this.later);
    this.socket?.close();
    this.mark("refused");
    const said = Object.assign(document.createElement("p"), { className: "notice tone-warn messages", role: "alert" });
    const link = (href, textContent) => Object.assign(document.createElement("a"), { href, textContent });
    const here = location.pathname + location.search;
    const signIn = link(`/accounts/login/?next=${encodeURIComponent(here)}`, "sign in");
    said.append("You cannot see this any more, so nothing moves here. ", link(here, "Reload the page"), " or ", signIn, ".");
    this.element.before(said);
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
      lamp.textContent = { live: "live", polling: "reconnecting", final: "", refused: "stopped" }[how];
    }
  }
}

for (const element of document.querySelectorAll("[data-live]")) new Live(element);
