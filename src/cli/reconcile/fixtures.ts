import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { type Action, parseReply } from '../../controller/hooks/reply.ts';
import { parseDuration } from '../../kit/duration.ts';
import { InformerError, isInformerError, messageOf } from '../../kit/error.ts';
import { nearest } from '../../kit/nearest.ts';
import { yamlFault } from '../../kit/secret-free-text.ts';
import type { UnknownObject } from '../../model/object.ts';

/** What a fixture expects of the runs of its keys. */
export interface Expectation {
  /** The actions of all keys, in the order of the runs; log lines are left out. */
  readonly actions?: readonly Action[];
  /** Objects that are there at the end, with at least these fields. */
  readonly objects?: readonly UnknownObject[];
  readonly absent?: readonly { readonly apiVersion: string; readonly kind: string; readonly name: string }[];
  /** A part of the error of a run. */
  readonly error?: string;
  readonly parked?: boolean;
  readonly requeueAfterMs?: number;
}

/** A state of a cluster, the key that runs in it, and what is expected. */
export interface Fixture {
  /** The name of the file without its ending. */
  readonly name: string;
  readonly file: string;
  readonly type: string;
  readonly given: readonly UnknownObject[];
  /** Undefined: every object of the type. */
  readonly key: string | undefined;
  /** The object that was there, and is deleted before the run. */
  readonly old: UnknownObject | undefined;
  readonly expect: Expectation;
  /** The line of the file that names the key of a map; 1 if there is none. */
  lineOf(key: string): number;
}

const KEYS = ['type', 'given', 'key', 'deleted', 'old', 'expect'];
const EXPECT_KEYS = ['actions', 'objects', 'absent', 'error', 'parked', 'requeueAfter'];

/**
 * Reads the fixtures of a folder, in the order of their names, or the one of a file. Throws `argument` with file and
 * line for one that cannot be used, and when there is none.
 */
export async function readFixtures(place: string, type: string | undefined): Promise<Fixture[]> {
  const found = await stat(place).catch(() => undefined);
  if (!found) throw new InformerError('argument', `there is no folder or file ${place}`, { hint: HINT });
  const names = found.isDirectory() ? (await readdir(place)).filter((name) => /\.ya?ml$/.test(name)).sort() : [''];
  if (names.length === 0) throw new InformerError('argument', `${place} has no fixture`, { hint: HINT });
  return await Promise.all(names.map((name) => readFixture(path.join(place, name), type)));
}

const HINT = 'a fixture is a file NAME.yaml with type, given and expect';

async function readFixture(file: string, type: string | undefined): Promise<Fixture> {
  const text = await readFile(file, 'utf8');
  const { CORE_SCHEMA, load } = await import('js-yaml');
  let value: unknown;
  try {
    value = load(text, { schema: CORE_SCHEMA });
  } catch (error) {
    throw new InformerError('argument', `${file}: no YAML: ${yamlFault(error)}`);
  }
  return fixtureOf(value, type, { file, text });
}

interface Source {
  readonly file: string;
  readonly text: string;
}

function fixtureOf(value: unknown, flagged: string | undefined, source: Source): Fixture {
  if (!isBody(value)) throw bad(source, '', 'it must be a map with type, given and expect');
  onlyKeys(value, KEYS, source);
  const { type = flagged, given = [], key, deleted = false, old, expect } = value;
  if (typeof type !== 'string')
    throw bad(source, 'type', 'type is missing: name the reconciled type there, or by --type');
  if (!Array.isArray(given)) throw bad(source, 'given', 'given must be a list of objects');
  for (const each of given) checkObject(each, 'given', source);
  if (key !== undefined && typeof key !== 'string') throw bad(source, 'key', 'key must be a text: namespace/name');
  if (typeof deleted !== 'boolean') throw bad(source, 'deleted', 'deleted must be true or false');
  if (deleted !== (old !== undefined))
    throw bad(source, deleted ? 'deleted' : 'old', 'deleted: true and old go together: old is the deleted object');
  if (old !== undefined) checkObject(old, 'old', source);
  if (!isBody(expect)) throw bad(source, 'expect', `expect must be a map with ${EXPECT_KEYS.join(', ')}`);
  return {
    name: path.basename(source.file).replace(/\.ya?ml$/, ''),
    file: source.file,
    type,
    given: given as UnknownObject[],
    key,
    old: old as UnknownObject | undefined,
    expect: expectationOf(expect, source),
    lineOf: (at) => lineOf(source, at),
  };
}

function expectationOf(expect: Body, source: Source): Expectation {
  onlyKeys(expect, EXPECT_KEYS, source);
  const { actions, objects, absent, error, parked, requeueAfter } = expect;
  if (Object.keys(expect).length === 0) throw bad(source, 'expect', 'expect is empty, so nothing would be checked');
  for (const [name, list] of Object.entries({ actions, objects, absent }))
    if (list !== undefined && !Array.isArray(list)) throw bad(source, name, `${name} must be a list`);
  for (const each of (objects ?? []) as unknown[]) checkObject(each, 'objects', source);
  for (const each of (absent ?? []) as Body[])
    if (!isBody(each) || [each.apiVersion, each.kind, each.name].some((part) => typeof part !== 'string'))
      throw bad(source, 'absent', 'each of absent needs apiVersion, kind and name (namespace/name)');
  if (error !== undefined && typeof error !== 'string') throw bad(source, 'error', 'error must be a text');
  if (parked !== undefined && typeof parked !== 'boolean') throw bad(source, 'parked', 'parked must be true or false');
  const of = <T>(key: string, read: () => T): T => {
    try {
      return read();
    } catch (cause) {
      throw bad(source, key, messageOf(cause));
    }
  };
  return {
    ...(actions === undefined ? {} : { actions: of('actions', () => parseReply({ actions }).actions.filter(isSent)) }),
    ...(objects === undefined ? {} : { objects: objects as UnknownObject[] }),
    ...(absent === undefined ? {} : { absent: absent as NonNullable<Expectation['absent']> }),
    ...(error === undefined ? {} : { error }),
    ...(parked === undefined ? {} : { parked }),
    ...(requeueAfter === undefined
      ? {}
      : { requeueAfterMs: of('requeueAfter', () => parseDuration(String(requeueAfter))) }),
  };
}

/** Whether an action is one that changes the server: not a log line. */
export const isSent = ({ verb }: Action) => verb !== 'log';

type Body = Record<string, unknown>;
const isBody = (value: unknown): value is Body => typeof value === 'object' && value !== null && !Array.isArray(value);

function checkObject(value: unknown, at: string, source: Source): void {
  const { apiVersion, kind, metadata } = (isBody(value) ? value : {}) as Partial<UnknownObject>;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || typeof metadata?.name !== 'string')
    throw bad(source, at, `an object of ${at} needs apiVersion, kind and metadata.name`);
}

function onlyKeys(value: Body, known: readonly string[], source: Source): void {
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue;
    const [meant] = nearest(key, known, 1);
    const hint = meant === undefined ? `the keys are ${known.join(', ')}` : `did you mean ${JSON.stringify(meant)}?`;
    throw bad(source, key, `unknown key ${JSON.stringify(key)}`, hint);
  }
}

function bad(source: Source, key: string, message: string, hint?: string): InformerError {
  return new InformerError('argument', `${source.file}:${lineOf(source, key)}: ${message}`, { hint });
}

function lineOf({ text }: Source, key: string): number {
  const found = text.split('\n').findIndex((line) => line.trimStart().startsWith(`${key}:`));
  return found === -1 || key === '' ? 1 : found + 1;
}

/** The error of a fixture that the sandbox cannot take, with the place of the key that it is about. */
export function refusedFixture(
  { file, lineOf: at }: Fixture,
  key: string,
  cause: unknown,
  hint?: string,
): InformerError {
  const own = isInformerError(cause) ? cause.hint : undefined;
  return new InformerError('argument', `${file}:${at(key)}: ${messageOf(cause)}`, { cause, hint: hint ?? own });
}
