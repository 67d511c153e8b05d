import { describe, expect, it } from 'vitest';
import { triggerFiltersOf } from '../../../src/cli/reconcile/config.ts';
import { blaming, checkTriggers } from '../../../src/cli/reconcile/trigger-checks.ts';
import type { HookConfig } from '../../../src/hooks/manifest.ts';
import { InformerError } from '../../../src/kit/error.ts';

const check = async (config: HookConfig) => checkTriggers(config, await triggerFiltersOf(config));

describe('flags that leave each other nothing to do', () => {
  it.each<[HookConfig, string]>([
    [{ on: ['added'], changed: ['.spec'] }, '--changed does nothing beside --on without modified'],
    [{ on: ['deleted'], ignoreChanges: ['.status'] }, '--ignore-changes does nothing beside --on without modified'],
    [{ on: ['added', 'deleted'], predicate: ['spec'] }, '--predicate does nothing beside --on without modified'],
    [{ on: ['added'], noNoise: true }, '--no-noise does nothing beside --on without modified'],
    [{ on: ['added', 'left'] }, '--on left does nothing without an expression about objects'],
    [{ on: ['left'], filter: ['event == "MODIFIED"'] }, '--on left does nothing without an expression about objects'],
    [{ finalizer: 'a.b/c', watchOnly: true }, '--finalizer cannot be combined with --watch-only'],
    [{ finalizer: 'a.b/c', on: ['deleted'] }, '--finalizer cannot be combined with --on without added'],
    [{ maxRetries: 0, retryBaseMs: 5 }, '--retry-base does nothing beside --max-retries 0'],
    [{ maxRetries: 0, retryQps: 5 }, '--retry-qps does nothing beside --max-retries 0'],
  ])('%j are refused', async (config, message) => {
    await expect(check(config)).rejects.toMatchObject({ code: 'argument', message: expect.stringContaining(message) });
  });

  it.each<HookConfig>([
    {},
    { on: ['modified'], changed: ['.spec'], noNoise: true },
    { on: ['left'], where: ['STATUS == "Failed"'] },
    { on: ['added', 'modified'], finalizer: 'a.b/c', filter: ['true'] },
    { maxRetries: 1, retryBaseMs: 5 },
    { watchOnly: true, on: ['added', 'deleted'] },
  ])('%j go together', async (config) => {
    await check(config);
  });
});

it('a value that only the hook’s config has is blamed on it, and one of the command line is not', () => {
  const error = new InformerError('argument', '--filter: cannot parse', { hint: 'write CEL' });
  const hook = { name: 'guard.ts', config: { filter: ['x'] } };
  expect(blaming(error, hook, { filter: undefined })).toMatchObject({
    code: 'argument',
    message: 'the config of hook guard.ts: --filter: cannot parse',
    hint: 'write CEL',
  });
  expect(blaming(error, hook, { filter: ['y'] })).toBe(error);
  expect(blaming(error, { name: 'guard.ts', config: { where: ['x'] } }, {})).toBe(error);
  const other = new Error('--filter');
  expect(blaming(other, hook, {})).toBe(other);
});
