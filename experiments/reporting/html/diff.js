/* The difference of two texts, line by line: a longest common subsequence, as the texts are short. Two texts
   with too much between them that differs are shown as one gone and one come. */

const MOST_CELLS = 4_000_000;
const CONTEXT = 3;

/** Rows of [sign, line] with the signs " ", "-" and "+". */
function difference(before, after) {
  const [a, b] = [before, after].map((text) => (text === "" ? [] : text.replace(/\n$/, "").split("\n")));
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const middle = between(a.slice(start, a.length - end), b.slice(start, b.length - end));
  const same = (lines) => lines.map((line) => [" ", line]);
  return [...same(a.slice(0, start)), ...middle, ...same(a.slice(a.length - end))];
}

function between(a, b) {
  const whole = [...a.map((line) => ["-", line]), ...b.map((line) => ["+", line])];
  if (!a.length || !b.length || a.length * b.length > MOST_CELLS) return whole;
  const width = b.length + 1;
  const longest = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      longest[i * width + j] =
        a[i] === b[j]
          ? longest[(i + 1) * width + j + 1] + 1
          : Math.max(longest[(i + 1) * width + j], longest[i * width + j + 1]);
  const rows = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      rows.push([" ", a[i++]]);
      j++;
    } else if (j >= b.length || (i < a.length && longest[(i + 1) * width + j] >= longest[i * width + j + 1]))
      rows.push(["-", a[i++]]);
    else rows.push(["+", b[j++]]);
  }
  return rows;
}

/** The difference to read: changed lines with some around them, each with its sign. */
function shownDifference(before, after) {
  const rows = difference(before, after);
  if (rows.every(([sign]) => sign === " ")) return el("p", { class: "quiet" }, "no change");
  const near = rows.map((_, i) =>
    rows.slice(Math.max(0, i - CONTEXT), i + CONTEXT + 1).some(([sign]) => sign !== " "),
  );
  const list = el("pre", { class: "diff", tabindex: 0 });
  for (let i = 0; i < rows.length; ) {
    let skipped = 0;
    while (i + skipped < rows.length && !near[i + skipped]) skipped++;
    if (skipped) list.append(el("span", { class: "skip" }, `⋯ ${counted(skipped, "equal line")}\n`));
    else {
      const [sign, line] = rows[i];
      const tag = { "-": "del", "+": "ins" }[sign] ?? "span";
      list.append(el(tag, null, `${sign} ${line}\n`));
    }
    i += skipped || 1;
  }
  return list;
}
