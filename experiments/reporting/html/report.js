/* The page at work: it opens on the best candidate, or on the one that the address names
   (#candidate=EPISODE/NUMBER). */

const SEARCH_DELAY_MS = 150;
const MATCHES = 200;
const at = (id) => document.getElementById(id);

class Explorer {
  constructor(contents) {
    this.texts = new Texts();
    this.words = new Map(contents.outcomes.map((outcome) => [outcome.name, outcome.words]));
    const ranks = new Map(contents.outcomes.map((outcome, rank) => [outcome.name, rank]));
    this.episodes = contents.episodes.map((plain) => new Episode(plain, ranks));
    this.details = new Details(at("details"), this.texts, this.words, (node) => this.go(node));
    this.tree = new Tree(
      at("tree"),
      (node) => this.row(node),
      (node) => this.chosen(node),
      () => at("details").focus(),
    );
    this.search = 0;
  }

  start() {
    at("episode").append(...this.episodes.map((e, i) => el("option", { value: i }, `${e.name} (${e.nodes.length})`)));
    at("outcome").append(...[...this.words].reverse().map(([name, words]) => el("option", { value: name }, words)));
    at("episode").addEventListener("change", () => this.open(Number(at("episode").value)));
    for (const id of ["outcome", "order"]) at(id).addEventListener("change", () => this.filter());
    at("search").addEventListener("input", () => this.soon());
    at("tree").addEventListener("opened", () => {
      if (matchMedia("(max-width: 55rem)").matches) at("details").scrollIntoView();
    });
    addEventListener("hashchange", () => this.follow());
    addEventListener("keydown", (event) => this.key(event));
    if (!this.follow()) this.open(0);
  }

  /** Go where the address says; whether it names a candidate. */
  follow() {
    const found = /^#candidate=(\d+)\/([\d.]+)$/.exec(location.hash);
    const episode = found && this.episodes[Number(found[1])];
    const node = episode?.byId.get(found[2]);
    if (!node) return false;
    if (episode !== this.episode || node !== this.details.wanted) this.open(Number(found[1]), node);
    at("candidates").scrollIntoView();
    return true;
  }

  /** Show an episode at a node; without one at its best, or at its first. */
  open(number, node) {
    this.number = number;
    this.episode = this.episodes[number];
    at("episode").value = number;
    at("search").value = at("outcome").value = "";
    this.showTree(node ?? this.episode.byId.get(this.episode.best) ?? this.episode.roots[0]);
  }

  go(node) {
    at("search").value = at("outcome").value = "";
    this.showTree(node, true);
  }

  showTree(node, focus = false) {
    const { episode } = this;
    const order = at("order").value;
    this.search++;
    this.flat = false;
    at("found").textContent = counted(episode.nodes.length, "candidate");
    const sorted = new Map();
    const childrenOf = (above) => {
      if (!sorted.has(above)) sorted.set(above, episode.ordered(episode.children.get(above.id), order));
      return sorted.get(above);
    };
    this.tree.show(episode.ordered(episode.roots, order), childrenOf);
    this.tree.reveal(episode.path(node), focus);
  }

  soon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.filter(), SEARCH_DELAY_MS);
  }

  /** Show what is asked for as a list; if nothing is asked for, the tree. */
  async filter() {
    const [words, outcome, order] = ["search", "outcome", "order"].map((id) => at(id).value);
    if (!words.trim() && !outcome) return this.showTree(this.details.wanted ?? this.episode.roots[0]);
    const search = ++this.search;
    at("found").textContent = "searching …";
    const found = await this.episode.matching(words, outcome, this.texts, () => search !== this.search);
    if (search !== this.search) return;
    this.flat = true;
    at("found").textContent = `${found.length.toLocaleString("en")} of ${counted(this.episode.nodes.length, "candidate")}`;
    this.tree.show(this.episode.ordered(found, order), () => [], MATCHES);
    if (found.length) this.tree.choose(this.tree.list.firstElementChild, false);
  }

  row(node) {
    const best = node.id === this.episode.best ? el("span", { class: "best" }, "★ best") : null;
    const bar = node.ew === undefined ? null : el("span", { class: "bar", "aria-hidden": "true" }, el("span"));
    if (bar) bar.firstChild.style.width = `${Math.round(100 * node.ew)}%`;
    const ew = node.ew === undefined ? null : el("span", { class: "ew" }, `EW ${two(node.ew)}`);
    return [el("span", { class: "number" }, node.id), badge(node, this.words), ew, bar, best].filter((part) => part);
  }

  chosen(node) {
    this.details.show(node, this.episode);
    if (document.activeElement === document.body && !location.hash) return;
    history.replaceState(null, "", `#candidate=${this.number}/${node.id}`);
  }

  key(event) {
    const writing = event.target.closest?.("input, select");
    if (event.key === "/" && !writing && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      at("search").focus();
    } else if (event.key === "Escape") {
      if (event.target === at("search") && at("search").value) {
        at("search").value = "";
        this.filter();
      }
      this.tree.current?.focus();
    }
  }
}

const THEMES = { auto: "Theme: as the system", light: "Theme: light", dark: "Theme: dark" };

/** The theme that was chosen before, if the browser keeps such things for this page. */
function rememberedTheme() {
  try {
    return localStorage.getItem("theme") ?? "auto";
  } catch {
    return "auto";
  }
}

function showTheme(name) {
  document.documentElement.dataset.theme = name;
  at("theme").textContent = THEMES[name];
  try {
    localStorage.setItem("theme", name);
  } catch {
    // a page from disk may have no storage; the theme then lasts as long as the page
  }
}

async function main() {
  const names = Object.keys(THEMES);
  showTheme(names.includes(rememberedTheme()) ? rememberedTheme() : "auto");
  at("theme").addEventListener("click", () => {
    const now = names.indexOf(document.documentElement.dataset.theme);
    showTheme(names[(now + 1) % names.length]);
  });
  if (typeof DecompressionStream === "undefined") {
    at("details").textContent = "This browser is too old to unpack the candidates; all else on this page stands.";
    return;
  }
  const contents = await unpack(at("index"));
  if (contents.episodes.length) new Explorer(contents).start();
  else at("details").textContent = "No candidate has been evaluated.";
  document.documentElement.dataset.ready = Math.round(performance.now());
}

main();
