import { expect, it } from 'vitest';
import type { ReadonlyObject, UnknownObject } from '../../../src/model/object.ts';
import type { ResourceType } from '../../../src/model/resource-type.ts';
import type { IndexDefinition } from '../../../src/query/index/index-definition.ts';
import { indexValues } from '../../../src/serve/ui/index-values.ts';
import type { UiCache } from '../../../src/serve/ui/ui-program.ts';
import { Redactor } from '../../../src/stream/redact.ts';
import { uiProgram } from '../../support/ui.ts';

const pod = (name: string, nodeName?: string) =>
  ({
    metadata: { name, namespace: 'shop' },
    ...(nodeName === undefined ? {} : { spec: { nodeName } }),
  }) as UnknownObject;

/** The values of an index among these objects. */
function valuesOf(
  objects: readonly UnknownObject[],
  name: string,
  { resource = 'pods', declared = [] as readonly IndexDefinition[] } = {},
) {
  const type = { gvr: { group: '', version: 'v1', resource }, kind: 'Pod', namespaced: true } as ResourceType;
  const cache = { id: 'v1/x', type, informer: { lister: { view: () => objects, values: () => objects.values() } } };
  const program = uiProgram([cache as unknown as UiCache], { declared });
  return indexValues(program, { question: { type: 'v1/x' }, name }, new Redactor());
}

it('the values of an index are counted, the most frequent first, with how many objects have none', async () => {
  const objects = [pod('a', 'n1'), pod('b', 'n2'), pod('c', 'n2'), pod('d'), pod('e')];
  expect(await valuesOf(objects, 'node')).toEqual({
    values: [
      ['n2', 2],
      ['n1', 1],
    ],
    distinct: 2,
    objects: 5,
    without: 2,
    isRedacted: false,
  });
});

it('at most 500 values of an index are listed, each with at most 300 characters, and all are counted', async () => {
  const names = Array.from({ length: 501 }, (_, i) => `n${String(i).padStart(3, '0')}`);
  const { values, distinct } = await valuesOf(
    names.map((name) => pod(name, name)),
    'node',
  );
  expect([values.length, values.at(-1), distinct]).toEqual([500, ['n499', 1], 501]);
  const cut = async (length: number) => (await valuesOf([pod('a', 'x'.repeat(length))], 'node')).values[0]?.[0];
  expect([await cut(300), await cut(301)]).toEqual(['x'.repeat(300), `${'x'.repeat(300)}…`]);
});

it('values of Secrets are counted by their digests, so that equal ones still count together', async () => {
  const secret = (name: string, value: string) =>
    ({ metadata: { name, namespace: 'shop' }, data: { k: value } }) as UnknownObject;
  const objects = [secret('a', 'eA=='), secret('b', 'eA=='), secret('c', 'eQ==')];
  const keyOf = ({ data }: ReadonlyObject) => [String((data as { k: string }).k)];
  const declared = [{ name: 'k', key: 'k', from: '.data.k', stable: true, valuesOf: keyOf }];
  const { values, isRedacted } = await valuesOf(objects, 'k', { resource: 'secrets', declared });
  expect([values.map(([, count]) => count), isRedacted]).toEqual([[2, 1], true]);
  for (const [value] of values) expect(value).toMatch(/^hmac:/);
});

it('values are refused where no index is named', async () => {
  await expect(valuesOf([], undefined as never)).rejects.toMatchObject({
    code: 'argument',
    message: 'no index is named',
  });
});
