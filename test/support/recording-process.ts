// Records one change after another until it is killed, and says after each step how many are in the file.
import { systemClock } from '../../src/kit/clock.ts';
import { type NewRevision, RecordingWriter } from '../../src/record/recording-writer.ts';
import { SourceRecorder } from '../../src/record/source-recorder.ts';
import { Redactor } from '../../src/stream/redact.ts';

const file = process.argv[2] as string;
const writer = RecordingWriter.open(file, { clock: systemClock, command: 'watch' });
const type = { gvr: { group: '', version: 'v1', resource: 'configmaps' }, kind: 'ConfigMap', namespaced: true };
const pending: NewRevision[] = [];
const source = new SourceRecorder({
  writer,
  redactor: new Redactor(),
  scope: { type: type as never, namespace: '', selection: '' },
  take: (revision) => pending.push(revision),
});
source.listed('initial', '1', 0);
const state = (name: string, version: number) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'a', uid: name, resourceVersion: String(version) },
  data: { version: String(version) },
});
for (let version = 1; ; version++) {
  const name = `c${version % 50}`;
  const before = version > 50 ? state(name, version - 50) : undefined;
  source.see({ key: `a/${name}`, object: state(name, version), before, isGone: false, cause: 'watch' });
  if (version % 7 !== 0) continue;
  const { stretches, gaps } = source.account();
  writer.write(pending.splice(0), stretches, gaps);
  source.written();
  process.stdout.write(`${version}\n`);
  if (version % 70 === 0) await systemClock.yield();
}
