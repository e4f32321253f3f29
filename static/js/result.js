// The page of a result: tabs of a profile, and the picture of raw samples, which is loaded when somebody opens it.
import { tabs } from "./tabs.js";

function enhance(scope) {
  tabs(scope);
  for (const details of scope.querySelectorAll("[data-samples]:not([data-ready])")) {
    details.dataset.ready = "";
    details.addEventListener("toggle", async () => {
      if (!details.open || details.dataset.drawn !== undefined) return;
      details.dataset.drawn = "";
      const { drawSamples } = await import("./samples.js");
      await drawSamples(details);
    });
  }
}

enhance(document);
document.addEventListener("live:fresh", ({ target }) => enhance(target));
