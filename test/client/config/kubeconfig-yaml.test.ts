import { describe, expect, it } from 'vitest';
import { KUBECONFIG_HINT, parseKubeconfigYaml } from '../../../src/client/config/kubeconfig-yaml.ts';

describe('parseKubeconfigYaml', () => {
  it.each<[string, string, unknown]>([
    ['YAML 1.1 booleans', 'a: yes\nb: no\nc: on\nd: off', { a: true, b: false, c: true, d: false }],
    [
      'merge keys',
      'one: &one {a: "1", b: "2"}\ntwo: {<<: *one, b: "3"}',
      { one: { a: '1', b: '2' }, two: { a: '1', b: '3' } },
    ],
    ['dates as text', 'a: 2026-01-01', { a: '2026-01-01' }],
    ['the last of two equal keys', 'a: one\na: two', { a: 'two' }],
    ['the first document only', 'a: one\n---\na: two', { a: 'one' }],
    ['JSON', '{"a": ["b"]}', { a: ['b'] }],
  ])('reads %s', async (_, text, expected) => {
    expect(await parseKubeconfigYaml(text, '/k')).toEqual(expected);
  });

  it.each(['', '\n', '# a comment\n'])('%j has no document', async (text) => {
    expect((await parseKubeconfigYaml(text, '/k')) ?? undefined).toBeUndefined();
  });

  it('names the file and the place of a fault, and quotes no part of the text', async () => {
    const error = await parseKubeconfigYaml('users:\n- token: hush\n  other: [hush', '/home/me/config').catch(
      (e: unknown) => e,
    );
    expect(error).toMatchObject({ code: 'config', hint: KUBECONFIG_HINT });
    expect((error as Error).message).toMatch(
      /^error loading config file "\/home\/me\/config": .*\(line \d+, column \d+\)$/,
    );
    expect(`${error} ${JSON.stringify(error)}`).not.toContain('hush');
    expect((error as Error).cause).toBeUndefined();
  });
});
