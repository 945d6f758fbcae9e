// Loaded before the page is drawn, for it must be first: what a browser puts by itself into the form of a page that is loaded anew
// stands there as soon as the page was read. Whatever differs from it when the other scripts have come is somebody's choice.
document.addEventListener(
  "readystatechange",
  () => {
    for (const field of document.querySelectorAll("#ask :is(input, select, textarea)")) field.dataset.filled = field.value;
  },
  { once: true },
);
