/* A tree after the ARIA pattern: one item is in the tab order, arrows walk, only what is open is in the
   document, and of many siblings the first few stand for all until more are wanted. */

const FEW = 12;
const MORE = 100;

class Tree {
  /** `row(node)` gives what stands in an item, `chosen(node)` hears of choices, `entered()` of Enter. */
  constructor(list, row, chosen, entered) {
    Object.assign(this, { list, row, chosen, entered });
    list.addEventListener("keydown", (event) => this.key(event));
    list.addEventListener("click", (event) => this.click(event));
  }

  /** Show a forest; `childrenOf(node)` gives children in order. */
  show(roots, childrenOf, few = FEW) {
    this.childrenOf = childrenOf;
    this.list.replaceChildren();
    this.fill(this.list, roots, 1, few);
    this.current = this.list.firstElementChild;
    if (this.current) this.current.tabIndex = 0;
  }

  /** Open the way to the last node of `path` (roots first) and choose it. */
  reveal(path, focus = false) {
    let group = this.list;
    path.forEach((node, depth) => {
      this.fill(group, group.nodes, depth + 1, group.nodes.indexOf(node) + 1);
      const item = [...group.children].find((child) => child.node === node);
      if (depth < path.length - 1) group = this.expand(item);
      else this.choose(item, focus);
    });
  }

  /** Have at least `count` of the nodes in the group, and an item for the rest. */
  fill(group, nodes, level, count) {
    group.nodes = nodes;
    const rest = group.lastElementChild?.more ? group.lastElementChild : null;
    const there = group.children.length - (rest ? 1 : 0);
    if (there >= count && there > 0) return;
    rest?.remove();
    // one hidden sibling takes as much room as the item that stands for it
    const upTo = nodes.length - count <= 1 ? nodes.length : count;
    nodes.slice(there, upTo).forEach((node, i) => group.append(this.item(node, level, there + i, nodes.length)));
    if (upTo < nodes.length) group.append(this.moreItem(nodes.length - upTo, level));
  }

  item(node, level, index, size) {
    const inner = this.childrenOf(node).length > 0;
    const item = el(
      "li",
      {
        role: "treeitem", tabindex: -1, "aria-level": level, "aria-posinset": index + 1, "aria-setsize": size,
        "aria-selected": "false", "aria-expanded": inner ? "false" : null,
      },
      el("div", { class: "row" }, el("span", { class: "twist", "aria-hidden": "true" }), ...this.row(node)),
    );
    item.node = node;
    return item;
  }

  moreItem(count, level) {
    const item = el("li", { role: "treeitem", tabindex: -1, "aria-level": level, class: "more" });
    item.append(el("div", { class: "row" }, `${count.toLocaleString("en")} more`));
    item.more = true;
    return item;
  }

  /** The group of an item's children, made if it is not there. */
  expand(item) {
    if (item.lastElementChild.getAttribute("role") !== "group") {
      const group = el("ul", { role: "group" });
      item.append(group);
      item.setAttribute("aria-expanded", "true");
      this.fill(group, this.childrenOf(item.node), Number(item.getAttribute("aria-level")) + 1, FEW);
    }
    return item.lastElementChild;
  }

  collapse(item) {
    if (item.lastElementChild.contains(this.current)) this.choose(item, true);
    item.lastElementChild.remove();
    item.setAttribute("aria-expanded", "false");
  }

  /** Show more siblings in the place of an item that stands for them. */
  extend(item) {
    const group = item.parentElement;
    const at = group.children.length - 1;
    this.fill(group, group.nodes, Number(item.getAttribute("aria-level")), at + MORE);
    this.choose(group.children[at], true);
  }

  choose(item, focus) {
    if (!item) return;
    for (const old of this.list.querySelectorAll("[aria-selected=true]")) old.setAttribute("aria-selected", "false");
    if (this.current) this.current.tabIndex = -1;
    this.current = item;
    item.tabIndex = 0;
    if (focus) item.focus({ preventScroll: true });
    scrollWithin(item.firstElementChild);
    if (item.more) return;
    item.setAttribute("aria-selected", "true");
    this.chosen(item.node);
  }

  click(event) {
    const item = event.target.closest("[role=treeitem]");
    if (!item) return;
    if (item.more) this.extend(item);
    else if (event.target.closest(".twist") && item.hasAttribute("aria-expanded")) this.toggle(item);
    else {
      this.choose(item, true);
      if (item.getAttribute("aria-expanded") === "false") this.expand(item);
      this.list.dispatchEvent(new CustomEvent("opened"));
    }
  }

  toggle(item) {
    if (item.getAttribute("aria-expanded") === "true") this.collapse(item);
    else this.expand(item);
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || !this.current) return;
    const act = {
      ArrowDown: () => this.step(1), ArrowUp: () => this.step(-1),
      ArrowRight: () => this.into(), ArrowLeft: () => this.out(),
      Home: () => this.choose(this.list.firstElementChild, true),
      End: () => this.choose([...this.list.querySelectorAll("[role=treeitem]")].at(-1), true),
      Enter: () => (this.current.more ? this.extend(this.current) : this.entered()),
      " ": () => (this.current.more ? this.extend(this.current) : this.toggleCurrent()),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  step(by) {
    const items = [...this.list.querySelectorAll("[role=treeitem]")];
    this.choose(items[items.indexOf(this.current) + by], true);
  }

  into() {
    const state = this.current.getAttribute("aria-expanded");
    if (this.current.more) this.extend(this.current);
    else if (state === "false") this.expand(this.current);
    else if (state === "true") this.step(1);
  }

  out() {
    if (this.current.getAttribute("aria-expanded") === "true") this.collapse(this.current);
    else this.choose(this.current.parentElement.closest("[role=treeitem]"), true);
  }

  toggleCurrent() {
    if (this.current.hasAttribute("aria-expanded")) this.toggle(this.current);
  }
}

/** Bring an element into view within its own pane; the page stays where it is. */
function scrollWithin(element) {
  const pane = element.closest(".pane");
  const [inner, outer] = [element.getBoundingClientRect(), pane.getBoundingClientRect()];
  if (inner.top < outer.top) pane.scrollTop -= outer.top - inner.top;
  else if (inner.bottom > outer.bottom) pane.scrollTop += inner.bottom - outer.bottom;
}
