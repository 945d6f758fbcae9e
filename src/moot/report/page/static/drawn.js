// Charts drawn for the width there is, and again when it changes, so that letters keep their size.

// Each: its `canvas`, and `draw(width)`, which gives a node or nothing.
export function keepDrawn(drawings) {
  const widths = new Map();
  const fit = (drawing) => {
    const width = Math.floor(drawing.canvas.clientWidth);
    if (width < 80 || width === widths.get(drawing)) return;
    widths.set(drawing, width);
    drawing.canvas.replaceChildren(drawing.draw(width) ?? "");
  };
  const seen = new Map(drawings.map((drawing) => [drawing.canvas, drawing]));
  const watch = new ResizeObserver((entries) => entries.forEach((entry) => fit(seen.get(entry.target))));
  for (const drawing of drawings) {
    fit(drawing);
    watch.observe(drawing.canvas);
  }
}
