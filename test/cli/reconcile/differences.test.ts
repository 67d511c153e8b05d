import { expect, it } from 'vitest';
import { actionDifferences, differences, objectDifferences } from '../../../src/cli/reconcile/differences.ts';

it('names each field that differs, with both values, also one that only one side has', () => {
  const wanted = { spec: { replicas: 3, paused: true, ports: [{ port: 80 }, { port: 81 }] }, same: [1] };
  const seen = { spec: { replicas: 4, extra: null, ports: [{ port: 80 }, { port: 82 }] }, same: [1] };
  expect(differences(wanted, seen)).toEqual([
    '.spec.replicas is 4, expected 3',
    '.spec.paused is not there, expected true',
    '.spec.ports[1].port is 82, expected 81',
    '.spec.extra is null, expected not there',
  ]);
  expect(differences(wanted, structuredClone(wanted))).toEqual([]);
});

it('shows lists of different lengths, and values of different types, as a whole', () => {
  expect(differences({ a: [1], b: [1], c: '1' }, { a: [1, 2], b: { 0: 1 }, c: 1 })).toEqual([
    '.a is [1,2], expected [1]',
    '.b is {"0":1}, expected [1]',
    '.c is 1, expected "1"',
  ]);
  expect(differences(1, 2)).toEqual(['it is 2, expected 1']);
});

it('with a subset, lets fields that are not named have any value, at every depth', () => {
  const wanted = { spec: { ports: [{ port: 80 }] } };
  expect(differences(wanted, { spec: { ports: [{ port: 80, name: 'web' }], type: 'X' }, status: {} }, true)).toEqual(
    [],
  );
  expect(differences(wanted, { spec: {} }, true)).toEqual(['.spec.ports is not there, expected [{"port":80}]']);
});

it('shows no value of an object that is a Secret, on whichever side', () => {
  const secret = { kind: 'Secret', data: { v: 'YQ==' } };
  const other = { kind: 'Secret', data: { v: 'Yg==\nmore' } };
  expect(objectDifferences(secret, other)).toEqual(['.data.v is another one than expected']);
  for (const [wanted, seen] of [
    [{}, secret],
    [secret, {}],
  ])
    expect(objectDifferences(wanted, seen).join()).not.toContain('YQ==');
  expect(objectDifferences({ kind: 'Pod', a: 1 }, { kind: 'Pod', a: 2 })).toEqual(['.a is 2, expected 1']);
});

it('of actions, shows no value of one that is about a Secret, and the others in full', () => {
  const action = (verb: string, v: string) => ({ verb, body: { v } });
  const isSecret = ({ body }: { body: { v: string } }) => body.v.startsWith('secret');
  const compare = (wanted: { verb: string; body: { v: string } }[], seen: typeof wanted) =>
    actionDifferences(wanted, seen, isSecret);
  expect(
    compare([action('patch', 'a'), action('apply', 'secret 1')], [action('patch', 'b'), action('apply', 'secret 2')]),
  ).toEqual(['actions[0].body.v is "b", expected "a"', 'actions[1].body.v is another one than expected']);
  expect(compare([action('apply', 'secret 1')], [])).toEqual(['actions are none, expected apply']);
  expect(compare([action('delete', 'a')], [action('apply', 'secret')])).toEqual(['actions are apply, expected delete']);
  expect(compare([action('apply', 'secret')], [action('apply', 'secret')])).toEqual([]);
  expect(compare([action('patch', 'a')], [])).toEqual(['actions is [], expected [{"verb":"patch","body":{"v":"a"}}]']);
});
