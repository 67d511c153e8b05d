import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { filesOf } from './imports.ts';

const SRC = path.resolve(import.meta.dirname, '../../src');
/** The rooms of the library whose parts are made from a client, an informer or a source of keys. */
const ROOMS = ['controller', 'webhooks', 'ops', 'stream', 'informer', 'workqueue', 'hooks', 'crds'];

/** Files that use a default of their own, and why no client can give them a better one. */
const OWN_DEFAULT: Readonly<Record<string, string>> = {
  'controller/shard-gate.ts': 'made by a controller, which gives its clock',
  'controller/writes/conditions.ts': 'a function of values, which is called without a client',
  'hooks/action-runner.ts': 'made by the command, which gives its clock',
  'hooks/run-deadline.ts': 'made by the command, which gives its clock',
  'hooks/journal/journaled-actions.ts': 'made by the command, which gives its clock',
  'hooks/run/exec.ts': 'made by the command, which gives its clock',
  'hooks/run/warm.ts': 'made by the command, which gives its clock',
  'informer/compact/compact-store.ts': 'made by an informer, which gives its clock',
  'informer/watch/continuity-ledger.ts': 'made by a reflector, which gives its clock',
  'ops/prometheus.ts': 'it is what metrics are given to',
  'workqueue/queue-metrics.ts': 'made by a queue',
  'workqueue/rate-limiter.ts': 'the queue gives its clock: useClock',
  'workqueue/work-queue.ts': 'a queue alone; a controller gives its clock',
};

const sources = filesOf(SRC)
  .filter((file) => ROOMS.some((room) => file.startsWith(`${room}/`)))
  .map((file) => ({
    file,
    code: readFileSync(path.join(SRC, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, ''),
  }));

it('a part of the library that has a clock, a logger or metrics takes those of the client that it is made from', () => {
  const own = sources
    .filter(({ code }) => /\b(systemClock|defaultLogger|noMetrics)\b/.test(code))
    .filter(({ code }) => !/\b(surroundingsOf|inheriting)\(/.test(code))
    .map(({ file }) => file);
  expect(own.filter((file) => !(file in OWN_DEFAULT))).toEqual([]);
  expect(Object.keys(OWN_DEFAULT).filter((file) => !own.includes(file))).toEqual([]);
});

it('no part of the library reads the time or sets a timer past its clock', () => {
  const past = sources
    .filter(({ file }) => file !== 'hooks/run/guard-program.ts') // a process of its own
    .filter(({ code }) =>
      /\bDate\.now\(|\bnew Date\(\)|\bset(Timeout|Interval|Immediate)\(|\bperformance\.now\(/.test(code),
    )
    .map(({ file }) => file);
  expect(past).toEqual([]);
});
