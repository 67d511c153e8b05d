import { parseArgs } from 'node:util';

/** What the command lines of run.ts and report.ts take. */
export interface BenchArguments {
  readonly quick: boolean;
  readonly peers: boolean;
  readonly objects: readonly number[] | undefined;
  readonly bytes: number | undefined;
  readonly rounds: number | undefined;
  readonly only: string | undefined;
  readonly json: string | undefined;
  readonly from: string | undefined;
  readonly root: string | undefined;
  readonly server: 'own' | 'real';
  readonly save: boolean;
}

const USAGE = `  --quick          small counts, few rounds: minutes
  --objects N,…    sizes of the collections that are synced
  --bytes B        size of one object as JSON (7000)
  --rounds R       runs of each program
  --only NAME      only stages and rows whose name contains this (also: idle, latency, sandbox)
  --no-peers       without kubectl and client-go
  --json FILE      write the figures there as well
  --from FILE      (report) take the figures from such a file, measure nothing
  --server real    (bench) only the initial list from the server of KUBECONFIG, beside client-go and kubectl on PATH
  --save           (bench --server real) keep the figures in bench/real/real.json and docs/performance.md
  --root DIR       the checkout whose dist/ is measured (this one)`;

/** Throws with a sentence for people when something cannot be read. */
export function readArguments(argv: readonly string[]): BenchArguments {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...argv],
    options: {
      quick: { type: 'boolean', default: false },
      'no-peers': { type: 'boolean', default: false },
      objects: text,
      bytes: text,
      rounds: text,
      only: text,
      json: text,
      from: text,
      root: text,
      server: { ...text, default: 'own' },
      save: { type: 'boolean', default: false },
    },
  });
  const { quick, objects, bytes, rounds, only, json, from, root, save } = values;
  return {
    quick,
    peers: !values['no-peers'],
    objects: objects?.split(',').map((n) => countOf('--objects', n)),
    bytes: bytes === undefined ? undefined : countOf('--bytes', bytes),
    rounds: rounds === undefined ? undefined : countOf('--rounds', rounds),
    only,
    json,
    from,
    root,
    server: serverOf(values.server),
    save,
  };
}

/** Which server a bench asks: its own, or that of KUBECONFIG. */
export function serverOf(text: string): 'own' | 'real' {
  if (text !== 'own' && text !== 'real') throw new Error(`--server takes own or real, not "${text}"`);
  return text;
}

/** A whole number above 0. */
export function countOf(flag: string, text: string): number {
  const value = Number(text.replaceAll('_', ''));
  if (!Number.isInteger(value) || value < 1) throw new Error(`${flag} takes a whole number above 0, not "${text}"`);
  return value;
}

/** What a command line begins with; ends the program with a sentence and the usage when that cannot be had. */
export function orEnd<T>(begin: () => T, usage = USAGE): T {
  try {
    return begin();
  } catch (error) {
    console.error(`error: ${error instanceof Error ? error.message : error}\n${usage}`);
    process.exit(2);
  }
}
