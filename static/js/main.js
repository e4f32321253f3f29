// Every page: theme switch, copy buttons, local times. Each enhances markup that already works.
const root = document.documentElement;

function isDark() {
  const set = root.dataset.theme;
  return set ? set === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function themeSwitch(button) {
  const show = () => {
    button.setAttribute("aria-pressed", String(isDark()));
    button.title = isDark() ? "Switch to the light theme" : "Switch to the dark theme";
  };
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    try { localStorage.setItem("theme", root.dataset.theme); } catch { /* not stored */ }
    show();
  });
  show();
}

async function copy(button) {
  const target = document.getElementById(button.dataset.copy);
  const text = target.value ?? target.textContent;
  button.dataset.said ??= button.textContent; // a second press comes before the label is back
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    getSelection().selectAllChildren(target);
    button.textContent = "Selected: press Ctrl-C";
  }
  setTimeout(() => { button.textContent = button.dataset.said; }, 1800);
}

export function localTimes(scope) {
  for (const time of scope.querySelectorAll("time[datetime]")) {
    time.title = new Date(time.dateTime).toLocaleString();
  }
}

for (const button of document.querySelectorAll("[data-theme-switch]")) themeSwitch(button);
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy]");
  if (button) copy(button);
});
localTimes(document);
