import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { changedPaths } from '../../src/model/changed-paths.ts';
import { type FieldChange, fieldChanges, formatPath } from '../../src/model/field-changes.ts';
import { Redactor } from '../../src/stream/redact.ts';

const short = ({ path, kind, before, after }: FieldChange) => [path, kind, before, after];
const changes = (before: object, after: object) => fieldChanges(before, after).map(short);

describe('a change has its values', () => {
  const containers = (...list: object[]) => ({ spec: { containers: list } });
  const web = { name: 'web', image: 'nginx:1' };
  test.each<[string, object, object, unknown[][]]>([
    ['of a field', { spec: { replicas: 1 } }, { spec: { replicas: 2 } }, [['.spec.replicas', 'changed', 1, 2]]],
    ['that came', { spec: {} }, { spec: { paused: true } }, [['.spec.paused', 'added', undefined, true]]],
    ['that went', { spec: { paused: true } }, { spec: {} }, [['.spec.paused', 'removed', true, undefined]]],
    ['that became null', { spec: { a: 1 } }, { spec: { a: null } }, [['.spec.a', 'changed', 1, null]]],
    ['that was null', { spec: { a: null } }, { spec: { a: 1 } }, [['.spec.a', 'changed', null, 1]]],
    [
      'in a named item',
      containers(web),
      containers({ name: 'web', image: 'nginx:2' }),
      [['.spec.containers[name=web].image', 'changed', 'nginx:1', 'nginx:2']],
    ],
    ['of an item that came', containers(), containers(web), [['.spec.containers[name=web]', 'added', undefined, web]]],
    [
      'of an item that went',
      containers(web),
      containers(),
      [['.spec.containers[name=web]', 'removed', web, undefined]],
    ],
    ['of a list of plain values', { a: [1, 2] }, { a: [1, 3] }, [['.a', 'changed', [1, 2], [1, 3]]]],
    ['by place', { a: [{ x: 1 }, { x: 2 }] }, { a: [{ x: 1 }, { x: 3 }] }, [['.a[1].x', 'changed', 2, 3]]],
    ['of another kind', { a: [1] }, { a: { b: 1 } }, [['.a', 'changed', [1], { b: 1 }]]],
  ])('%s', (_, before, after, expected) => {
    expect(changes(before, after)).toEqual(expected);
  });
});

test('the steps of a path make its text', () => {
  const [change] = fieldChanges({ a: [{ name: 'x y', 'k.l': 1 }] }, { a: [{ name: 'x y', 'k.l': 2 }] });
  expect(change?.path).toBe(".a[name='x y']['k.l']");
  expect(formatPath(change?.steps ?? [])).toBe(change?.path);
  expect(change?.steps.map(({ kind }) => kind)).toEqual(['field', 'item', 'field']);
});

test('has the paths of changedPaths, in their order, for any JSON', () => {
  const map = fc.dictionary(fc.string(), fc.jsonValue());
  fc.assert(
    fc.property(map, map, (a, b) => {
      const [x, y] = [JSON.parse(JSON.stringify(a)), JSON.parse(JSON.stringify(b))];
      const found = fieldChanges(x, y);
      expect(found.map(({ path }) => path)).toEqual(changedPaths(x, y));
      for (const { kind, before, after } of found) {
        expect(kind).toBe(before === undefined ? 'added' : after === undefined ? 'removed' : 'changed');
      }
    }),
  );
});

test('of redacted Secrets shows digests and no value', () => {
  const redactor = new Redactor();
  const secret = (password: string) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 's',
      annotations: { 'kubectl.kubernetes.io/last-applied-configuration': `{"stringData":"${password}"}` },
    },
    data: { password: Buffer.from(password).toString('base64'), same: 'c2FtZQ==' },
    stringData: { token: password },
  });
  const found = fieldChanges(redactor.redact(secret('first-marker')), redactor.redact(secret('second-marker')));
  expect(found.map(({ path }) => path)).toEqual([
    ".metadata.annotations['kubectl.kubernetes.io/last-applied-configuration']",
    '.data.password',
    '.stringData.token',
  ]);
  for (const { before, after } of found) {
    expect(before).toMatch(/^hmac:[0-9a-f]{8}$/);
    expect(after).toMatch(/^hmac:[0-9a-f]{8}$/);
    expect(after).not.toBe(before);
  }
});
