import { group, list, text } from './flag.ts';
import { cachedNamespaces } from './serve-flags.ts';
import { connectionFlags } from './shared-flags.ts';

/** The flags of `mcp`. */
export const mcpFlags = {
  ...group('CACHE', {
    ...cachedNamespaces,
    index: list({ summary: 'an index that agents may use by its name', helpValue: 'NAME=EXPRESSION' }),
  }),
  ...group('LOG', {
    'log-file': text({ summary: 'also write what agents ask to this file, as JSON lines', helpValue: 'FILE' }),
  }),
  ...connectionFlags,
};
