import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { compareDefinitions, type DefinitionChange } from '../crds/comparison.ts';
import { isModulePath } from '../hooks/run/module.ts';
import { InformerError, messageOf } from '../kit/error.ts';
import type { UnknownObject } from '../model/object.ts';

/** The changes of one definition. */
export interface ComparedDefinition {
  readonly name: string;
  readonly changes: readonly DefinitionChange[];
}

type Parse = (text: string, source: string) => UnknownObject[];

/**
 * The CustomResourceDefinitions of a file, in its order: those in a manifest (`-`: that on stdin), or those that a module exports, as
 * `defineResource` makes them or as objects. A module is loaded for that. Throws `argument` for a file without any.
 */
export async function definitionsIn(file: string, parse: Parse): Promise<UnknownObject[]> {
  const found = (await fileObjects(file, parse)).filter(isDefinition);
  if (found.length > 0) return found;
  throw new InformerError('argument', `${file} has no CustomResourceDefinition`, {
    hint: 'name a manifest, or a module that exports what defineResource returns',
  });
}

/** All objects of a manifest, or all that a module exports. */
export async function fileObjects(file: string, parse: Parse): Promise<UnknownObject[]> {
  return isModulePath(file) ? await exported(file) : parse(await textOf(file), file);
}

/** Compares definitions by their names. One that is in `before` only is removed. */
export function comparedDefinitions(
  before: readonly UnknownObject[],
  after: readonly UnknownObject[],
): ComparedDefinition[] {
  const left = new Map(before.map((each) => [nameOf(each), each]));
  const compared = after.map((next): ComparedDefinition => {
    const name = nameOf(next);
    const old = left.get(name);
    left.delete(name);
    const isNew: DefinitionChange = { at: '', change: 'a new definition', breaks: undefined };
    return { name, changes: old ? compareDefinitions(old, next) : [isNew] };
  });
  const isGone: DefinitionChange = { at: '', change: 'it is removed, and all its objects with it', breaks: 'stored' };
  return [...compared, ...Array.from(left.keys(), (name) => ({ name, changes: [isGone] }))];
}

/** The changes as lines, each definition below its name. */
export function comparisonText(compared: readonly ComparedDefinition[]): string {
  const rows = compared.flatMap(({ changes }) => changes);
  const width = Math.max(0, ...rows.map(({ at }) => at.length));
  const line = ({ at, change, breaks }: DefinitionChange) =>
    `  ${(breaks ?? '-').padEnd(7)}  ${at.padEnd(width)}  ${change}\n`;
  const none = '  no change\n';
  return compared.map(({ name, changes }) => `${name}\n${changes.map(line).join('') || none}`).join('');
}

const nameOf = ({ metadata: { name = '' } }: UnknownObject): string => name;

function isObject(value: unknown): value is UnknownObject {
  const { apiVersion, kind, metadata } = (value ?? {}) as Partial<UnknownObject>;
  return typeof apiVersion === 'string' && typeof kind === 'string' && typeof metadata?.name === 'string';
}

const isDefinition = ({ kind }: UnknownObject): boolean => kind === 'CustomResourceDefinition';

async function exported(file: string): Promise<UnknownObject[]> {
  let module: object;
  try {
    module = await import(pathToFileURL(path.resolve(file)).href);
  } catch (cause) {
    throw new InformerError('argument', `cannot load ${file}: ${messageOf(cause)}`, { cause });
  }
  const values = Object.values(module).flat() as (undefined | { definition?: unknown })[];
  const all = values.map((value) => (isObject(value?.definition) ? value.definition : value)).filter(isObject);
  return [...new Map(all.map((each) => [`${each.kind} ${nameOf(each)}`, each])).values()];
}

async function textOf(file: string): Promise<string> {
  try {
    return file === '-' ? await text(process.stdin) : await readFile(file, 'utf8');
  } catch (cause) {
    throw new InformerError('argument', `cannot read ${file}: ${messageOf(cause)}`, { cause });
  }
}
