// As the system, light, dark: kept where the browser lets a file keep something.
import { el } from "./dom.js";

export function theme(button) {
  const names = { "": "system", light: "light", dark: "dark" };
  const apply = (name) => {
    if (name) document.documentElement.dataset.theme = name;
    else delete document.documentElement.dataset.theme;
    button.replaceChildren(el("span", { class: "theme-word" }, "Theme: "), names[name]);
  };
  let current = "";
  try {
    current = localStorage.getItem("moot-theme") ?? "";
  } catch {
    // private windows may forbid it
  }
  apply(current in names ? current : "");
  button.addEventListener("click", () => {
    const order = Object.keys(names);
    current = order[(order.indexOf(current) + 1) % order.length];
    apply(current);
    try {
      localStorage.setItem("moot-theme", current);
    } catch {
      // then for this visit only
    }
  });
}
