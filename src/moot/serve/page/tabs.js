// Tabs by the pattern that screen readers know: arrows go from one to the next, Home and End to the ends, Tab leaves.

/** Draw tabs into a list, each for a panel that is there. `chosen`: the one that is open; `opened` hears which is. */
export function drawTabs(list, entries, chosen, opened) {
  const focused = list.contains(document.activeElement) ? document.activeElement.id : null;
  const select = (id) => {
    for (const tab of list.children) {
      const open = tab.id === `tab-${id}`;
      tab.setAttribute("aria-selected", String(open));
      tab.tabIndex = open ? 0 : -1;
      document.getElementById(tab.getAttribute("aria-controls")).hidden = !open;
    }
    opened(id);
  };
  list.replaceChildren(
    ...entries.map(({ id, label, className }) => {
      const tab = document.createElement("button");
      Object.assign(tab, { type: "button", id: `tab-${id}`, className: `tab ${className ?? ""}`, textContent: label });
      tab.setAttribute("role", "tab");
      tab.setAttribute("aria-controls", `panel-${id}`);
      tab.addEventListener("click", () => select(id));
      return tab;
    }),
  );
  list.onkeydown = (event) => {
    const all = [...list.children];
    const here = all.indexOf(document.activeElement);
    const to = { ArrowRight: here + 1, ArrowLeft: here - 1, Home: 0, End: all.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = all[(to + all.length) % all.length];
    next.focus();
    next.click();
  };
  select(chosen);
  if (focused) document.getElementById(focused)?.focus();
}
