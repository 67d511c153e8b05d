import { bool, group, list, text } from './flag.ts';
import { connectionFlags } from './shared-flags.ts';

/** The flags of `mcp`. */
export const mcpFlags = {
  ...group('CACHE', {
    namespace: list({
      char: 'n',
      summary: "namespaces (default: all of them, or the context's if only that may be read)",
      helpValue: 'NAME[,…]',
      split: true,
    }),
    'all-namespaces': bool({ char: 'A', summary: 'all namespaces', yieldsTo: 'namespace' }),
    index: list({ summary: 'an index that agents may use by its name', helpValue: 'NAME=EXPRESSION' }),
  }),
  ...group('LOG', {
    'log-file': text({ summary: 'also write what agents ask to this file, as JSON lines', helpValue: 'FILE' }),
  }),
  ...connectionFlags,
};
