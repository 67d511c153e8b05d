import type { Catalog } from './catalog.ts';
import { type Candidate, type Completions, FILES, NO_COMPLETIONS, offered } from './completions.ts';
import type { Inquiry } from './inquiry.ts';
import { objectCompletions, typeCompletions } from './types.ts';

export type WordKind =
  | 'objects'
  | 'types'
  | 'one-type'
  | 'views-and-objects'
  | 'file'
  | 'files'
  | 'command'
  | 'shell'
  | 'none';

/** The words of each command. */
export const WORDS: Readonly<Record<string, WordKind>> = {
  watch: 'views-and-objects',
  query: 'views-and-objects',
  mcp: 'types',
  history: 'objects',
  'record compact': 'file',
  'record export': 'file',
  serve: 'types',
  'serve status': 'none',
  'serve stop': 'none',
  reconcile: 'one-type',
  'reconcile explain': 'none',
  'reconcile test': 'file',
  'reconcile rbac': 'one-type',
  'reconcile manifest': 'one-type',
  'queue list': 'none',
  'queue retry': 'none',
  'queue drop': 'none',
  sandbox: 'none',
  'config show': 'command',
  completion: 'shell',
  options: 'none',
  crds: 'files',
  'crds diff': 'files',
  types: 'types',
  tour: 'none',
  doctor: 'types',
  version: 'none',
};

/** The shells that have a completion script. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** The candidates for a word that is no flag. */
export async function wordCompletions(inquiry: Inquiry, catalog: Catalog, typed: string): Promise<Completions> {
  const { command, commandWords, words } = inquiry.cursor;
  if (command === undefined) return offered(commandCandidates(commandWords, catalog));
  const own = words.length === 0 ? subCommands(command, catalog) : [];
  const { candidates, directive } = await ownWords(inquiry, catalog, typed, WORDS[command] ?? 'none').catch((error) => {
    if (own.some(({ value }) => value.startsWith(typed))) return NO_COMPLETIONS;
    throw error;
  });
  return { candidates: [...own, ...candidates], directive };
}

async function ownWords(inquiry: Inquiry, catalog: Catalog, typed: string, kind: WordKind): Promise<Completions> {
  const { words } = inquiry.cursor;
  const isFirst = words.length === 0;
  switch (kind) {
    case 'objects':
      return objectCompletions(inquiry, words, typed);
    case 'views-and-objects':
      return isFirst && typed.startsWith('@') ? views(inquiry) : objectCompletions(inquiry, words, typed);
    case 'types':
    case 'one-type':
      return isFirst || kind === 'types' ? typeCompletions(inquiry, typed) : NO_COMPLETIONS;
    case 'file':
    case 'files':
      return isFirst || kind === 'files' ? FILES : NO_COMPLETIONS;
    case 'command':
      return offered(commandCandidates(words, catalog));
    case 'shell':
      return isFirst ? offered(SHELLS.map((value) => ({ value }))) : NO_COMPLETIONS;
    case 'none':
      return NO_COMPLETIONS;
  }
}

/** The next word of commands that begin with these words. */
function commandCandidates(words: readonly string[], catalog: Catalog): Candidate[] {
  const before = words.map((word) => `${word} `).join('');
  const found = new Map<string, Candidate>();
  for (const [name, { summary }] of Object.entries(catalog)) {
    if (!name.startsWith(before)) continue;
    const [value = '', ...more] = name.slice(before.length).split(' ');
    if (!found.has(value)) found.set(value, { value, about: more.length === 0 ? summary : `commands of ${value}` });
  }
  if (words.length === 0) found.set('help', { value: 'help', about: 'Show the help of a command' });
  return [...found.values()];
}

const subCommands = (command: string, catalog: Catalog) =>
  command.includes(' ') ? [] : commandCandidates([command], catalog);

async function views(inquiry: Inquiry): Promise<Completions> {
  const { views: named } = await inquiry.config();
  return offered(Object.entries(named).map(([name, { words }]) => ({ value: `@${name}`, about: words.join(' ') })));
}
