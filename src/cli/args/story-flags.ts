import { InformerError } from '../../kit/error.ts';
import type { Given } from './argv.ts';
import { bool, count, group } from './flag.ts';
import { connectionFlags } from './shared-flags.ts';
import { isTyped } from './useless-flags.ts';

/** The flags of commands that show a story. */
export const storyFlags = group('STORY', {
  story: bool({
    summary: 'one object and all that it owns: why it is not ready, then changes, Events, starts and ends in order',
  }),
  logs: count({ summary: 'with --story: the last N log lines of each container that fails', min: 1 }),
});

/** Refuses the flags that have no effect beside `--story`. Throws `argument`. */
export function checkStory(given: ReadonlyMap<string, Given>, takes: readonly string[]): void {
  const known = new Set([...Object.keys(connectionFlags), ...Object.keys(storyFlags), ...GENERAL, ...takes]);
  const useless = [...given.keys()].find((name) => !known.has(name) && isTyped(given, name));
  if (useless === undefined) return;
  throw new InformerError('argument', `--${useless} does nothing beside --story`, {
    hint: 'a story is of one object, with all that it owns; leave out one of them',
  });
}

const GENERAL = ['namespace', 'output', 'color', 'show-secrets', 'no-serve', 'quiet', 'log-format', 'watch'];
