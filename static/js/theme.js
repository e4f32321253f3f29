// Sets the stored theme before the first paint. A classic script in <head>, so that nothing flashes.
(() => {
  try {
    const theme = localStorage.getItem("theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch { /* storage refused: the system's theme stays */ }
})();
