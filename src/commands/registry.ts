import type { Registry } from '../cli/base-command.ts';

/**
 * Every command by its words, in the order in which people meet them. The only list of commands: all others are made
 * from it.
 */
export const REGISTRY: Registry = {
  watch: async () => (await import('./watch.ts')).default,
  query: async () => (await import('./query.ts')).default,
  serve: async () => (await import('./serve.ts')).default,
  'serve status': async () => (await import('./serve-status.ts')).default,
  'serve stop': async () => (await import('./serve-stop.ts')).default,
  history: async () => (await import('./history.ts')).default,
  'record compact': async () => (await import('./record-compact.ts')).default,
  'record export': async () => (await import('./record-export.ts')).default,
  mcp: async () => (await import('./mcp.ts')).default,
  reconcile: async () => (await import('./reconcile.ts')).default,
  'reconcile explain': async () => (await import('./reconcile-explain.ts')).default,
  'reconcile test': async () => (await import('./reconcile-test.ts')).default,
  'reconcile rbac': async () => (await import('./reconcile-rbac.ts')).default,
  'reconcile manifest': async () => (await import('./reconcile-manifest.ts')).default,
  'queue list': async () => (await import('./queue-list.ts')).default,
  'queue retry': async () => (await import('./queue-retry.ts')).default,
  'queue drop': async () => (await import('./queue-drop.ts')).default,
  sandbox: async () => (await import('./sandbox.ts')).default,
  crds: async () => (await import('./crds.ts')).default,
  'crds diff': async () => (await import('./crds-diff.ts')).default,
  types: async () => (await import('./types.ts')).default,
  tour: async () => (await import('./tour.ts')).default,
  doctor: async () => (await import('./doctor.ts')).default,
  'config show': async () => (await import('./config-show.ts')).default,
  completion: async () => (await import('./completion.ts')).default,
  options: async () => (await import('./options.ts')).default,
  version: async () => (await import('./version.ts')).default,
};

/** The command that words begin with (`watch`, or `config show`), or the first word where there is none. */
export function nameIn([first, second]: readonly string[]): string | undefined {
  const both = `${first} ${second}`;
  return Object.hasOwn(REGISTRY, both) ? both : first;
}

/** The commands that begin with this word and need another: `config show` for `config`. */
export function groupOf(word: string): string[] {
  return Object.keys(REGISTRY).filter((name) => name.startsWith(`${word} `));
}
