/* One candidate in full: what it was worth, where it parts from the world, what it changed, what was said. */

const SYMBOLS = { SOLVED: "✓", WALKED: "◐", NO_INITIAL_ACTION: "∅", EXPLODED: "✱" };
const TONES = { SOLVED: "good", WALKED: "middle" };

/** Whether it is a problem that can be used, to which no domain belongs yet: nothing is at fault with it. */
const isProblem = (node) => !node.id.includes(".") && !["NO_PROBLEM", "NO_ANSWER"].includes(node.outcome);

/** An outcome as a sign and words. */
function badge(node, words) {
  if (isProblem(node)) return el("span", { class: "badge" }, "▢ problem");
  const tone = TONES[node.outcome] ?? "bad";
  return el("span", { class: `badge ${tone}` }, `${SYMBOLS[node.outcome] ?? "✗"} ${words.get(node.outcome) ?? node.outcome}`);
}

class Details {
  /** `go(node)` shows another candidate. */
  constructor(place, texts, words, go) {
    Object.assign(this, { place, texts, words, go });
    this.wanted = null;
  }

  /** Show a candidate; if another one is wanted before its texts are there, that one is shown instead. */
  async show(node, episode) {
    this.wanted = node;
    const parent = episode.parent(node);
    const wanted = [node.domain, node.problem, node.reply, node.feedback, node.story, node.repair];
    const [domain, problem, reply, feedback, story, repair, domainBefore, problemBefore] = await Promise.all(
      [...wanted, parent?.domain, parent?.problem].map((n) => this.texts.get(n)),
    );
    if (this.wanted !== node) return;
    const part = (title, ...body) => [el("h4", null, title), ...body];
    this.place.replaceChildren(
      el("a", { class: "back", href: "#candidates" }, "↑ tree"),
      el("h3", null, `Candidate ${node.id} `, badge(node, this.words)),
      this.way(node, episode),
      facts(node),
      ...(repair ? part(`Repaired from ${parent.id}, without a language model`, ...repairParts(repair)) : []),
      ...(story ? part(...(isPacked(story) ? storyTable(JSON.parse(story)) : ["Where they part", block(story)])) : []),
      ...(feedback && !isProblem(node) ? part("What is told of it", block(feedback)) : []),
      ...part(parent ? `Change from its parent ${parent.id}` : "Problem", ...changes(parent, { domain, problem, domainBefore, problemBefore })),
      ...(reply === null ? [] : part("Reply", block(reply))),
      ...(node.prompt ? part("Prompt", ...this.prompt(node)) : []),
      ...whole(domain, problem),
    );
    this.place.dataset.node = node.id;
  }

  way(node, episode) {
    const steps = episode.path(node).slice(0, -1);
    const link = (step) => el("button", { type: "button", click: () => this.go(step) }, step.id);
    const links = steps.flatMap((step, i) => (i ? [" › ", link(step)] : [link(step)]));
    return el("p", { class: "way" }, links.length ? "from " : "a root", ...links);
  }

  /** The last turn at once, the whole conversation when it is opened. */
  prompt(node) {
    const last = node.prompt.at(-1);
    const turn = async ([role, number]) => el("div", null, el("h5", null, role), block(await this.texts.get(number)));
    const all = async () => el("div", null, ...(await Promise.all(node.prompt.map(turn))));
    return [
      folded(`Last turn (${last[0]})`, () => turn(last), true),
      folded(`Whole conversation (${counted(node.prompt.length, "message")})`, all),
    ];
  }
}

/** Numbers of a candidate, as far as there are any. */
function facts(node) {
  const interval = node.low === undefined ? "" : ` [${two(node.low)}, ${two(node.high)}]`;
  const error = node.low === undefined && node.stderr !== undefined ? ` ± ${two(node.stderr)} (standard error)` : "";
  const pairs = {
    EW: node.ew === undefined ? undefined : three(node.ew) + interval + error,
    forward: node.forward === undefined ? undefined : `${three(node.forward)} of the world's walks run in the model`,
    backward: node.backward === undefined ? undefined : `${three(node.backward)} of the model's walks run in the world`,
    "at fault": node.failure === "Solved" || isProblem(node) ? undefined : node.failure,
    task: node.task,
    planner: node.plan,
    tokens: node.tokens && `${node.tokens[0].toLocaleString("en")} in, ${node.tokens[1].toLocaleString("en")} out`,
    "world queries": node.queries?.toLocaleString("en"),
    simulator: node.simulator,
    evaluated: `in ${node.seconds.toFixed(2)} s`,
  };
  const known = Object.entries(pairs).filter(([, value]) => value);
  return el("dl", { class: "facts" }, ...known.flatMap(([name, value]) => [el("dt", null, name), el("dd", null, value)]));
}

/** Whether a text is JSON, and not a word about there being no room for it. */
const isPacked = (text) => text.startsWith("{");

const TITLES = {
  forward: "Where they part: a walk of the world that the model refuses",
  backward: "Where they part: a walk of the model that the world refuses",
  plan: "Where they part: the model's plan",
};

/** Heading and table of a walk: a row for each step, what it changed on both sides. */
function storyTable(story) {
  const head = ["step", "world", "model", "changes in the world", "changes in the model"];
  const rows = story.steps.map((step, i) =>
    el(
      "tr",
      { class: step.world === step.model ? null : "parting" },
      el("th", { scope: "row" }, `${i + 1} ${step.operator}`),
      mark("world", step.world),
      mark("model", step.model),
      el("td", { "data-column": head[3] }, ...changed(step.world_gains, step.world_loses)),
      el("td", { "data-column": head[4] }, ...changed(step.model_gains, step.model_loses)),
    ),
  );
  const table = el(
    "table",
    null,
    el("thead", null, el("tr", null, ...head.map((words) => el("th", { scope: "col" }, words)))),
    el("tbody", null, ...rows),
  );
  const start = folded(`The world at the start (${counted(story.start.length, "sentence")})`, () => block(story.start.join("\n")));
  const title = TITLES[story.direction] ?? story.direction;
  return [title, start, el("div", { class: "wide story", tabindex: 0, role: "region", "aria-label": title }, table)];
}

function mark(side, ran) {
  return el("td", { class: ran ? "ran" : "refused", "data-column": side }, ran ? "✓ ran" : "✗ refused");
}

function changed(gains, loses) {
  return [...gains.map((line) => el("ins", null, `+ ${line}`)), ...loses.map((line) => el("del", null, `− ${line}`))];
}

/** What a repair did, and the ledger of what speaks for and against each literal, folded. */
function repairParts(packed) {
  if (!isPacked(packed)) return [block(packed)];
  const repair = JSON.parse(packed);
  const edits = repair.edits.map((edit) => el("li", null, edit));
  const verdict = repair.agrees
    ? "Nothing that was seen in the environment speaks against it any more"
    : "Not all that was seen in the environment is explained";
  const summary = `Evidence for and against each literal (${counted(repair.ledger.length, "line")})`;
  return [
    edits.length ? el("ul", null, ...edits) : el("p", null, "No edit makes it agree better."),
    el("p", { class: "quiet" }, `${verdict}; ${repair.world_queries.toLocaleString("en")} world queries.`),
    ...(repair.ledger.length ? [folded(summary, () => ledgerTable(repair))] : []),
  ];
}

const LEDGER = ["action", "part", "literal", "model", "for", "against", "standing", "example"];

function ledgerTable(repair) {
  const row = (words) => el("tr", null, ...words.map((word, i) => el("td", { "data-column": LEDGER[i] }, word)));
  const table = el(
    "table",
    null,
    el("thead", null, el("tr", null, ...LEDGER.map((words) => el("th", { scope: "col" }, words)))),
    el("tbody", null, ...repair.ledger.map(row)),
  );
  const label = "Evidence for and against each literal";
  const more = repair.left_out ? el("p", { class: "quiet" }, `and ${counted(repair.left_out, "line")} that were not kept`) : null;
  return el("div", null, el("div", { class: "wide story ledger", tabindex: 0, role: "region", "aria-label": label }, table), more);
}

/** The texts that differ from the parent's, as differences; without a parent, the problem itself. */
function changes(parent, texts) {
  if (!parent) return [block(texts.problem ?? "(the reply holds no problem)")];
  const made = texts.domain === null ? [] : [el("h5", null, "domain"), shownDifference(texts.domainBefore ?? "", texts.domain)];
  const sameProblem = texts.problem === texts.problemBefore;
  return sameProblem ? made : [...made, el("h5", null, "problem"), shownDifference(texts.problemBefore ?? "", texts.problem ?? "")];
}

function whole(domain, problem) {
  const one = (name, text) => (text === null ? [] : [folded(`Whole ${name}`, () => block(text))]);
  return [...one("domain", domain), ...one("problem", problem)];
}

const block = (text) => el("pre", { tabindex: 0 }, text);
