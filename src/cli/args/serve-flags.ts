import { bool, count, duration, group, list, text } from './flag.ts';
import { recordFlags } from './record-flags.ts';
import { connectionFlags } from './shared-flags.ts';

/** The namespaces of a program that keeps caches. */
export const cachedNamespaces = {
  namespace: list({
    char: 'n',
    summary: "namespaces (default: all of them, or the context's if only that may be read)",
    helpValue: 'NAME[,…]',
    split: true,
  }),
  'all-namespaces': bool({ char: 'A', summary: 'all namespaces', yieldsTo: 'namespace' }),
};

/** The flags of `serve`. */
export const serveFlags = {
  ...group('CACHE', {
    ...cachedNamespaces,
    index: list({ summary: 'an index that is kept; those of questions are kept too', helpValue: 'NAME=EXPRESSION' }),
    persist: bool({ summary: 'keep the caches on disk, and begin with them after a restart; never values of Secrets' }),
    'show-managed-fields': bool({ summary: 'keep metadata.managedFields, for questions that show them' }),
  }),
  ...group('SERVER', {
    'idle-exit': duration({ summary: 'end after this time without a question or a reader: 30m' }),
    listen: text({
      summary: 'listen on a port too, for programs that cannot use a socket; they need the token',
      helpValue: '[HOST:]PORT',
    }),
    'allow-remote': bool({ summary: 'let --listen name a host that other machines reach, without encryption' }),
    'show-secrets': bool({
      summary: "let programs that come through --listen, and their expressions, see Secrets' values",
    }),
  }),
  ...group('PAGE', {
    ui: bool({ summary: 'a page for a browser on this machine: tables, changes, values, continuity' }),
    'ui-port': count({ summary: 'port of the page (default: a free one)', max: 65_535 }),
  }),
  ...recordFlags,
  ...connectionFlags,
};
