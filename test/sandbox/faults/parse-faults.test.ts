import { expect, it } from 'vitest';
import { InformerError } from '../../../src/kit/error.ts';
import { type FaultRule, parseFaults } from '../../../src/sandbox/index.ts';

it.each([
  ['cut@5:watch:pods', [{ fault: { kind: 'cut', after: 5 }, match: { watch: true, path: 'pods' }, times: 1 }]],
  [
    'status=429*3:list, stall:watch',
    [
      { fault: { kind: 'status', code: 429, retryAfterSeconds: 1 }, match: { method: 'GET', watch: false }, times: 3 },
      { fault: { kind: 'stall' }, match: { watch: true }, times: 1 },
    ],
  ],
  [
    'slow=200ms*:PATCH',
    [{ fault: { kind: 'slow', ms: 200 }, match: { method: 'PATCH' }, times: Number.POSITIVE_INFINITY }],
  ],
  ['lag=500ms*:watch', [{ fault: { kind: 'lag', ms: 500 }, match: { watch: true }, times: Number.POSITIVE_INFINITY }]],
  ['reorder@2', [{ fault: { kind: 'reorder', after: 2 }, match: {}, times: 1 }]],
  ['slow=50ms/16*', [{ fault: { kind: 'slow', ms: 50, bytes: 16 }, match: {}, times: Number.POSITIVE_INFINITY }]],
  ['status=429/7', [{ fault: { kind: 'status', code: 429, retryAfterSeconds: 7 }, match: {}, times: 1 }]],
  ['status=503', [{ fault: { kind: 'status', code: 503 }, match: {}, times: 1 }]],
  ['restart', [{ fault: { kind: 'restart', keepHistory: false }, match: {}, times: 1 }]],
  ['restart=keep/3s', [{ fault: { kind: 'restart', keepHistory: true, downMs: 3_000 }, match: {}, times: 1 }]],
  ['skew=-5m', [{ fault: { kind: 'skew', ms: -300_000 }, match: {}, times: 1 }]],
  ['restart=wipe/2s', [{ fault: { kind: 'restart', wiped: true, downMs: 2000 }, match: {}, times: 1 }]],
  ['expire:GET', [{ fault: { kind: 'expire' }, match: { method: 'GET' }, times: 1 }]],
  [
    'random=0.1/7/cut+stall:watch',
    [
      {
        fault: { kind: 'random', rate: 0.1, seed: 7, kinds: ['cut', 'stall'] },
        match: { watch: true },
        times: Number.POSITIVE_INFINITY,
      },
    ],
  ],
  ['random=0.5', [{ fault: { kind: 'random', rate: 0.5, seed: 1 }, match: {}, times: Number.POSITIVE_INFINITY }]],
  ['refuse::/api/v1/secrets', [{ fault: { kind: 'refuse' }, match: { path: '/api/v1/secrets' }, times: 1 }]],
] as [string, FaultRule[]][])('parses %j', (spec, rules) => {
  expect(parseFaults(spec)).toEqual(rules);
});

it.each([
  'explode',
  'status=418',
  'cut@x',
  'delay',
  'cut=1',
  'slow=1s/0',
  'restart=5s',
  'random',
  'random=2',
  'random=1/1/boom',
  'skew',
])('refuses %j', (spec) => {
  expect(() => parseFaults(spec)).toThrow(InformerError);
});

it('reads nothing from an empty text, and leaves out empty terms', () => {
  expect([parseFaults(''), parseFaults(' , ,')]).toEqual([[], []]);
  expect(parseFaults('cut,,stall')).toHaveLength(2);
});

it('names the term that is not valid, and how to write one', () => {
  expect(() => parseFaults('cut,status=418:watch')).toThrow('invalid fault "status=418:watch"');
  expect(() => parseFaults('nonsense')).toThrow(
    expect.objectContaining({ hint: expect.stringContaining('KIND[=ARG]') }),
  );
});
