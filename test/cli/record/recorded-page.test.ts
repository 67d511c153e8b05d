import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { RecordedPage } from '../../../src/cli/record/recorded-page.ts';
import { RecordingReader } from '../../../src/cli/record/recording-reader.ts';
import { InformerError } from '../../../src/kit/error.ts';
import { NIGHT, nightAt } from '../../support/night.ts';

it('a moment that could not be read is read when it is asked for again', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'recorded-page-'));
  try {
    const file = path.join(folder, 'night.rec');
    const page = new RecordedPage(file);
    const asked = () => page.at(nightAt('02:12:00'), [{ id: 'apps/v1/deployments' }]);
    await expect(asked()).rejects.toThrow();
    await copyFile(NIGHT, file);
    expect((await asked()).map(({ id }) => id)).toEqual(['apps/v1/deployments']);
  } finally {
    await rm(folder, { recursive: true });
  }
});

it.each([
  ['before its answer', []],
  [
    'in the midst of it',
    ['{"status":200,"headers":{"content-type":"application/json"}}\n{"kind":"DeploymentList","items":['],
  ],
] as const)('a moment that a process cannot read %s is given up at once, with the reason', async (_, pieces) => {
  let asked = 0;
  const reason = new InformerError('store', 'reading the recording needs more than 1024 MiB', {
    hint: 'ask about less',
  });
  const reader = new RecordingReader({});
  reader.read = async function* () {
    asked++;
    for (const piece of pieces) yield Buffer.from(piece);
    throw reason;
  };
  const page = new RecordedPage(NIGHT, { reader, mostHere: 0 });
  for (const times of [1, 2]) {
    await expect(page.at(nightAt('02:12:00'), [{ id: 'apps/v1/deployments' }])).rejects.toBe(reason);
    expect(asked).toBe(times);
  }
});

it('the process that draws a picture is read with the signal of its request', async () => {
  const signals: (AbortSignal | undefined)[] = [];
  const text: RecordingReader['text'] = async (_, signal) => {
    signals.push(signal);
    return '';
  };
  const page = new RecordedPage(NIGHT, { reader: { text } as RecordingReader });
  const { signal } = new AbortController();
  await page.timeline({ type: 'v1/pods' }, signal);
  expect(signals).toEqual([signal]);
});
