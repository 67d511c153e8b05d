import { compareText } from '../../kit/text-order.ts';

/** Words that cannot name a type. Source: ECMAScript's reserved words, TypeScript's predefined types. */
const RESERVED = new Set(
  (
    'any as async await bigint boolean break case catch class const continue debugger declare default delete do else ' +
    'enum export extends false finally for from function if implements import in instanceof interface is keyof let ' +
    'module namespace never new null number object of package private protected public readonly return static string ' +
    'super switch symbol this throw true try type typeof undefined unknown var void while with yield'
  ).split(' '),
);

/**
 * A name for each schema: the last part of its own (`PodSpec`), and where several have that, with group and version
 * (`CoreV1Event`, `EventsV1Event`). It depends on the set of names only. `kinds` are the names that the types of a
 * request have: they keep the short form where only other schemas have it too.
 */
export function typeNames(schemas: readonly string[], kinds: ReadonlyMap<string, string>): Map<string, string> {
  const sorted = [...new Set(schemas)].sort(compareText);
  const short = new Map(sorted.map((name) => [name, identifier(kinds.get(name) ?? lastPart(name))]));
  const holders = Map.groupBy(sorted, (name) => short.get(name) ?? '');
  const found = new Map<string, string>();
  const taken = new Set<string>();
  const take = (schema: string, wanted: string) => {
    let name = wanted;
    for (let i = 2; taken.has(name); i++) name = `${wanted}${i}`;
    taken.add(name);
    found.set(schema, name);
  };
  for (const [name, those] of holders) {
    const roots = those.filter((schema) => kinds.has(schema));
    const owner = those.length === 1 ? those[0] : roots.length === 1 ? roots[0] : undefined;
    if (owner !== undefined) take(owner, name);
  }
  for (const schema of sorted) if (!found.has(schema)) take(schema, identifier(longName(schema)));
  return found;
}

const lastPart = (name: string) => name.slice(name.lastIndexOf('.') + 1);

/** `io.k8s.api.core.v1.Event` → `CoreV1Event`. */
function longName(name: string): string {
  return name.split('.').slice(-3).map(capitalised).join('');
}

const capitalised = (word: string) => word.slice(0, 1).toUpperCase() + word.slice(1);

/** The text as a name of TypeScript: in ASCII, beginning with a letter or `_`, and no reserved word. */
function identifier(text: string): string {
  const plain = text.replaceAll(/[^A-Za-z0-9_]/g, '_');
  return !/^[A-Za-z_]/.test(plain) || RESERVED.has(plain) ? `_${plain}` : plain;
}
