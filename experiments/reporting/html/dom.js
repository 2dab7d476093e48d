/* Elements are made one by one and every text goes in as a text node: nothing that a language model wrote is
   ever read as HTML. */

/** An element; functions among the attributes are listeners, null and undefined are left out. */
function el(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** A part that is folded until it is wanted; `make` gives its contents then. */
function folded(summary, make, open = false) {
  const made = el("details", null, el("summary", null, summary));
  let filled = false;
  const fill = async () => {
    if (!made.open || filled) return;
    filled = true;
    made.append(await make());
  };
  made.addEventListener("toggle", fill);
  made.open = open;
  return made;
}

/* EW is cut and never rounded, as ew/score/shown.py does: 1.00 is exactly 1. */
const cut = (value, digits) => {
  const steady = value.toFixed(9);
  const text = Number.isInteger(Number(steady)) && Number(steady) !== value ? value.toFixed(16) : steady;
  return text.slice(0, text.indexOf(".") + 1 + digits);
};
const two = (value) => (value === undefined ? "–" : cut(value, 2));
const three = (value) => (value === undefined ? "–" : cut(value, 3));
const counted = (n, one) => `${n.toLocaleString("en")} ${one}${n === 1 ? "" : "s"}`;
