import { expect, test } from 'vitest';
import { type Cells, cellsOf, withCells } from '../../../src/model/cells.ts';
import { loadPainter } from '../../../src/output/painter.ts';
import { factsOf, type PrintedTree, treeTable } from '../../../src/output/tables/tree-table.ts';

const NOW = Date.parse('2026-01-01T01:00:00Z');

function node(kind: string, name: string, cells: Record<string, unknown> = {}, children: PrintedTree[] = []): PrintedTree {
  const columns = Object.keys(cells).map((heading) => ({ name: heading, type: 'string', format: '', priority: 0 }));
  const object = { metadata: { name, namespace: 'shop', creationTimestamp: '2026-01-01T00:00:00Z' } };
  const type = { gvr: { group: kind === 'Pod' ? '' : 'apps', version: 'v1', resource: `${kind.toLowerCase()}s` }, kind };
  return { item: { object: withCells(object, { columns, cells: Object.values(cells) }), type }, isAsked: kind === 'Deployment', children };
} // biome-ignore format: one line a step

const set = (name: string, ready: number, ...children: PrintedTree[]) =>
  node('ReplicaSet', name, { Desired: ready, Current: ready, Ready: ready }, children);
const pod = (name: string, status = 'Running') =>
  node('Pod', name, { Ready: '1/1', Status: status, Restarts: '2 (5m ago)' });
const TREE = node('Deployment', 'web', { Ready: '2/2' }, [set('web-1', 0), set('web-2', 0), set('web-3', 2, pod('a'), pod('b', 'CrashLoopBackOff'))]); // biome-ignore format: one line

const OPTIONS = { now: NOW, noHeaders: false, withNamespace: false, ascii: false };
const lines = (options: Partial<typeof OPTIONS> = {}, trees = [TREE]) =>
  treeTable(trees, { ...OPTIONS, ...options }).trimEnd().split('\n').map((line) => line.trimEnd()); // biome-ignore format: short

test('a row has its branch, readiness, status, restarts and age; ReplicaSets without pods are counted', () => {
  expect(lines()).toEqual([
    'NAME                              READY   STATUS             RESTARTS     AGE',
    'deployment.apps/web               2/2                                     60m',
    '├─ replicaset.apps/web-3          2/2                                     60m',
    '│  ├─ pod/a                       1/1     Running            2 (5m ago)   60m',
    '│  └─ pod/b                       1/1     CrashLoopBackOff   2 (5m ago)   60m',
    '└─ (2 ReplicaSets without pods)',
  ]);
});

test('a terminal without Unicode gets branches of ASCII; several namespaces have their column', () => {
  expect(lines({ ascii: true, noHeaders: true }).map((line) => line.split(/ {3,}/)[0])).toEqual([
    'deployment.apps/web',
    '|- replicaset.apps/web-3',
    '|  |- pod/a',
    '|  `- pod/b',
    '`- (2 ReplicaSets without pods)',
  ]);
  expect(lines({ withNamespace: true }).slice(0, 2).map((line) => line.split(/ +/).slice(0, 2))).toEqual([['NAMESPACE', 'NAME'], ['shop', 'deployment.apps/web']]); // biome-ignore format: one line
});

test('colours are those of tables, and change no width', async () => {
  const text = treeTable([TREE], { ...OPTIONS, painter: await loadPainter(1) });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours
  expect(text.replace(/\x1b\[[\d;]*m/g, '')).toBe(treeTable([TREE], OPTIONS));
  expect(text).toContain('\x1b[31mCrashLoopBackOff');
});

test('readiness is what the type has for it', () => {
  expect(factsOf(node('Job', 'j', { Status: 'Complete', Completions: '1/1' }).item, 0)).toEqual({ ready: '1/1', status: 'Complete', restarts: '' }); // biome-ignore format: one line
  expect(factsOf(node('Thing', 't', { Ready: 'True', Phase: 'Up' }).item, 0)).toMatchObject({
    ready: 'True',
    status: 'Up',
  });
  expect(factsOf(node('Thing', 't').item, 0)).toEqual({ ready: '', status: '', restarts: '' });
});

test('restarts are as long ago as at the time of printing', () => {
  const { item } = node('Pod', 'p', { Restarts: '3 (1s ago)' });
  const object = withCells({ ...item.object }, { ...(cellsOf(item.object) as Cells), at: 0 });
  expect(factsOf({ ...item, object }, 3_600_000).restarts).toBe('3 (60m ago)');
});
