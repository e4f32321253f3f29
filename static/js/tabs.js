// Sections become tabs: <div data-tabs="name of the group"> <section data-panel> <h3>title</h3> … </section> … </div>
// Arrow keys, Home and End move between tabs; a link to something inside a panel opens it. Without scripts they stay sections.

function build(group) {
  const panels = [...group.querySelectorAll(":scope > [data-panel]")];
  if (panels.length < 2 || group.classList.contains("has-tabs")) return;
  const list = document.createElement("div");
  list.className = "tab-list";
  list.setAttribute("role", "tablist");
  list.setAttribute("aria-label", group.dataset.tabs);
  const tabs = panels.map((panel) => tab(panel));
  list.append(...tabs);
  group.prepend(list);
  group.classList.add("has-tabs");

  const select = (chosen, focus) => {
    tabs.forEach((each, number) => {
      const is = number === chosen;
      each.setAttribute("aria-selected", String(is));
      each.tabIndex = is ? 0 : -1;
      panels[number].hidden = !is;
    });
    if (focus) tabs[chosen].focus();
  };
  const toAddress = () => {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const within = target ? panels.findIndex((panel) => panel.contains(target)) : -1;
    if (within >= 0 && panels[within].hidden) {
      select(within);
      target.scrollIntoView();
    }
  };
  list.addEventListener("click", ({ target }) => {
    const clicked = tabs.indexOf(target.closest("[role=tab]"));
    if (clicked >= 0) select(clicked);
  });
  list.addEventListener("keydown", (event) => {
    const now = tabs.indexOf(document.activeElement);
    const to = { ArrowRight: now + 1, ArrowLeft: now - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined || now < 0) return;
    event.preventDefault();
    select((to + tabs.length) % tabs.length, true);
  });
  addEventListener("hashchange", toAddress);
  select(0);
  toAddress();
}

function tab(panel) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "bare";
  button.id = `${panel.id}-tab`;
  button.textContent = panel.querySelector("h3").textContent;
  button.setAttribute("role", "tab");
  button.setAttribute("aria-controls", panel.id);
  panel.setAttribute("role", "tabpanel");
  panel.setAttribute("aria-labelledby", button.id);
  panel.tabIndex = 0;
  return button;
}

export function tabs(scope = document) {
  for (const group of scope.querySelectorAll("[data-tabs]")) build(group);
}
