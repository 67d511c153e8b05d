import { expect, it } from 'vitest';
import { decodeContinue, encodeContinue } from '../../../src/sandbox/store/continue-token.ts';

it('writes the same tokens as a real server', () => {
  expect(encodeContinue({ revision: 247, start: 'p2\0' })).toBe(
    'eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MjQ3LCJzdGFydCI6Ii9wMlx1MDAwMCJ9',
  );
  expect(encodeContinue({ revision: -1, start: 'p2\0' })).toBe(
    'eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTEsInN0YXJ0IjoicDJcdTAwMDAifQ',
  );
});

it('reads what it wrote, at a revision or at the present state', () => {
  for (const revision of [1, 247, -1]) {
    expect(decodeContinue(encodeContinue({ revision, start: 'a/b\0' }))).toEqual({ revision, start: 'a/b\0' });
  }
});

it.each([
  ['garbage', "continue key is not valid: invalid character '\\u0081' looking for beginning of value"],
  [Buffer.from('{"v":"v9"}').toString('base64url'), 'server does not recognize this encoded version "v9"'],
  [
    Buffer.from('{"v":"meta.k8s.io/v1","rv":0,"start":"/a"}').toString('base64url'),
    'incorrect encoded start resourceVersion (version meta.k8s.io/v1)',
  ],
  [
    Buffer.from('{"v":"meta.k8s.io/v1","rv":7,"start":""}').toString('base64url'),
    'continue key is not valid: encoded start key empty (version meta.k8s.io/v1)',
  ],
  ['', 'continue key is not valid: unexpected end of JSON input'],
])('answers the token %j with the problem that a real server names', (token, problem) => {
  expect(decodeContinue(token)).toEqual({ problem });
});
