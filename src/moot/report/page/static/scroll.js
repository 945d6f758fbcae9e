// Tables that are larger than their place scroll inside of it, and say so: a bar is often not to be seen.
import { el } from "./dom.js";

const SIDEWAYS = "Scrolls sideways";

const fitted = new ResizeObserver((entries) => entries.forEach(({ target }) => tellScrolling(target.parentElement)));

export function scrolling(label, table) {
  const region = el("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": label }, table);
  const hint = el("p", { class: "scroll-hint", "aria-hidden": "true", hidden: true });
  const box = el("div", { class: "scroll-box" }, hint, region);
  region.addEventListener("scroll", () => tellScrolling(box), { passive: true });
  fitted.observe(region);
  return box;
}

// What lies beyond each edge is told by a shade at it, and above the table in words.
function tellScrolling(box) {
  const [hint, region] = box.children;
  const sideways = region.scrollWidth - region.clientWidth > 1;
  const down = region.scrollHeight - region.clientHeight > 1;
  hint.hidden = !sideways && !down;
  hint.textContent = sideways && down ? `${SIDEWAYS} and down ↔ ↕` : sideways ? `${SIDEWAYS} ↔` : "Scrolls down ↕";
  box.classList.toggle("more-right", sideways && region.scrollLeft + region.clientWidth < region.scrollWidth - 1);
  box.classList.toggle("more-below", down && region.scrollTop + region.clientHeight < region.scrollHeight - 1);
}
