import { expect, it } from 'vitest';
import { valuesOf } from '../../../src/cli/args/flag.ts';
import { type ConfigurableFlags, configurableFlags } from '../../../src/cli/args/reconcile-flags.ts';
import { checkFinalizer, ignoredNotice, mergedConfig, triggerFiltersOf } from '../../../src/cli/reconcile/config.ts';
import type { HookConfig } from '../../../src/hooks/manifest.ts';

const NO_FLAGS: ConfigurableFlags = valuesOf(configurableFlags, new Map());
const hook = (config: HookConfig) => ({
  name: 'hook.ts',
  config,
  form: 'module' as const,
  hasStartup: false,
  create: () => ({ name: 'hook.ts', run: async () => undefined }),
});

it('a namespace given by flag is never widened by a hook’s config, nor -A narrowed', () => {
  const scoped = mergedConfig({ ...NO_FLAGS, namespace: ['other'] }, hook({ allNamespaces: true }));
  expect(scoped).toMatchObject({ namespace: ['other'] });
  expect(scoped.allNamespaces).toBeUndefined();
  const open = mergedConfig({ ...NO_FLAGS, 'all-namespaces': true }, hook({ namespace: ['shop'] }));
  expect(open).toMatchObject({ allNamespaces: true });
  expect(open.namespace).toBeUndefined();
  expect(mergedConfig(NO_FLAGS, hook({ allNamespaces: true, workers: 3 }))).toMatchObject({
    allNamespaces: true,
    workers: 3,
  });
});

it('only the operator can allow a hook more, and a hook that asks for it is reported', () => {
  const asking = hook({ allowWrite: true, passCredentials: true, showSecrets: true });
  const without = { allowWrite: false, passCredentials: false, showSecrets: false };
  expect(mergedConfig(NO_FLAGS, asking)).toMatchObject(without);
  expect(ignoredNotice(NO_FLAGS, asking)).toBe(
    'the config of hook.ts asks for what only a flag can give: --allow-write, --pass-credentials, --show-secrets',
  );
  const allowed = { ...NO_FLAGS, 'allow-write': true, 'pass-credentials': true, 'show-secrets': true };
  expect(ignoredNotice(allowed, asking)).toBeUndefined();
  expect(mergedConfig(allowed, asking)).toMatchObject({ allowWrite: true, passCredentials: true, showSecrets: true });
});

it('a finalizer goes with no selector, which an object could leave with the finalizer on it', () => {
  expect(() => checkFinalizer({ finalizer: 'example.com/f', selector: 'app=web' })).toThrow(
    '--finalizer cannot be combined with a selector',
  );
  expect(() => checkFinalizer({ finalizer: 'example.com/f', fieldSelector: 'a=b' })).toThrow('--finalizer');
  checkFinalizer({ finalizer: 'example.com/f' });
  for (const finalizer of ['foo', 'kubernetes', '/f', 'example.com/', 'Example.com/f', 'a/b/c', 'example.com/f g', ''])
    expect(() => checkFinalizer({ finalizer })).toThrow('--finalizer must be a name such as example.com/cleanup');
  checkFinalizer({ selector: 'app=web' });
});

it.each([
  ['5', 'expected a number of writes per time such as "100/m"'],
  ['0/m', 'expected at least one write in some time'],
  ['5/x', 'expected a number of writes per time such as "100/m"'],
  ['5/3y', 'expected a number of writes per time such as "100/m"'],
])('--max-writes %s is refused as a flag, without a word about a config', (text, why) => {
  const merged = () => mergedConfig({ ...NO_FLAGS, 'max-writes': text }, hook({}));
  expect(merged).toThrow(why);
  expect(merged).toThrow(new RegExp(`^(?!.*config).*invalid argument "${text}" for "--max-writes": `));
});

it('filters of the flags replace those of the config, key by key; an unknown part has the nearest name', async () => {
  const merged = mergedConfig(
    { ...NO_FLAGS, filter: ['true'] },
    hook({ filter: ['false'], watchOnly: true, on: ['left'] }),
  );
  expect(merged).toMatchObject({ filter: ['true'], watchOnly: true, on: ['left'] });
  expect(merged).not.toHaveProperty('noNoise');
  expect((await triggerFiltersOf(merged)).rules).toMatchObject({ watchOnly: true, on: new Set(['LEFT']) });
  await expect(triggerFiltersOf({ predicate: ['generations' as 'generation'] })).rejects.toMatchObject({
    code: 'argument',
    hint: 'did you mean generation?',
  });
});
