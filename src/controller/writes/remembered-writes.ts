import { isContainer, jsonText, parseJson } from '../../kit/exact-json.ts';
import { RecentMap } from '../../kit/recent-map.ts';
import { isPlain, sameValue } from '../../kit/same-value.ts';
import type { KubeObject } from '../../model/object.ts';
import { withoutServerMetadata } from './server-metadata.ts';

/** The parts of an object that are compared: its fields beside type and metadata, and the fields of its metadata. */
type Parts = Map<string, unknown>;

/** One part of a write, as JSON texts: what was asked for, and what the server stored. */
interface Answer {
  readonly asked: string;
  readonly stored: string;
}

/** The number of objects whose writes are remembered. */
const KEPT_OBJECTS = 10_000;

/**
 * Remembers how the server stored earlier writes: it adds defaults to what a program asks for, and writes some values
 * in another form (`1000m` becomes `1`). A program that builds a part of an object again at each run asks without them
 * each time.
 *
 * Promises: a write counts as repeated only if the server must store what it has. That is: each part that differs is
 * still as the server stored it after the last write, and each value in it is asked for as then, or is the stored one.
 * A value that was asked for and is now missing is a removal, so it counts as a change. For a part that the server does
 * not store, such as `stringData`, all other parts must be as they were, too.
 *
 * Remembers the 10,000 objects that were used last, and at most twice that number, by uid. Of each it keeps only the
 * parts that the server changed, if it stored all of them.
 */
export class RememberedWrites {
  readonly #answers = new RecentMap<string, ReadonlyMap<string, Answer>>(KEPT_OBJECTS);

  /** Remembers that the server was asked to store `asked`, and that `stored` was its answer. */
  remember(asked: KubeObject, stored: unknown): void {
    const uid = uidOf(stored);
    if (uid === undefined) return;
    const [wanted, is] = [partsOf(asked), partsOf(stored as KubeObject)];
    const parts = differing(wanted, is);
    const isAllKept = parts.some((part) => is.get(part) === undefined);
    const answers = (isAllKept ? [...new Set([...parts, ...is.keys()])] : parts).map((part): [string, Answer] => [
      part,
      { asked: textOf(wanted.get(part)), stored: textOf(is.get(part)) },
    ]);
    if (answers.length > 0) this.#answers.set(uid, new Map(answers));
    else this.#answers.delete(uid);
  }

  /** Whether a write of `after` over `before`, the state of the server, would store nothing new. */
  isRepeated(before: KubeObject, after: KubeObject): boolean {
    if (before.apiVersion !== after.apiVersion || before.kind !== after.kind) return false;
    const [is, wanted] = [partsOf(before), partsOf(after)];
    const parts = differing(is, wanted);
    const { uid = '' } = before.metadata;
    const answers = this.#answers.use(uid);
    return parts.every((part) => {
      const [present, now, answer] = [is.get(part), parsed(textOf(wanted.get(part))), answers?.get(part)];
      if (sameValue(present, now)) return true; // only as a Date and its text differ
      if (!answer) return false;
      const stored = parsed(answer.stored);
      // stringData of a Secret is stored in another part, which must be as it was
      if (stored === undefined && !areAsStored(is, answers)) return false;
      return sameValue(stored, present) && asksForTheSame(parsed(answer.asked), now, stored);
    });
  }
}

/**
 * Whether `now` must lead to `stored`, because `asked` did: each value is asked for as then, or is the stored one, or is
 * missing as then.
 */
function asksForTheSame(asked: unknown, now: unknown, stored: unknown): boolean {
  const open: [asked: unknown, now: unknown, stored: unknown][] = [[asked, now, stored]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (sameValue(next[1], next[2]) || sameValue(next[1], next[0])) continue;
    const inner = innerOf(...next);
    if (!inner) return false;
    open.push(...inner);
  }
  return true;
}

/** The inner values of three maps, or of three lists of one length; undefined for anything else. */
function innerOf(asked: unknown, now: unknown, stored: unknown): [unknown, unknown, unknown][] | undefined {
  if (Array.isArray(asked) && Array.isArray(now) && Array.isArray(stored)) {
    const isAligned = asked.length === now.length && now.length === stored.length;
    return isAligned ? now.map((value, i) => [asked[i], value, stored[i]]) : undefined;
  }
  if (!isMap(asked) || !isMap(now) || !isMap(stored)) return undefined;
  const names = new Set([...Object.keys(now), ...Object.keys(stored)]);
  return [...names].map((name) => [own(asked, name), own(now, name), own(stored, name)]);
}

type Fields = Readonly<Record<string, unknown>>;

const isMap = (value: unknown): value is Fields => isContainer(value) && !Array.isArray(value) && isPlain(value);
const own = (fields: Fields, name: string): unknown => (Object.hasOwn(fields, name) ? fields[name] : undefined);

/** Whether all parts but the status are as the server stored them. */
function areAsStored(is: Parts, answers: ReadonlyMap<string, Answer> = new Map()): boolean {
  return [...answers].every(([part, { stored }]) => part === 'status' || sameValue(parsed(stored), is.get(part)));
}

function partsOf({ apiVersion: _, kind: __, metadata, ...fields }: KubeObject): Parts {
  const inMetadata = Object.entries(withoutServerMetadata(metadata)).map(([name, value]) => [
    `metadata.${name}`,
    value,
  ]);
  return new Map([...Object.entries(fields), ...inMetadata] as [string, unknown][]);
}

function differing(a: Parts, b: Parts): string[] {
  return [...new Set([...a.keys(), ...b.keys()])].filter((part) => !sameValue(a.get(part), b.get(part)));
}

function uidOf(stored: unknown): string | undefined {
  const { metadata } = (stored ?? {}) as Partial<KubeObject>;
  return metadata?.uid;
}

/** A value as text. A missing value is null, which it equals for the server. */
const textOf = (value: unknown): string => jsonText(value ?? null);
const parsed = (text: string): unknown => parseJson(text) ?? undefined;
