import type { Registry } from '../cli/base-command.ts';

/** Every command by its words, in the order in which people meet them. The only list of commands: all others are made from it. */
export const REGISTRY: Registry = {
  watch: async () => (await import('./watch.ts')).default,
  query: async () => (await import('./query.ts')).default,
  reconcile: async () => (await import('./reconcile.ts')).default,
  sandbox: async () => (await import('./sandbox.ts')).default,
  'config show': async () => (await import('./config-show.ts')).default,
  version: async () => (await import('./version.ts')).default,
};
