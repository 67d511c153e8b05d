import { expect, it } from 'vitest';
import { type Call, flag, managerOf } from '../../../src/sandbox/api/call.ts';

it.each([
  ['', false],
  ['watch', true],
  ['watch=', true],
  ['watch=1', true],
  ['watch=yes', true],
  ['watch=0', false],
  ['watch=false', false],
  ['watch=False', false],
  ['other=1', false],
])('?%s means watch: %s', (query, expected) => {
  expect(flag(new URLSearchParams(query), 'watch')).toBe(expected);
});

it.each([
  ['fieldManager=mine', 'kubectl/v1.35', 'mine'],
  ['', 'kubectl/v1.35 (linux)', 'kubectl'],
  ['', 'tester', 'tester'],
  ['fieldManager=', 'tester/1', 'tester'],
  ['', `${'x'.repeat(200)}/1`, 'x'.repeat(128)],
  ['', undefined, 'unknown'],
])('the field manager of ?%s sent by %s is %s', (query, agent, expected) => {
  const headers = new Map(agent === undefined ? [] : [['user-agent', agent]]);
  expect(managerOf({ query: new URLSearchParams(query), headers } as unknown as Call)).toBe(expected);
});
