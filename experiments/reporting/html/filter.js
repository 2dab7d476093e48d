/* An episode as a tree, and the candidates in it that a reader asks for. */

/** Below this, a text is sought in numbers and names alone. */
const SHORTEST_WORDS = 3;

class Episode {
  /** `ranks` gives the place of an outcome, the worst first. */
  constructor(plain, ranks) {
    this.name = plain.name;
    this.best = plain.best;
    this.nodes = plain.nodes;
    this.ranks = ranks;
    this.byId = new Map(this.nodes.map((node) => [node.id, node]));
    this.children = new Map(this.nodes.map((node) => [node.id, []]));
    this.roots = [];
    for (const node of this.nodes) (this.children.get(parentId(node.id)) ?? this.roots).push(node);
  }

  parent(node) {
    return this.byId.get(parentId(node.id));
  }

  /** From the root to the node. */
  path(node) {
    const above = this.parent(node);
    return above ? [...this.path(above), node] : [node];
  }

  /** The nodes in the wanted order: as they are, or the best first. */
  ordered(nodes, order) {
    if (order !== "ew") return nodes;
    const rank = (node) => this.ranks.get(node.outcome) ?? -1;
    return [...nodes].sort((a, b) => (b.ew ?? -1) - (a.ew ?? -1) || rank(b) - rank(a));
  }

  /** Candidates of that outcome whose number, name or texts hold `words`. */
  async matching(words, outcome, texts, abandoned) {
    const sought = words.trim().toLowerCase();
    const holding = sought.length < SHORTEST_WORDS ? new Set() : await texts.holding(sought, abandoned);
    const named = (node) =>
      node.id === sought || node.id.startsWith(`${sought}.`) || (node.failure ?? "").toLowerCase().includes(sought);
    const held = (node) => [node.domain, node.problem, node.reply, node.feedback].some((text) => holding.has(text));
    return this.nodes.filter(
      (node) => (!outcome || node.outcome === outcome) && (!sought || named(node) || held(node)),
    );
  }
}

const parentId = (id) => id.slice(0, Math.max(0, id.lastIndexOf(".")));
