import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { isFixedName, shownAccess } from '../hooks/access/program-access.ts';
import { type Access, accessOf } from '../hooks/access/request-access.ts';
import { runChildProcess } from '../hooks/run/child-process.ts';
import { scope } from '../kit/abort.ts';
import type { Clock } from '../kit/clock.ts';
import { InformerError } from '../kit/error.ts';
import { keyOf } from '../model/key.ts';
import type { UnknownObject } from '../model/object.ts';

/** The part of a sandbox that a run needs. */
export interface RunPlace {
  readonly requests: Iterable<{ readonly method: string; readonly path: string; readonly status: number }>;
  kubeconfig(): string;
  put(objects: readonly object[]): UnknownObject[];
  delete(type: { apiVersion: string; kind: string }, key: string): void;
}

export interface ObservedRunOptions {
  /** The words of its command line. */
  readonly command: readonly string[];
  /** The objects of each file. Those of later files may change those of earlier ones. */
  readonly files: readonly (readonly UnknownObject[])[];
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Gets what the program prints. */
  readonly print: (text: string) => void;
}

/** How long a program that needs no further right is taken to have done all that it does, ms. */
const QUIET_MS = 2_000;
/** The longest time for what follows one change, ms. */
const LONGEST_MS = 60_000;

/**
 * Runs a program on a sandbox, and resolves with the rights that its requests showed to be needed. Definitions are there
 * before it starts. Then come the other objects, file by file, and at the end they are deleted, each time when it has
 * done what it does. Rejects with `hook` if it ends before.
 */
export async function observedRun(place: RunPlace, options: ObservedRunOptions): Promise<Access[]> {
  const { command, files, env, clock, signal, print } = options;
  const [program = '', ...args] = command;
  const folder = await mkdtemp(path.join(os.tmpdir(), 'kubectl-informer-run-'));
  const kubeconfig = path.join(folder, 'kubeconfig');
  try {
    await writeFile(kubeconfig, place.kubeconfig(), { mode: 0o600 });
    place.put(files.flat().filter(isBefore));
    using running = scope(signal);
    const ended = runChildProcess(program, {
      args,
      env: { ...env, KUBECONFIG: kubeconfig } as Record<string, string>,
      input: '',
      onStdout: (chunk) => print(chunk.toString()),
      onStderrLine: (line) => print(`${line}\n`),
      signal: running.signal,
      graceMs: 30_000,
      clock,
    });
    await Promise.race([life(place, options, running.signal), ended.then(endedEarly)]);
    running.abort();
    await ended.catch(() => {});
    signal.throwIfAborted();
    return accessIn(place, files.flat());
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The objects come, change and go. */
async function life(place: RunPlace, { files, clock }: ObservedRunOptions, signal: AbortSignal): Promise<void> {
  const calm = () => quiet(place, clock, signal);
  await calm();
  const made = new Map<string, UnknownObject>();
  for (const objects of files) {
    const after = objects.filter((object) => !isBefore(object));
    if (after.length === 0) continue;
    for (const object of place.put(after))
      made.set(JSON.stringify([object.apiVersion, object.kind, keyOf(object)]), object);
    await calm();
  }
  for (const object of [...made.values()].reverse())
    place.delete({ apiVersion: object.apiVersion ?? '', kind: object.kind ?? '' }, keyOf(object));
  await calm();
}

/** Resolves when the program has sent requests, and no further one for a while that it had not sent before. */
async function quiet(place: RunPlace, clock: Clock, signal: AbortSignal): Promise<void> {
  const from = clock.monotonic();
  let count = 0;
  let since = from;
  while (clock.monotonic() - since < QUIET_MS || count === 0) {
    if (clock.monotonic() - from > LONGEST_MS) return;
    await clock.sleep(100, { signal });
    const now = new Set(Array.from(place.requests, ({ method, path: of }) => `${method} ${of}`)).size;
    if (now === count) continue;
    count = now;
    since = clock.monotonic();
  }
}

function accessIn(place: RunPlace, objects: readonly UnknownObject[]): Access[] {
  const examples = new Set(objects.filter((object) => !isBefore(object)).map(namespaceOf));
  const found = new Map<string, Access>();
  for (const { method, path: of, status } of place.requests) {
    const access = accessOf({ method, path: of }, isFixedName);
    if (!access) continue;
    const isApplied = access.verb === 'patch' && status === 201; // it made the object, so it may have to again
    const verbs = isApplied ? [access.verb, 'create'] : [access.verb];
    for (const each of verbs.flatMap((verb) => shownAccess({ ...access, verb }, examples)))
      found.set(JSON.stringify(each), each);
  }
  return [...found.values()];
}

/** Definitions, namespaces and configurations of webhooks are in a cluster before a program starts. */
function isBefore({ apiVersion = '', kind }: UnknownObject): boolean {
  return kind === 'Namespace' || /^(apiextensions|admissionregistration)\.k8s\.io\//.test(apiVersion);
}

const namespaceOf = ({ metadata: { namespace = 'default' } }: UnknownObject): string => namespace;

function endedEarly({ code, signal }: { code: number | null; signal: string | null }): never {
  throw new InformerError('hook', `the program ended with ${code ?? signal} before it was asked to`, {
    hint: 'what it printed is above; it gets the kubeconfig of a sandbox in KUBECONFIG',
  });
}
