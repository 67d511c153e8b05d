import { isSlower, type Judgement, judge, type Pair } from './judge.ts';

/** One thing that both builds do. */
export interface Compared {
  readonly id: string;
  readonly name: string;
  /** The CPU time of the build, ms. Throws when it does less than it should. */
  readonly measure: (build: 'base' | 'now') => Promise<number>;
}

export interface TurnsOptions {
  /** The ratio that no row may exceed. */
  readonly limit: number;
  /** Pairs of every row. */
  readonly pairs: number;
  /** A row near the limit is measured again, up to this number of pairs. */
  readonly most: number;
  /** No row is measured again after this, ms from the start. */
  readonly budgetMs: number;
  /** The time, ms. */
  readonly now: () => number;
  readonly progress?: ((text: string) => void) | undefined;
}

export interface RowVerdict extends Judgement {
  readonly id: string;
  readonly name: string;
  readonly pairs: number;
  readonly isSlower: boolean;
}

/** A row that the base cannot do: there is nothing to compare. */
export interface Incomparable {
  readonly id: string;
  readonly name: string;
  readonly reason: string;
}

export interface Turns {
  readonly rows: readonly RowVerdict[];
  readonly incomparable: readonly Incomparable[];
}

/**
 * Measures both builds in turn: base and now, then now and base, and so on, all rows in each round, after one run of
 * each that does not count. Then the rows that are near the limit once more, until they are clear or the time is over.
 * Throws when today's build fails in a row.
 */
export async function takeTurns(rows: readonly Compared[], options: TurnsOptions): Promise<Turns> {
  const { limit, pairs, most, budgetMs, now, progress } = options;
  const from = now();
  const incomparable: Incomparable[] = [];
  const measured = new Map<Compared, Pair[]>();
  for (const row of rows) {
    await row.measure('now');
    const reason = await faultOfBase(row);
    if (reason === undefined) measured.set(row, []);
    else incomparable.push({ id: row.id, name: row.name, reason });
  }
  const isOpen = (found: readonly Pair[], round: number) =>
    round < pairs || (now() - from < budgetMs && judge(found, limit).verdict === 'unclear');
  for (let round = 0; round < most; round++) {
    for (const [row, found] of measured) {
      if (!isOpen(found, round)) continue;
      const pair = await pairOf(row, round % 2 === 0);
      found.push(pair);
      progress?.(`${row.name}: ${pair.base.toFixed(0)} → ${pair.now.toFixed(0)} ms, ${ratioText(pair)}`);
    }
  }
  const verdicts = [...measured].map(([{ id, name }, found]) => {
    const judgement = judge(found, limit);
    return { id, name, pairs: found.length, ...judgement, isSlower: isSlower(judgement, limit) };
  });
  return { rows: verdicts, incomparable };
}

async function faultOfBase({ measure }: Compared): Promise<string | undefined> {
  try {
    await measure('base');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function pairOf({ measure }: Compared, isBaseFirst: boolean): Promise<Pair> {
  if (isBaseFirst) return { base: await measure('base'), now: await measure('now') };
  const now = await measure('now');
  return { base: await measure('base'), now };
}

const ratioText = ({ base, now }: Pair) => `${(now / base).toFixed(3)} ×`;
