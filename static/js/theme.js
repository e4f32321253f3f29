// Sets the stored theme before the first paint, and says that scripts run (.needs-js). A classic script in <head>, so that nothing flashes.
(() => {
  document.documentElement.dataset.scripts = "on";
  try {
    const theme = localStorage.getItem("theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch { /* storage refused: the system's theme stays */ }
})();
