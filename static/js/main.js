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
  button.hidden = false;
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
  const said = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    getSelection().selectAllChildren(target);
    button.textContent = "Selected: press Ctrl-C";
  }
  setTimeout(() => { button.textContent = said; }, 1800);
}

export function localTimes(scope) {
  for (const time of scope.querySelectorAll("time[datetime]")) {
    time.title = new Date(time.dateTime).toLocaleString();
  }
}

for (const button of document.querySelectorAll("[data-theme-switch]")) themeSwitch(button);
for (const button of document.querySelectorAll("[data-copy]")) button.hidden = false;
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy]");
  if (button) copy(button);
});
localTimes(document);
