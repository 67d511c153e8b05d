import { expect, it } from 'vitest';
import { absentNamespaces } from '../../../src/cli/hints/absent-namespaces.ts';
import type { HintPlan } from '../../../src/cli/hints/hint.ts';
import type { ResourceType } from '../../../src/model/resource-type.ts';
import { parseOutputFormat } from '../../../src/output/formats.ts';
import { factsOf, serverOf } from '../../support/hints.ts';
import { inProcess } from '../../support/in-process.ts';

const POD = { gvr: { group: '', version: 'v1', resource: 'pods' }, kind: 'Pod', namespaced: true } as ResourceType;
const namespace = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

/** The lines on pods that are all in the namespace shop, and the requests they took. */
async function hintsOn(namespaces: readonly string[], plan: Partial<HintPlan> = {}) {
  await using server = await inProcess({ objects: ['shop', 'empty'].map(namespace) });
  const samples = [{ type: POD, objects: [{ metadata: { name: 'a', namespace: 'shop' } }] }];
  const lines = await absentNamespaces(factsOf(samples, { namespaces, ...plan }), serverOf(server.client));
  return { lines, requests: server.sent.length };
}

it('names a namespace that does not exist, with the one that it resembles', async () => {
  expect(await hintsOn(['shop', 'shpo', 'elsewhere'])).toEqual({
    lines: ['namespace "shpo" does not exist; did you mean "shop"?', 'namespace "elsewhere" does not exist'],
    requests: 3,
  });
});

it('asks about namespaces of which nothing was found, and lists them only where one does not exist', async () => {
  expect(await hintsOn(['shop'])).toEqual({ lines: [], requests: 0 });
  expect(await hintsOn(['shop', 'empty'])).toEqual({ lines: [], requests: 1 });
});

it('asks nothing for all namespaces, and with --ignore-not-found', async () => {
  expect(await hintsOn([''])).toEqual({ lines: [], requests: 0 });
  expect(await hintsOn(['shpo'], { ignoreNotFound: true })).toEqual({ lines: [], requests: 0 });
});

it('is silent, where data is printed, of a name that resembles none', async () => {
  const format = parseOutputFormat('json');
  expect((await hintsOn(['elsewhere'], { format })).lines).toEqual([]);
  expect((await hintsOn(['shpo'], { format })).lines).toEqual([
    'namespace "shpo" does not exist; did you mean "shop"?',
  ]);
});
