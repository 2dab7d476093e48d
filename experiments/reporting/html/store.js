/* What the page carries: an index that is unpacked at once, and texts in chunks that are unpacked when one of
   them is wanted. */

const LEFT_OUT = -1;
const KEPT_CHUNKS = 64;

/** The value that a block of base64 of gzip of JSON holds. */
async function unpack(block) {
  const binary = atob(block.textContent);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

class Texts {
  constructor() {
    this.blocks = [...document.querySelectorAll("script.texts")];
    this.starts = this.blocks.map((block) => Number(block.dataset.start));
    this.chunks = new Map();
  }

  /** The text of a number; null of one that there is none of. */
  async get(number) {
    if (number === undefined || number === null) return null;
    if (number === LEFT_OUT) return "(left out, or this page would be too large; it is in the run's files)";
    let chunk = this.starts.length - 1;
    while (this.starts[chunk] > number) chunk--;
    return (await this.chunk(chunk))[number - this.starts[chunk]];
  }

  /** All texts of a chunk; the oldest chunks are forgotten when there are too many. */
  async chunk(index) {
    if (!this.chunks.has(index)) {
      this.chunks.set(index, unpack(this.blocks[index]));
      if (this.chunks.size > KEPT_CHUNKS) this.chunks.delete(this.chunks.keys().next().value);
    }
    return this.chunks.get(index);
  }

  /** The numbers of all texts that hold `words`, in any case; stops when `abandoned()`. */
  async holding(words, abandoned) {
    const found = new Set();
    for (let index = 0; index < this.blocks.length && !abandoned(); index++) {
      (await this.chunk(index)).forEach((text, i) => {
        if (text.toLowerCase().includes(words)) found.add(this.starts[index] + i);
      });
    }
    return found;
  }
}
