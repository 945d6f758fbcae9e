// The tables are in the page already; this only puts the rows of one in another order.
import { theme } from "./theme.js";

function sortBy(table, place, downwards) {
  const body = table.tBodies[0];
  const keyed = [...body.rows].map((row, number) => ({ row, number, key: row.cells[place].dataset.key ?? "" }));
  const numbers = table.tHead.rows[0].cells[place].dataset.kind === "number";
  const order = (one, other) => {
    if (!one.key || !other.key) return (one.key ? 0 : 1) - (other.key ? 0 : 1); // what is not known stands last either way
    const way = numbers ? Number(one.key) - Number(other.key) : one.key.localeCompare(other.key, "en", { numeric: true });
    return downwards ? -way : way;
  };
  keyed.sort((one, other) => order(one, other) || one.number - other.number);
  body.replaceChildren(...keyed.map((each) => each.row));
}

for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, place) => {
    const button = head.querySelector("button");
    button?.addEventListener("click", () => {
      const first = head.dataset.first ?? "ascending";
      const now = head.getAttribute("aria-sort");
      const next = now ? (now === "ascending" ? "descending" : "ascending") : first;
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", next);
      sortBy(table, place, next === "descending");
    });
  });
}
theme(document.getElementById("theme"));
