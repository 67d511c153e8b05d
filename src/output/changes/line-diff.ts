/**
 * One line of a diff: removed, added, or the same on both sides. `skipped` is a number of equal lines that are not
 * shown.
 */
export type DiffLine =
  | { readonly kind: 'removed' | 'added' | 'same'; readonly text: string }
  | { readonly kind: 'skipped'; readonly lines: number };

/** The largest table of a comparison, in cells. Beyond it all lines count as replaced, which is correct but longer. */
const LARGEST_TABLE = 250_000;

/**
 * The shortest diff of two lists of lines, with `context` equal lines around each change. Two long and very different
 * lists are shown as replaced. It compares texts; the differences of objects come from `fieldChanges`.
 */
export function diffLines(
  before: readonly string[],
  after: readonly string[],
  { context = 1 }: { context?: number } = {},
): DiffLine[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < before.length - head && tail < after.length - head && before.at(-1 - tail) === after.at(-1 - tail))
    tail++;
  const middle = middleOf(before.slice(head, before.length - tail), after.slice(head, after.length - tail));
  return shortened(
    [...before.slice(0, head).map(same), ...middle, ...before.slice(before.length - tail).map(same)],
    context,
  );
}

type ShownLine = Exclude<DiffLine, { kind: 'skipped' }>;

const same = (text: string): ShownLine => ({ kind: 'same', text });
const removed = (text: string): ShownLine => ({ kind: 'removed', text });
const added = (text: string): ShownLine => ({ kind: 'added', text });

/** The diff along a longest common subsequence. */
function middleOf(before: readonly string[], after: readonly string[]): ShownLine[] {
  if (before.length * after.length > LARGEST_TABLE) return [...before.map(removed), ...after.map(added)];
  const common = commonLengths(before, after);
  const width = after.length + 1;
  const lines: ShownLine[] = [];
  let i = 0;
  let j = 0;
  while (i < before.length || j < after.length) {
    const [a, b] = [before[i], after[j]];
    if (a !== undefined && a === b) {
      lines.push(same(a));
      i++;
      j++;
    } else if (
      a !== undefined &&
      (b === undefined || (common[(i + 1) * width + j] ?? 0) >= (common[i * width + j + 1] ?? 0))
    ) {
      lines.push(removed(a));
      i++;
    } else {
      lines.push(added(b as string));
      j++;
    }
  }
  return lines;
}

/** At `i * (after.length + 1) + j`: the length of the longest common subsequence of the rests from i and from j. */
function commonLengths(before: readonly string[], after: readonly string[]): Uint32Array {
  const width = after.length + 1;
  const common = new Uint32Array((before.length + 1) * width);
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      const at = i * width + j;
      const [below = 0, right = 0, both = 0] = [common[at + width], common[at + 1], common[at + width + 1]];
      common[at] = before[i] === after[j] ? both + 1 : Math.max(below, right);
    }
  }
  return common;
}

function shortened(lines: readonly ShownLine[], context: number): DiffLine[] {
  const isNear = (i: number) =>
    lines.slice(Math.max(0, i - context), i + context + 1).some(({ kind }) => kind !== 'same');
  const out: DiffLine[] = [];
  let skipped = 0;
  for (const [i, line] of lines.entries()) {
    if (!isNear(i)) {
      skipped++;
      continue;
    }
    if (skipped > 0) out.push({ kind: 'skipped', lines: skipped });
    skipped = 0;
    out.push(line);
  }
  if (skipped > 0) out.push({ kind: 'skipped', lines: skipped });
  return out;
}
