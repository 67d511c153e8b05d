import { expect, it } from 'vitest';
import { streamFiltersOf } from '../../../src/cli/session/stream-filters.ts';

const named = async (name: string) => (await streamFiltersOf({ name })).rules.name;

it('a pattern for names that repeats a group is matched in linear time', async () => {
  const pattern = await named('^(a+)+$');
  expect(pattern?.test(`${'a'.repeat(200)}-`)).toBe(false);
  expect(pattern?.test('aaa')).toBe(true);
});

it('other patterns are JavaScript, with all that it has', async () => {
  const pattern = await named('^(?!kube-)[a-z]+-\\d$');
  expect([pattern?.test('web-1'), pattern?.test('kube-1')]).toEqual([true, false]);
});

it('a pattern that repeats a group and cannot be matched in linear time is refused, with the reason', async () => {
  await expect(named('^(?!kube-)(a+)+$')).rejects.toMatchObject({
    code: 'argument',
    message: expect.stringContaining('invalid argument "^(?!kube-)(a+)+$" for "--name"'),
    hint: expect.stringContaining('cannot look ahead or back too'),
  });
});
