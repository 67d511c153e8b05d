import { formatGroupResource, formatGvr } from '../model/gvr.ts';
import { partsOfKey } from '../model/key.ts';
import { type RecordedStep, recordedSteps } from './recorded-steps.ts';
import type { MarkedGap, RecordedSource, Recording } from './recording.ts';

/** The columns of an exported recording. `until`, `reason`, `added`, `modified` and `deleted` are of gaps alone. */
export const EXPORTED = [
  ...['type', 'time', 'until', 'cluster', 'gvr', 'namespace', 'name', 'uid', 'resourceVersion', 'cause', 'who'],
  ...['written', 'changed', 'reason', 'added', 'modified', 'deleted', 'object'],
] as const;

type Column = (typeof EXPORTED)[number];
type Row = Readonly<Partial<Record<Column, unknown>>>;

export interface ExportRange {
  /** The names of types: `pods`, `deployments.apps`. None: all. */
  readonly types: readonly string[];
  /** The first and the last time, wall-clock ms. */
  readonly from: number;
  readonly to: number;
  readonly columns: readonly Column[];
}

/** The sources of these types; of all without one. */
export const recordedSources = ({ sources }: Recording, types: readonly string[]): RecordedSource[] =>
  sources.filter(
    ({ type: { gvr } }) => types.length === 0 || [gvr.resource, formatGroupResource(gvr)].some((name) => types.includes(name)), // biome-ignore format: one line
  );

/** Every recorded change in its order, with the gaps in their places, each before the change that was received next. */
export function* exportedRows(recording: Recording, range: ExportRange): Generator<readonly unknown[]> {
  const { types, from, to, columns } = range;
  const sources = new Map(recordedSources(recording, types).map((source) => [source.id, source]));
  const ids = [...sources.keys()];
  const gaps = recording.gaps(ids, from, to);
  const valuesOf = (row: Row) => columns.map((name) => row[name]);
  const gapRow = (gap: MarkedGap) => valuesOf(gapOf(gap, sources.get(gap.source)));
  const revisions = recording.revisionsBetween(ids, recording.revisionAt(from - 1), recording.revisionAt(to));
  for (const step of recordedSteps(recording, revisions)) {
    while (gaps[0] && gaps[0].since <= step.revision.at) yield gapRow(gaps.shift() as MarkedGap);
    yield valuesOf(changeOf(step, sources.get(step.revision.source)));
  }
  for (const gap of gaps) yield gapRow(gap);
}

const timeText = (ms: number) => new Date(ms).toISOString();

const placeOf = ({ type }: RecordedSource): Row => ({
  cluster: type.cluster,
  gvr: formatGvr(type.gvr),
});

function changeOf({ revision, state }: RecordedStep, source: RecordedSource | undefined): Row {
  const { event, at, key, uid, version, cause, who, written, paths } = revision;
  const { namespace, name } = partsOfKey(key);
  return {
    ...(source && placeOf(source)),
    type: event,
    time: timeText(at),
    namespace: namespace === '' ? undefined : namespace,
    name,
    uid,
    resourceVersion: version,
    cause,
    who,
    written: written === undefined ? undefined : timeText(written * 1000),
    changed: paths.length === 0 ? undefined : paths,
    object: state.object,
  };
}

function gapOf({ since, until, reason, added, changed, deleted }: MarkedGap, source: RecordedSource | undefined): Row {
  const namespace = source?.namespace;
  return {
    ...(source && placeOf(source)),
    type: 'GAP',
    time: timeText(since),
    until: until === undefined ? undefined : timeText(until),
    namespace: namespace === '' ? undefined : namespace,
    reason,
    added: BigInt(added),
    modified: BigInt(changed),
    deleted: BigInt(deleted),
  };
}
