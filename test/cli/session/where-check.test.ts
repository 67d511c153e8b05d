import { expect, it } from 'vitest';
import type { Session } from '../../../src/cli/session/session.ts';
import { compiledAll } from '../../../src/cli/session/stream-filters.ts';
import { checkWheres } from '../../../src/cli/session/where-check.ts';
import type { ResourceType } from '../../../src/model/resource-type.ts';

const typeOf = (resource: string, namespaced = true) =>
  ({ gvr: { group: '', version: 'v1', resource }, namespaced }) as ResourceType;
const [PODS, NODES] = [typeOf('pods'), typeOf('nodes', false)];

/** A server that answers with tables of these columns, by resource; with something else, or not at all. */
function server(columns: Readonly<Record<string, readonly string[] | 'no table' | 'refused'>>) {
  const asked: string[] = [];
  const raw = async (path: string) => {
    asked.push(path);
    const names = columns[/(\w+)\?/.exec(path)?.[1] ?? ''] ?? 'refused';
    if (names === 'refused') throw new Error('forbidden');
    if (names === 'no table') return JSON.stringify({ kind: 'PodList', apiVersion: 'v1', items: [] });
    const columnDefinitions = names.map((name) => ({ name, type: 'string', format: '', description: '', priority: 0 }));
    return JSON.stringify({ kind: 'Table', apiVersion: 'meta.k8s.io/v1', columnDefinitions, rows: [] });
  };
  return { asked, session: { client: { raw }, signal: new AbortController().signal } as unknown as Session };
}

async function check(
  source: string,
  types: readonly ResourceType[],
  { session }: ReturnType<typeof server>,
  namespace?: string,
): Promise<void> {
  const { programs } = await compiledAll([source], 'where');
  await checkWheres(programs, types, namespace, session);
}

it('takes the columns that the types have, of any of them, and those that lead every row', async () => {
  const tables = server({ pods: ['Name', 'Ready Pods'], nodes: ['Name', 'Roles'] });
  for (const source of [
    'READY_PODS == "1"',
    'cells["READY PODS"] == "1" && ROLES == "x"',
    'EVENT == "ADDED" && NAMESPACE == "a"',
  ])
    await expect(check(source, [PODS, NODES], tables)).resolves.toBeUndefined();
  await expect(check('ROLES == "x"', [PODS], tables)).rejects.toMatchObject({
    code: 'argument',
    message: '--where: there is no column ROLES in ROLES == "x"',
    hint: expect.stringContaining('The columns are NAME, READY_PODS'),
  });
});

it('asks for no objects, in the namespace where there is one', async () => {
  const tables = server({ pods: ['Name'], nodes: ['Name'] });
  await check('NAME == "x"', [PODS, NODES], tables, 'shop');
  expect(tables.asked).toEqual([
    '/api/v1/namespaces/shop/pods?limit=1&includeObject=None',
    '/api/v1/nodes?limit=1&includeObject=None',
  ]);
});

it('leaves it to the stream to report a server that refuses', async () => {
  await expect(
    check('NOPE == "x"', [PODS, NODES], server({ pods: 'refused', nodes: ['Name'] })),
  ).resolves.toBeUndefined();
});

it('goes by the columns that are made here for a server that makes no tables', async () => {
  await expect(check('NAME == "x"', [PODS], server({ pods: 'no table' }))).resolves.toBeUndefined();
  await expect(check('STATUS == "x"', [PODS], server({ pods: 'no table' }))).rejects.toMatchObject({
    code: 'argument',
  });
});

it('asks nothing when there is nothing to check', async () => {
  const tables = server({});
  await checkWheres([], [PODS], undefined, tables.session);
  expect(tables.asked).toEqual([]);
});
