import { type FileHandle, lstat, mkdir, open, readFile, rename } from 'node:fs/promises';
import path from 'node:path';
import { builtin } from '../../kit/builtin.ts';
import { InformerError, messageOf } from '../../kit/error.ts';
import { jsonText, parseJson } from '../../kit/exact-json.ts';
import type { ObjectKey } from '../../model/key.ts';
import type { ActionStep } from '../actions/action-step.ts';
import type { StepEffect } from '../actions/step-effect.ts';
import { lockFolder } from './journal-lock.ts';

/** An action in a journal. */
export interface JournaledStep extends Pick<ActionStep, 'action' | 'target' | 'body'> {
  /** The values of a Secret were left out, so that the action cannot be sent from the journal. */
  readonly isPartial?: true;
}

/** The actions of one run of a hook that are not all known to be done. */
export interface UnfinishedRun {
  readonly id: string;
  /** The reconciled object. */
  readonly key: ObjectKey;
  /** Its uid; null if it did not exist. */
  readonly uid: string | null;
  readonly steps: readonly JournaledStep[];
  /** The facts about the targets of the actions that may have been sent, by the number of the action. */
  readonly started: ReadonlyMap<number, StepEffect>;
  /** The numbers of the actions that are done. */
  readonly done: ReadonlySet<number>;
}

export interface JournalOptions {
  /** A folder that only this user can read and write. It is created if its parent exists. */
  folder: string;
  /** Whose actions these are: the cluster, the type, the hook. The actions of another one are never carried out. */
  owner: string;
}

interface OpenRun extends UnfinishedRun {
  readonly started: Map<number, StepEffect>;
  readonly done: Set<number>;
  /** Its lines, for a shorter file. */
  readonly lines: string[];
}

const FILE = 'actions.jsonl';
/** The size from which the file is written again without the runs that are finished, in bytes. */
const LONG = 1024 * 1024;

/**
 * The actions of hooks on disk, from before the first action of a run is sent until the last one is done. After a crash
 * {@link unfinished} has the runs that were not finished.
 *
 * Promises: `begin` and `start` resolve when their line is on the disk, and an action that they reject for must not be
 * sent. A line that was half written, or is not valid, is left out and counted in `unreadable`. The files have mode 0600.
 * A second process is refused. Does not promise that a line of `done` is on the disk after a power failure: what is done
 * twice is decided by {@link StepEffect}.
 */
export class ActionJournal implements AsyncDisposable {
  readonly #folder: string;
  readonly #header: string;
  readonly #lock: AsyncDisposable;
  readonly #runs: Map<string, OpenRun>;
  #file: FileHandle;
  #size = 0;
  /** A line failed, so that the end of the file is not known. */
  #isTorn = false;
  #isClosed = false;
  #last: Promise<unknown> = Promise.resolve();
  /** The lines that could not be read when the journal was opened. */
  readonly unreadable: number;

  private constructor(
    folder: string,
    header: string,
    lock: AsyncDisposable,
    { runs, unreadable }: Content,
    file: FileHandle,
  ) {
    this.#folder = folder;
    this.#header = header;
    this.#lock = lock;
    this.#runs = runs;
    this.#file = file;
    this.unreadable = unreadable;
  }

  /**
   * Rejects with `argument` if another process uses the folder, if others than this user can reach it, or if it has
   * unfinished actions of another owner.
   */
  static async open({ folder, owner }: JournalOptions): Promise<ActionJournal> {
    const whole = path.resolve(folder);
    await privateFolder(whole);
    const lock = await lockFolder(whole);
    try {
      const content = await contentOf(path.join(whole, FILE));
      if (content.runs.size > 0 && content.owner !== owner) throw otherOwner(whole, content.owner, owner);
      const header = line({ journal: 1, owner });
      const file = await rewritten(whole, header, content.runs.values());
      return new ActionJournal(whole, header, lock, content, file);
    } catch (error) {
      await lock[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** The runs that are not finished, the oldest first; of all keys, or of one. */
  unfinished(key?: ObjectKey): readonly UnfinishedRun[] {
    return [...this.#runs.values()].filter((run) => key === undefined || run.key === key);
  }

  /** Writes down what a run is going to do. Resolves when it is on the disk. */
  async begin(run: Pick<UnfinishedRun, 'key' | 'uid' | 'steps'>): Promise<UnfinishedRun> {
    const id = builtin.crypto().randomUUID();
    const begun: OpenRun = { ...run, id, started: new Map(), done: new Set(), lines: [] };
    this.#runs.set(id, begun);
    try {
      await this.#append(begun, { id, key: run.key, uid: run.uid, steps: run.steps }, true);
    } catch (error) {
      this.#runs.delete(id);
      throw error;
    }
    return begun;
  }

  /** Writes down that an action is about to be sent. Resolves when it is on the disk. */
  async start({ id }: UnfinishedRun, step: number, effect: StepEffect): Promise<void> {
    const run = this.#run(id);
    await this.#append(run, { id, start: step, effect }, true);
    run.started.set(step, effect);
  }

  /** Writes down that an action is done. */
  async done(
    { id }: UnfinishedRun,
    step: number,
    write?: { uid?: string | undefined; resourceVersion?: string | undefined },
  ): Promise<void> {
    const run = this.#run(id);
    run.done.add(step);
    await this.#append(run, { id, done: step, uid: write?.uid, resourceVersion: write?.resourceVersion }, false);
  }

  /** Writes down that nothing more is to be done for a run. */
  async finish({ id }: UnfinishedRun): Promise<void> {
    const run = this.#run(id);
    this.#runs.delete(id);
    await this.#append(run, { id, end: true }, false);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await this.#last.catch(() => {});
    await this.#file.close();
    await this.#lock[Symbol.asyncDispose]();
  }

  #run(id: string): OpenRun {
    const run = this.#runs.get(id);
    if (!run) throw new InformerError('closed', `the journal has no unfinished run ${id}`);
    return run;
  }

  /**
   * Appends a line, one at a time. The file is written again without what is finished when it has become long, and after
   * a line that failed: a part of that one may be there, which would make the next line unreadable.
   */
  #append(run: OpenRun, value: object, isDurable: boolean): Promise<void> {
    const text = line(value);
    const write = this.#last
      .catch(() => {})
      .then(async () => {
        if (this.#size > LONG || (this.#isTorn && !this.#isClosed)) await this.#shorten();
        await this.#file.appendFile(text);
        if (isDurable) await this.#file.datasync();
        this.#size += Buffer.byteLength(text);
        run.lines.push(text);
      })
      .catch((cause) => {
        this.#isTorn = true;
        throw new InformerError('hook', `the journal ${this.#folder} cannot be written: ${messageOf(cause)}`, {
          cause,
          hint: 'nothing is sent that is not in the journal; make room on the disk, or run without --journal',
        });
      });
    this.#last = write;
    return write;
  }

  async #shorten(): Promise<void> {
    const file = await rewritten(this.#folder, this.#header, this.#runs.values());
    await this.#file.close();
    this.#file = file;
    this.#size = 0;
    this.#isTorn = false;
  }
}

const line = (value: object): string => `${jsonText(value)}\n`;

/** Writes the file with only these runs, in place of the old one, and opens it for more. */
async function rewritten(folder: string, header: string, runs: Iterable<OpenRun>): Promise<FileHandle> {
  const target = path.join(folder, FILE);
  const next = `${target}.next`;
  const file = await open(next, 'w', 0o600);
  try {
    await file.writeFile([header, ...[...runs].flatMap(({ lines }) => lines)].join(''));
    await file.sync();
    await rename(next, target);
    await syncFolder(folder);
    await file.close();
    return await open(target, 'a', 0o600);
  } catch (error) {
    await file.close().catch(() => {});
    throw error;
  }
}

async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return; // a folder cannot be opened there
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}

interface Content {
  readonly owner: string | undefined;
  readonly runs: Map<string, OpenRun>;
  readonly unreadable: number;
}

async function contentOf(file: string): Promise<Content> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const runs = new Map<string, OpenRun>();
  let owner: string | undefined;
  let unreadable = 0;
  for (const each of text.split('\n')) {
    if (each === '') continue;
    const value = parsed(each);
    if (typeof value?.owner === 'string') owner = value.owner;
    else if (!value || !take(value, `${each}\n`, runs)) unreadable++;
  }
  return { owner, runs, unreadable };
}

type Line = Readonly<Record<string, unknown>>;

function parsed(text: string): Line | undefined {
  try {
    const value = parseJson(text) as unknown;
    return typeof value === 'object' && value !== null ? (value as Line) : undefined;
  } catch {
    return undefined;
  }
}

/** Adds what a line says to its run. False if the line says nothing that is known. */
function take(value: Line, text: string, runs: Map<string, OpenRun>): boolean {
  const { id, key, uid, steps, start, effect, done, end } = value;
  if (typeof id !== 'string') return false;
  if (
    typeof key === 'string' &&
    Array.isArray(steps) &&
    steps.every(isStep) &&
    (typeof uid === 'string' || uid === null)
  ) {
    runs.set(id, { id, key, uid, steps, started: new Map(), done: new Set(), lines: [text] });
    return true;
  }
  const run = runs.get(id);
  if (!run) return typeof start === 'number' || typeof done === 'number' || end === true; // of a finished or unread run
  if (end === true) runs.delete(id);
  else if (typeof start === 'number' && typeof effect === 'object' && effect !== null) run.started.set(start, effect);
  else if (typeof done === 'number') run.done.add(done);
  else return false;
  run.lines.push(text);
  return true;
}

function isStep(value: unknown): value is JournaledStep {
  const { action, target } = (value ?? {}) as Partial<JournaledStep>;
  return typeof action?.verb === 'string' && typeof target?.name === 'string' && typeof target.type?.gvr === 'object';
}

async function privateFolder(folder: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return;
    throw new InformerError('argument', `cannot create the journal ${folder}: ${messageOf(error)}`, { cause: error });
  });
  const found = await lstat(folder);
  if (!found.isDirectory()) throw new InformerError('argument', `the journal ${folder} is not a folder`);
  const uid = process.getuid?.();
  if (uid === undefined || (found.uid === uid && (found.mode & 0o077) === 0)) return;
  throw new InformerError('argument', `others than this user can reach the journal ${folder}`, {
    hint: 'name a folder in it that does not exist yet (it gets mode 0700), or chmod 700 it',
  });
}

function otherOwner(folder: string, found: string | undefined, wanted: string): InformerError {
  return new InformerError(
    'argument',
    `the journal ${folder} has unfinished actions of ${found ?? 'an unknown hook'}, not of ${wanted}`,
    { hint: 'run that one to its end, or name another folder' },
  );
}
