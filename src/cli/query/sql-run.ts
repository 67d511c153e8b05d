import type { Readable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { humanDuration } from '../../kit/duration.ts';
import { InformerError } from '../../kit/error.ts';
import { killChild } from '../../kit/kill-child.ts';
import type { CreateRows } from '../../output/format-traits.ts';
import { formatWords, parseOutputFormat } from '../../output/formats.ts';
import { SqlTables } from '../../record/sql-tables.ts';
import { refuseBeside } from '../args/useless-flags.ts';
import type { Edges } from '../base-command.ts';
import { exitOf, limited, ownProcess, REASON, readsForAnother, SQL_BYTES, SQL_MS } from '../record/process-limits.ts';
import { recordedServer } from '../record/recorded-server.ts';
import { ExitCode } from '../terminal/exit-codes.ts';
import { writeNotice } from '../terminal/notice.ts';
import { writeRows } from '../terminal/write-rows.ts';
import type { QueryLine } from './read-query.ts';

/** The flags beside which a statement has its meaning. */
const OWN: readonly string[] = ['sql', 'from', 'at', 'output', 'no-headers', 'timeout', 'quiet', 'log-format', 'v', 'config', 'help']; // biome-ignore format: one line

/**
 * `query --sql`: prints the rows of one SELECT over a recording. SQLite cannot be interrupted, so it runs in a process
 * of its own with the same command line, which ends at its limits, at a signal, and when its reader has gone.
 */
export async function querySql({ flags, words, given }: QueryLine, edges: Edges): Promise<ExitCode> {
  const { sql = '', from, timeout = SQL_MS } = flags;
  if (from === undefined)
    throw new InformerError('argument', '--sql asks a recording, and --from FILE is missing', {
      hint: 'watch TYPE --record FILE and serve TYPE --record FILE make one',
    });
  const others = [...given.keys()].filter((name) => !OWN.includes(name));
  refuseBeside(given, others, ['sql'], 'the statement says what is chosen, in which order, and how much of it');
  if (words.length > 0)
    throw new InformerError('argument', `--sql beside ${JSON.stringify(words[0])}: the statement names its tables`, {
      hint: `leave out ${words.join(' ')}; a statement with blanks is one word in quotes: --sql 'SELECT …'`,
    });
  const { traits } = parseOutputFormat(flags.output ?? '');
  if (traits.rows === false)
    throw new InformerError('argument', `-o ${traits.called} cannot be used with --sql: it prints rows`, {
      hint: `leave out -o, or use ${formatWords('rows').map((word) => `-o ${word}`).join(', ')}`, // biome-ignore format: one line
    });
  const reads = readsForAnother(edges.io.env);
  if (!reads) return await inProcessOfItsOwn(timeout, edges);
  if (!reads.isWaited) return ExitCode.failed;
  return await runHere({ from, sql, limitMs: timeout, create: await traits.rows() }, { flags, words, given }, edges);
}

interface Statement {
  readonly from: string;
  readonly sql: string;
  readonly limitMs: number;
  readonly create: CreateRows;
}

/** Runs the statement in this process. It ends by itself, or with this process. */
async function runHere(
  { from, sql, limitMs, create }: Statement,
  { flags, given }: QueryLine,
  { io }: Edges,
): Promise<ExitCode> {
  const computing = new Int32Array(new SharedArrayBuffer(4)).fill(1);
  using _ = limited({ computing, limitMs, mostBytes: SQL_BYTES });
  using recorded = await recordedServer({ from, at: flags.at }, given, io);
  using tables = new SqlTables(recorded.recording, sql, flags.at === undefined ? undefined : recorded.at);
  const statement = tables.prepare(sql);
  for (const source of tables.read) recorded.read(source);
  if (flags.at === undefined && tables.read.length > 0 && recorded.recording.runs.at(-1)?.isEnded === false)
    writeNotice(io, 'tables of types may lack changes of the last 10 s and more; --at 0s has all of them');
  const { stdout } = io;
  const names = statement.columns().map(({ name }) => name);
  const rows = create(names, { noHeaders: flags['no-headers'], terminal: stdout.isTerminal });
  statement.setReadBigInts(true);
  statement.setReturnArrays(true);
  try {
    await writeRows(stdout, rows, statement.iterate() as Iterable<unknown> as Iterable<unknown[]>, (waits) =>
      Atomics.store(computing, 0, waits ? 0 : 1),
    );
  } catch (error) {
    throw tables.failed(error);
  }
  return ExitCode.ok;
}

async function inProcessOfItsOwn(limitMs: number, { io, signal, atOnce }: Edges): Promise<ExitCode> {
  const child = ownProcess(io.env, ['ignore', 'inherit', 'inherit', 'pipe']);
  const kill = () => killChild(child, 'SIGKILL');
  atOnce.add(kill);
  signal.addEventListener('abort', kill, { once: true });
  if (signal.aborted) kill();
  const exit = exitOf(child);
  if (!child.stdio) await exit;
  const reason = textOf(child.stdio[REASON] as Readable);
  const [code, by] = await exit;
  signal.throwIfAborted();
  if (code !== null) return code as ExitCode;
  throw ended(await reason, limitMs, by);
}

function ended(reason: string, limitMs: number, by: string | null): InformerError {
  const what = 'what is printed is not the whole answer';
  if (reason === 'time')
    return new InformerError('sync', `the statement did not end within ${humanDuration(limitMs)}: ${what}`, {
      hint: 'a longer --timeout lets it go on; a condition on name is fast, one on the object reads all of them',
    });
  const why = reason === 'memory' ? 'needs more memory than 1 GiB' : `was ended by ${by}`;
  return new InformerError('store', `the statement ${why}: ${what}`, {
    hint: 'select fewer columns or rows; sqlite3 FILE has no limit',
  });
}
