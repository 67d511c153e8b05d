import { expect, it } from 'vitest';
import { parseManifests } from '../../../src/sandbox/index.ts';

it('reads manifests: documents, lists, JSON, octal modes, text that looks like dates', () => {
  const objects = parseManifests(`
# a comment alone
---
apiVersion: v1
kind: ConfigMap
metadata: {name: a}
data: {day: 2026-01-01, yes: "yes"}
---
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Secret, metadata: {name: b}, mode: 0644}
- {apiVersion: v1, kind: PodList, items: [{apiVersion: v1, kind: Pod, metadata: {name: c}}]}
---
{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "d"}}
`);
  expect(objects.map((o) => `${o.kind} ${o.metadata.name}`)).toEqual([
    'ConfigMap a',
    'Secret b',
    'Pod c',
    'Namespace d',
  ]);
  expect(objects[0]?.data).toEqual({ day: '2026-01-01', yes: 'yes' });
  expect(objects[1]?.mode).toBe(0o644);
});

it.each([
  ['a: [', 'cannot read deploy.yaml'],
  ['just text', 'deploy.yaml holds a document that is no Kubernetes object'],
  ['kind: Pod\nmetadata: {name: x}', 'deploy.yaml holds a document that is no Kubernetes object'],
])('refuses the manifest %j', (text, message) => {
  expect(() => parseManifests(text, 'deploy.yaml')).toThrow(message);
});

it('refuses, with its source, a manifest whose aliases make millions of values of a few hundred bytes', () => {
  const bomb = Array.from({ length: 9 }, (_, i) =>
    i === 0 ? 'a0: &a0 [x, x, x, x, x, x, x, x, x]' : `a${i}: &a${i} [${Array(9).fill(`*a${i - 1}`)}]`,
  );
  const text = ['apiVersion: v1', 'kind: ConfigMap', 'metadata: {name: bomb}', ...bomb].join('\n');
  expect(text.length).toBeLessThan(600);
  expect(() => parseManifests(text, 'bomb.yaml')).toThrow(
    'cannot read bomb.yaml: yaml: document contains excessive aliasing',
  );
  const fair = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: fair, labels: &l {a: b}}\ndata: *l';
  expect(parseManifests(fair)).toMatchObject([{ data: { a: 'b' } }]);
});

it('refuses objects nested too deep, and keeps large numbers exact', () => {
  const deep = `{"apiVersion":"v1","kind":"X","metadata":{},"a":${'['.repeat(1_100)}${']'.repeat(1_100)}}`;
  expect(() => parseManifests(deep, 'deep.json')).toThrow(/^cannot read deep.json: /);
  const [object] = parseManifests('{apiVersion: v1, kind: X, metadata: {}, a: 9007199254740993}');
  expect(object?.a).toBe(9_007_199_254_740_993n);
});

it('merges keys of YAML 1.1, and shows no line of a file that it cannot read', () => {
  const [object] = parseManifests('apiVersion: v1\nkind: X\nmetadata: &m {name: a}\ncopy: {<<: *m, b: c}');
  expect(object?.copy).toEqual({ name: 'a', b: 'c' });
  let message = '';
  try {
    parseManifests('data:\n  password: hunter2\n   bad: x', 's.yaml');
  } catch (error) {
    message = String(error);
  }
  expect(message).toContain('cannot read s.yaml');
  expect(message).not.toContain('hunter2');
});
