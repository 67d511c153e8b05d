import { isJsonMap } from './exact-json.ts';
import { sameValue } from './same-value.ts';

/** One step of a JSON patch (RFC 6902). */
export type PatchStep =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string };

/**
 * The steps that make `after` of `before`. Members of objects are changed one by one; lists item by item at the same
 * place, and at their end.
 */
export function patchBetween(before: unknown, after: unknown, path = ''): PatchStep[] {
  if (sameValue(before, after)) return [];
  if (isJsonMap(before) && isJsonMap(after)) return memberSteps(before, after, path);
  if (Array.isArray(before) && Array.isArray(after)) return itemSteps(before, after, path);
  return [{ op: 'replace', path, value: after }];
}

type Members = Readonly<Record<string, unknown>>;

/** An undefined member is none, as in JSON. */
function memberSteps(before: Members, after: Members, path: string): PatchStep[] {
  const at = (name: string) => `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  const names = (members: Members) => Object.keys(members).filter((name) => members[name] !== undefined);
  const kept = new Set(names(after));
  const had = new Set(names(before));
  return [
    ...[...had].filter((name) => !kept.has(name)).map((name) => ({ op: 'remove' as const, path: at(name) })),
    ...[...kept].flatMap((name) =>
      had.has(name)
        ? patchBetween(before[name], after[name], at(name))
        : [{ op: 'add' as const, path: at(name), value: after[name] }],
    ),
  ];
}

function itemSteps(before: readonly unknown[], after: readonly unknown[], path: string): PatchStep[] {
  const shared = Math.min(before.length, after.length);
  const removed = Array.from({ length: before.length - shared }, (_, i) => before.length - 1 - i);
  return [
    ...after.slice(0, shared).flatMap((item, i) => patchBetween(before[i], item, `${path}/${i}`)),
    ...removed.map((i) => ({ op: 'remove' as const, path: `${path}/${i}` })),
    ...after.slice(shared).map((value) => ({ op: 'add' as const, path: `${path}/-`, value })),
  ];
}
