import { expect, it } from 'vitest';
import { explanationText } from '../../../src/cli/running/explain-text.ts';
import { TerminalError } from '../../../src/controller/reconciler.ts';
import { generationChanged } from '../../../src/controller/sources/predicate.ts';
import { createEventSource } from '../../../src/controller/sources/source.ts';
import { InformerError } from '../../../src/kit/error.ts';
import { silentLogger } from '../../../src/kit/logger.ts';
import type { ExplainedKey } from '../../../src/ops/pages.ts';
import { added, start, updated } from '../../support/controller.ts';
import { ScriptedSource } from '../../support/scripted-source.ts';

it('prints the state, then what led to it in the order of time: changed paths, predicates, merges, runs, exit codes, due times', async () => {
  const events = new ScriptedSource();
  const ends: Error[] = [
    Object.assign(new InformerError('hook', 'hook h.sh exited with 75: no\x1b[31m'), { exitCode: 75 }),
    new TerminalError(new Error('never again')),
  ];
  const { controller, clock, abort, run } = await start({
    name: 'h.sh',
    logger: silentLogger,
    sources: [createEventSource(events, { name: 'pods', isPrimary: true, predicate: generationChanged })],
    async reconcile() {
      await clock.sleep(20);
      throw ends.shift();
    },
  });
  events.sync.open();
  await clock.advance(0);
  const text = (isCached: boolean | undefined, nearest: string[] = [], key = 'shop/web') =>
    explanationText({ ...controller.explain(key), isCached, nearest }, 'pods');
  events.emit(added('web'));
  const changed = updated('web', '1', '2');
  const metadata = { ...changed.object?.metadata, labels: { tier: 'front' } };
  events.emit({ ...changed, object: { ...changed.object, metadata } });
  await clock.advance(21);
  expect(text(true).split('\n')).toEqual([
    'pods shop/web: due in 4ms: back-off after 1 failure',
    '  00:00:00.000  added (version 1): queued',
    '  00:00:00.000  updated (version 2) in .metadata.labels: did not pass generation; not queued',
    '  00:00:00.000  run 1, attempt 1, for 1 event, after 0ms in line: failed after 20ms: hook h.sh exited with 75: no^[[31m',
    '                due again at 00:00:00.025: back-off',
    'controller h.sh: running, 0 of 1 worker busy',
    '  source pods: 1 key queued, dropped 1 by predicate generation',
    '',
  ]);
  await clock.advance(30);
  const parked = text(false);
  expect(parked).toMatch(
    /^pods shop\/web: parked 6ms ago, after 2 attempts, until it changes or is released: .*never again\n/,
  );
  expect(parked).toContain('failed for good after 20ms: terminal error: never again; parked\n');
  expect(parked).toContain('  → no object shop/web is in the cache: it does not exist, or a namespace, selector');
  expect(parked).toContain('  → queue retry shop/web releases it\n');
  expect(text(undefined, ['shop/web'], 'shop/wbe')).toMatch(
    /^pods shop\/wbe: not queued: no event has led to it\n {2}→ did you mean shop\/web\?\n/,
  );
  abort.abort();
  await run;
});

it('shows the steps of a key in the order of time: events, runs, a hot loop, and what was done by hand', () => {
  const explained = {
    key: 'shop/web',
    at: 9000,
    state: 'parked',
    summary: 'parked 2s ago',
    failures: 0,
    pending: [],
    history: [
      {
        kind: 'event',
        at: 1000,
        count: 1,
        origin: { reason: 'updated', via: 'watch', source: 'deployments.apps', resourceVersion: '7' },
        effect: 'queued',
      },
      {
        kind: 'event',
        at: 1001,
        count: 1,
        origin: { reason: 'added', via: 'initial', source: 'deployments.apps', resourceVersion: '7' },
        effect: 'queued',
      },
      {
        kind: 'event',
        at: 1002,
        count: 3,
        origin: { reason: 'updated', via: 'relist', source: 'deployments.apps', resourceVersion: '9' },
        effect: 'merged',
        changed: ['.spec.replicas', '.status.replicas'],
      },
      {
        kind: 'event',
        at: 1003,
        count: 1,
        origin: { reason: 'deleted', via: 'watch', source: 'pods', key: 'shop/web-1' },
        effect: 'queued',
      },
      { kind: 'event', at: 1004, count: 1, origin: { reason: 'generic', source: 'every 10m' }, effect: 'queued' },
      { kind: 'run', at: 2000, run: 1, attempt: 1, events: 1, waitedMs: 3, tookMs: 4, outcome: 'success' },
      {
        kind: 'run',
        at: 2500,
        run: 2,
        attempt: 1,
        events: 1,
        waitedMs: 0,
        tookMs: 0,
        outcome: 'success',
        skipped: 'no --filter x',
      },
      { kind: 'released', at: 3000 },
      { kind: 'hot-loop', at: 5000, runs: 10, paths: ['.metadata.annotations.at'] },
    ],
    droppedSteps: 0,
    isHistoryPartial: false,
    skippedElsewhere: [],
    nearest: [],
    controller: { name: 'loop.ts', phase: 'running', workers: 1, active: 0, sources: [] },
  } as unknown as ExplainedKey;
  const lines = explanationText(explained, 'deployments.apps').split('\n');
  expect(lines[0]).toBe('deployments.apps shop/web: parked 2s ago');
  const texts = lines.slice(1, 10).map((line) => line.replace(/^ {2}[\d:.]+ {2}/, ''));
  expect(texts).toEqual([
    'updated (version 7): queued',
    'initial list (version 7): queued',
    '3 × updated, found by listing again (last version 9) in .spec.replicas .status.replicas: merged with what was in line already',
    'pods shop/web-1: deleted: queued',
    'every 10m: due: queued',
    'run 1, attempt 1, for 1 event, after 3ms in line: succeeded after 4ms',
    'run 2, attempt 1, for 1 event, after 0ms in line: did nothing: no --filter x',
    'released by hand',
    'a hot loop: parked, because own writes caused 10 runs in a row, which changed .metadata.annotations.at',
  ]);
});
