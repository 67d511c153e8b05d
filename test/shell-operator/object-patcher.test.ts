import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ActionOutcome } from '../../src/hooks/action-runner.ts';
import { unlimitedWrites } from '../../src/hooks/actions/write-budget.ts';
import { jsonText } from '../../src/kit/exact-json.ts';
import { ObjectPatcher } from '../../src/shell-operator/object-patcher.ts';
import { readOperations } from '../../src/shell-operator/patch-operations.ts';
import { settled } from '../../src/testing/fake-clock.ts';
import { cluster } from '../support/hook-cluster.ts';

let shop: Awaited<ReturnType<typeof cluster>>;
beforeEach(async () => {
  shop = await cluster();
});
afterEach(() => shop.sandbox.stop());

/** A jq that knows one expression. */
const jq = async (expression: string) => ({
  apply: async ([text = '']: readonly string[]) => {
    if (expression === 'fails') return [new Error('cannot')];
    return [expression === '.' ? text : (jsonText({ ...JSON.parse(text), data: { x: expression } }) as string)];
  },
});

async function apply(written: string | object[], mode: 'write' | 'dry-run' | 'describe' = 'write') {
  const outcomes: ActionOutcome[] = [];
  const patcher = new ObjectPatcher({
    client: shop.client,
    mode,
    budget: unlimitedWrites,
    clock: shop.clock,
    maySeeSecrets: false,
    redact: (object) => object,
    report: (of) => outcomes.push(...of),
    jq,
  });
  const text = typeof written === 'string' ? written : written.map((each) => JSON.stringify(each)).join('\n');
  const operations = await readOperations(text);
  const error = await patcher.apply(operations, 'a.sh/b', new AbortController().signal).catch((e) => e);
  return { error, outcomes };
}

/** Lets time pass until it is done, and a little longer: the garbage collector works at its own pace. */
async function passing<T>(done: Promise<T>): Promise<T> {
  let left = 40;
  void done.finally(() => {
    left = Math.min(left, 3);
  });
  for (; left > 0; left--) {
    await settled();
    shop.clock.advance(1_000);
    await settled();
  }
  return await done;
}

const MAP = (name: string, data: object = { x: '1' }) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'shop' },
  data,
});
const dataOf = (name: string) => (shop.find('v1/configmaps', `shop/${name}`) as { data?: object } | undefined)?.data;
const NAMED = { kind: 'ConfigMap', namespace: 'shop', name: 'a' };

describe('the operations of a hook', () => {
  it.each<[string, object[] | string, object | undefined]>([
    ['Create', [{ operation: 'Create', object: MAP('new', { y: '2' }) }], { new: { y: '2' } }],
    [
      'Create of a text',
      [{ operation: 'Create', object: JSON.stringify(MAP('new', { y: '2' })) }],
      { new: { y: '2' } },
    ],
    ['CreateIfNotExists', [{ operation: 'CreateIfNotExists', object: MAP('a', { y: '2' }) }], { a: { x: '1' } }],
    ['CreateOrUpdate', [{ operation: 'CreateOrUpdate', object: MAP('a', { y: '2' }) }], { a: { y: '2' } }],
    ['CreateOrUpdate of a new one', [{ operation: 'CreateOrUpdate', object: MAP('new') }], { new: { x: '1' } }],
    ['DeleteInBackground', [{ operation: 'DeleteInBackground', ...NAMED }], { a: undefined }],
    ['DeleteNonCascading', [{ operation: 'DeleteNonCascading', ...NAMED, apiVersion: 'v1' }], { a: undefined }],
    ['Delete', [{ operation: 'Delete', ...NAMED, kind: 'configmaps' }], { a: undefined }],
    ['Delete of a missing object', [{ operation: 'Delete', ...NAMED, name: 'none' }], {}],
    [
      'MergePatch',
      [{ operation: 'MergePatch', ...NAMED, kind: 'cm', mergePatch: { data: { y: '2' } } }],
      { a: { x: '1', y: '2' } },
    ],
    [
      'MergePatch of a text',
      'operation: MergePatch\nkind: ConfigMap\nnamespace: shop\nname: a\nmergePatch: |\n  data:\n    y: "2"\n',
      { a: { x: '1', y: '2' } },
    ],
    ['JSONPatch', [{ operation: 'JSONPatch', ...NAMED, jsonPatch: [{ op: 'remove', path: '/data/x' }] }], { a: {} }],
    [
      'JSONPatch of a text',
      [{ operation: 'JSONPatch', ...NAMED, jsonPatch: '[{"op":"replace","path":"/data/x","value":"2"}]' }],
      { a: { x: '2' } },
    ],
    ['JQPatch', [{ operation: 'JQPatch', ...NAMED, jqFilter: 'two' }], { a: { x: 'two' } }],
    [
      'a missing object that is ignored',
      [{ operation: 'MergePatch', ...NAMED, name: 'none', mergePatch: { data: {} }, ignoreMissingObject: true }],
      {},
    ],
    [
      'several documents',
      `operation: Create\nobject:\n  apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: one, namespace: shop}\n---\noperation: Delete\nkind: ConfigMap\nnamespace: shop\nname: a\n`,
      { one: undefined, a: undefined },
    ],
  ])('are carried out: %s', async (_, written, expected) => {
    const { error } = await passing(apply(written));
    expect(error).toBeUndefined();
    for (const [name, data] of Object.entries(expected ?? {})) expect(dataOf(name) ?? undefined).toEqual(data);
  });

  it('change a subresource', async () => {
    const named = { kind: 'Deployment', namespace: 'shop', name: 'web', subresource: '/status' };
    const { error } = await apply([
      { operation: 'MergePatch', ...named, mergePatch: { status: { observedGeneration: 7 } } },
    ]);
    expect(error).toBeUndefined();
    expect(shop.find('apps/v1/deployments', 'shop/web')).toMatchObject({ status: { observedGeneration: 7 } });
  });

  it('send nothing where a JQPatch changes nothing', async () => {
    const { outcomes } = await apply([{ operation: 'JQPatch', ...NAMED, jqFilter: '.' }]);
    expect(outcomes).toEqual([]);
    expect(shop.requests().filter((each) => each.startsWith('PUT'))).toEqual([]);
  });

  it('wait until an object is gone that is deleted in the foreground, up to 20 s', async () => {
    shop.sandbox.apply([{ ...MAP('held'), metadata: { ...MAP('held').metadata, finalizers: ['a.example.com/x'] } }]);
    const { error } = await passing(apply([{ operation: 'Delete', ...NAMED, name: 'held' }]));
    expect(error.message).toContain('it is not gone after 20 s');
  });

  it('go on after a failure, and fail with all of them', async () => {
    const { error } = await apply([
      { operation: 'Create', object: MAP('a') },
      { operation: 'MergePatch', ...NAMED, name: 'none', mergePatch: { data: {} } },
      { operation: 'MergePatch', ...NAMED, mergePatch: { data: { y: '2' } } },
      { operation: 'JQPatch', ...NAMED, jqFilter: 'fails' },
      { operation: 'Delete', kind: 'Gadget', namespace: 'shop', name: 'a' },
    ]);
    expect(error.message).toMatch(/^Create ConfigMap shop\/a: .*exists; MergePatch ConfigMap shop\/none: .*not found/);
    expect(error.message).toMatch(
      /JQPatch ConfigMap shop\/a: cannot; Delete Gadget shop\/a: the server has no kind Gadget/,
    );
    expect(dataOf('a')).toEqual({ x: '1', y: '2' });
  });

  it('are only shown without permission to write, and checked in a dry run', async () => {
    const written = [
      { operation: 'MergePatch', ...NAMED, mergePatch: { data: { y: '2' } } },
      { operation: 'Delete', ...NAMED },
    ];
    const shown = await apply(written, 'describe');
    expect(shown.outcomes.map(({ mode, verb, subject }) => [mode, verb, subject])).toEqual([
      ['describe', 'patch', 'a.sh/b'],
      ['describe', 'delete', 'a.sh/b'],
    ]);
    const checked = await apply(written, 'dry-run');
    expect(checked.outcomes[0]).toMatchObject({ before: { data: { x: '1' } }, after: { data: { x: '1', y: '2' } } });
    expect(dataOf('a')).toEqual({ x: '1' });
  });

  it.each<[string, object[] | string, string]>([
    [
      'an unknown operation',
      [{ operation: 'Patch', ...NAMED }],
      'operation 1 in KUBERNETES_PATCH_PATH cannot be used: operation must be one of',
    ],
    ['a create without its object', [{ operation: 'Create' }], 'object is missing'],
    ['an object without its kind', [{ operation: 'Create', object: { apiVersion: 'v1' } }], 'object.kind is missing'],
    ['a deletion without a name', [{ operation: 'Delete', kind: 'Pod' }], 'name is missing'],
    ['a patch without itself', [{ operation: 'MergePatch', ...NAMED }], 'mergePatch is missing'],
    ['a patch of another type', [{ operation: 'JSONPatch', ...NAMED, jsonPatch: {} }], 'jsonPatch must be a list'],
    ['no text of operations', 'a: [', 'KUBERNETES_PATCH_PATH has neither JSON nor YAML'],
    ['a misspelt field', [{ operation: 'Delete', ...NAMED, nam: 'x' }], 'nam is no known field; did you mean name?'],
  ])('are refused before the first is sent: %s', async (_, written, why) => {
    await expect(apply(written)).rejects.toThrow(why);
  });
});
