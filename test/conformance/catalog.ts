import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

interface Listed {
  readonly groups: Readonly<Record<string, string>>;
  /** Groups of which every behaviour has its test, or a reason not to apply. */
  readonly proven: readonly string[];
  readonly notApplicable: Readonly<Record<string, string>>;
  readonly behaviours: Readonly<Record<string, string>>;
  /** Ids, or whole groups, of what is not built yet. */
  readonly later: readonly string[];
}

/** One numbered behaviour of the machinery upstream, in our words. */
export interface Behaviour {
  readonly id: string;
  readonly group: string;
  readonly says: string;
  readonly isProven: boolean;
  readonly notApplicable: string | undefined;
  readonly isLater: boolean;
}

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.dirname(here);

/** Every behaviour there is a number for, in the order of the list. */
export function behaviours(): Behaviour[] {
  const listed = JSON.parse(readFileSync(path.join(here, 'behaviours.json'), 'utf8')) as Listed;
  return Object.entries(listed.behaviours).map(([id, says]) => {
    const group = id.slice(0, id.indexOf('-'));
    if (!(group in listed.groups)) throw new Error(`${id} belongs to no group`);
    return {
      id,
      group,
      says,
      isProven: listed.proven.includes(group),
      notApplicable: listed.notApplicable[id],
      isLater: listed.later.includes(id) || listed.later.includes(group),
    };
  });
}

const IDS = /\[((?:[A-Z]+-\d+)(?:, ?[A-Z]+-\d+)*)\]/g;

/** The ids in a test's title: `… [REF-01]`, `… [REF-01] [REF-02]`, `… [REF-01, REF-02]`. */
export function idsIn(title: string): string[] {
  return [...title.matchAll(IDS)].flatMap(([, ids = '']) => ids.split(/, ?/));
}

/** Which test files name which ids in a title, by id. */
export function namedInTests(): Map<string, string[]> {
  const named = new Map<string, string[]>();
  for (const file of readdirSync(root, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!file.endsWith('.test.ts') || file.startsWith('conformance')) continue;
    for (const id of idsIn(readFileSync(path.join(root, file), 'utf8')))
      named.set(id, [...new Set([...(named.get(id) ?? []), `test/${file}`])]);
  }
  return named;
}
