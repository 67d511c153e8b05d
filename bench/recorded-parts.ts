// node bench/recorded-parts.ts: the parts of the work that a recorded watch does for each change and a plain one does
// not, µs of CPU time. 5,000 pods of 7 kB, 2,000 changes of the status in a second, a transaction each half second.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TableColumn, withCells } from '../src/model/cells.ts';
import { keyOf } from '../src/model/key.ts';
import { withManagedFieldsText } from '../src/model/managed-fields-text.ts';
import type { UnknownObject } from '../src/model/object.ts';
import type { ResourceType } from '../src/model/resource-type.ts';
import { managedFieldsChange } from '../src/record/managed-fields-change.ts';
import { recordedChange } from '../src/record/recorded-change.ts';
import { type NewRevision, RecordingWriter } from '../src/record/recording-writer.ts';
import { SourceRecorder } from '../src/record/source-recorder.ts';
import { stateText } from '../src/record/state-text.ts';
import { Redactor } from '../src/stream/redact.ts';
import { COLUMNS, ObjectTexts } from './generator.ts';
import { textOf } from './text-table.ts';

const PODS = 5_000;
const CHANGES = 20_000;
/** The changes of one transaction. */
const TOGETHER = 1_000;
const TYPE = { gvr: { group: '', version: 'v1', resource: 'pods' }, kind: 'Pod', namespaced: true } as unknown as ResourceType; // biome-ignore format: one line
const CELLS = ['web-1', '1/1', 'Running', '0', '1m', '10.1.2.3', 'worker-1', '<none>', '<none>'];

type Pod = UnknownObject & { status?: { conditions?: { status: string; lastTransitionTime: string }[] } };
type Text = readonly [object: string, managedFields: string];

const folder = mkdtempSync(path.join(tmpdir(), 'bench-parts-'));
const generated = new ObjectTexts().as('object');
const pods = Array.from({ length: PODS }, (_, i): Pod => ({ apiVersion: 'v1', kind: 'Pod', ...JSON.parse(generated.text(i)) })); // biome-ignore format: one line
let now = Date.parse('2026-11-28T00:00:00Z');
const spent = new Map<string, number>();

/** A pod as a server sends it after its next change. */
function nextText(pod: Pod, version: number): Text {
  const time = `${new Date(now).toISOString().slice(0, 19)}Z`;
  const { managedFields = [], ...metadata } = pod.metadata;
  metadata.resourceVersion = String(version);
  const own = managedFields.with(-1, { ...managedFields.at(-1), time } as (typeof managedFields)[number]);
  pod.metadata = { ...metadata, managedFields: own };
  const condition = pod.status?.conditions?.[0];
  if (condition) Object.assign(condition, { status: version % 2 ? 'True' : 'False', lastTransitionTime: time });
  return [JSON.stringify({ ...pod, metadata }), JSON.stringify(own)];
}

function read([object, managedFields]: Text): UnknownObject {
  const parsed = withManagedFieldsText(JSON.parse(object) as UnknownObject, managedFields);
  return withCells(parsed, { columns: COLUMNS.pods as readonly TableColumn[], cells: CELLS });
}

function timed<R>(part: string, run: () => R): R {
  const before = process.cpuUsage();
  const result = run();
  const { user, system } = process.cpuUsage(before);
  spent.set(part, (spent.get(part) ?? 0) + user + system);
  return result;
}

try {
  const clock = { now: () => now, monotonic: () => now };
  using writer = RecordingWriter.open(path.join(folder, 'parts.rec'), { clock, command: 'bench' });
  const pending: NewRevision[] = [];
  const scope = { type: TYPE, namespace: '', selection: '' };
  const source = new SourceRecorder({
    writer,
    redactor: new Redactor(),
    scope,
    take: (each) => void pending.push(each),
  });
  const write = () => {
    const { stretches, gaps } = source.account();
    writer.write(pending.splice(0), stretches, gaps);
    source.written();
  };
  const live = pods.map((pod, i) => read(nextText(pod, i)));
  for (const object of live)
    source.see({ key: keyOf(object), object, before: undefined, isGone: false, cause: 'initial' });
  source.listed('initial', '1', PODS);
  write();
  let version = PODS;
  const changeSome = () => {
    now += 500;
    const texts = Array.from({ length: TOGETHER }, () => {
      const place = (version++ * 613) % PODS;
      return [place, nextText(pods[place] as Pod, version)] as const;
    });
    const objects = timed('parse of the whole object', () =>
      texts.map(([place, text]) => [place, read(text)] as const),
    );
    timed('all that the recorder does when it sees it', () => {
      for (const [place, object] of objects)
        source.see({ key: keyOf(object), object, before: live[place], isGone: false, cause: 'watch' });
    });
    const pairs = objects.map(([place, object]) => [live[place] as UnknownObject, object] as const);
    for (const [place, object] of objects) live[place] = object;
    const entries = timed('- managedFields', () => pairs.map((pair) => managedFieldsChange(...pair)));
    const states = timed(
      '- difference and its text',
      () =>
      pairs.map(([before, object], i) => stateText({ object, cells: CELLS }, { object: before, cells: CELLS, depth: 0 }, entries[i]?.delta)), // biome-ignore format: one line
    );
    timed('- changed fields and writers', () => {
      for (const [i, [before, object]] of pairs.entries())
        recordedChange(before, { ...object, ...states[i]?.shared }, { isOneWrite: true, renewed: entries[i]?.renewed });
    });
    timed('rows, blocks, newest states, commit', write);
  };
  for (let seen = 0; seen < CHANGES; seen += TOGETHER) changeSome();
  spent.clear(); // it was warm-up
  for (let seen = 0; seen < CHANGES; seen += TOGETHER) changeSome();
  const rows = [...spent].map(([part, total]) => [part, (total / CHANGES).toFixed(1)]);
  console.log(textOf({ title: 'one recorded change', head: ['part', 'CPU µs'], rows }));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
