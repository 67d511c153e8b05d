import { expect, it } from 'vitest';
import type { ResourceType } from '../../src/model/resource-type.ts';
import { Recording } from '../../src/record/recording.ts';
import { type NewRevision, RecordingWriter } from '../../src/record/recording-writer.ts';
import { useFolder } from '../support/recording.ts';

const folder = useFolder();
const type = {
  gvr: { group: '', version: 'v1', resource: 'configmaps' },
  kind: 'ConfigMap',
  namespaced: true,
} as unknown as ResourceType;
/** More objects than are read together. */
const OBJECTS = 10_050;

/** A recording of many objects, each written at 1 s and changed at 2 s and at 3 s. */
function changing(file: string) {
  let now = 1_000;
  const clock = { now: () => now, monotonic: () => now };
  const writer = RecordingWriter.open(file, { clock, command: 'test' });
  const source = writer.source({ type, namespace: '', selection: '' });
  const objects = Array.from({ length: OBJECTS }, () => writer.newObject());
  for (const step of [0, 1, 2]) {
    now = 1_000 * (step + 1);
    const revisions = objects.map((object, i): NewRevision => {
      const name = `c${String(i).padStart(5, '0')}`;
      const state = { object: { metadata: { name }, data: { step } }, cells: undefined };
      const text =
        step === 0
          ? `null\n${JSON.stringify(state.object)}`
          : `\n${JSON.stringify({ '~': { data: { '+': { step } } } })}`;
      const identity = step === 0 ? { namespace: 'default', name, uid: name } : undefined;
      return { source, object, identity, at: now, version: String(step), event: step === 0 ? 'ADDED' : 'MODIFIED', cause: 'watch', change: undefined, text, depth: step, state }; // biome-ignore format: one line
    });
    writer.write(revisions, [], []);
  }
  now = 4_000;
  return { source, writer };
}

it('the states of a moment are whole, also when what was before is removed while they are read', () => {
  const file = folder.file('a.rec');
  const { source, writer } = changing(file);
  using recording = Recording.open(file);
  const states = recording.statesAt(source, recording.revisionAt(2_500));
  const first = states.next().value;
  writer.trim(2_200);
  const all = [first, ...states].map((each) => [each.key, (each.state.object.data as { step: number }).step, each.at]);
  writer.close('ended');
  expect(all).toHaveLength(OBJECTS);
  expect(all.filter(([, step, at]) => step !== 1 || at !== 2_000)).toEqual([]);
  expect([all[0]?.[0], all.at(-1)?.[0]]).toEqual(['default/c00000', `default/c${OBJECTS - 1}`]);
});

it('a moment that is removed while it is read is said to be so: it does not end early', () => {
  const file = folder.file('b.rec');
  const { source, writer } = changing(file);
  using recording = Recording.open(file);
  const states = recording.statesAt(source, recording.revisionAt(1_500));
  states.next();
  writer.trim(2_200);
  expect(() => [...states]).toThrow('the moment was removed from it while it was read');
  writer.close('ended');
});
