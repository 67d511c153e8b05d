import { jsonText } from '../kit/exact-json.ts';
import type { EventName } from './hook-config.ts';
import type { Entry } from './monitor.ts';

/** The sort of binding that a context is of. */
export type BindingSort = 'onStartup' | 'schedule' | 'kubernetes' | 'Validating' | 'Mutating' | 'Conversion';

/** The cause of a run, as the hook reads it in its file. */
export interface BindingContext {
  readonly sort: BindingSort;
  readonly binding: string;
  readonly group: string;
  /** The names of the bindings whose objects belong to it. */
  readonly snapshots: readonly string[];
  /** Of a kubernetes binding: its event; undefined for the whole state. */
  readonly event?: { readonly watchEvent: EventName; readonly entry: Entry } | undefined;
  /** Of a kubernetes binding without an event: its objects, when the run begins. */
  readonly objects?: (() => readonly Entry[]) | undefined;
  /** Of a webhook. */
  readonly review?: unknown;
  readonly versions?: { readonly fromVersion: string; readonly toVersion: string } | undefined;
}

/**
 * The JSON of a list of contexts, in pieces that are large together. Snapshots are taken once for all of them. Source:
 * shell-operator pkg/hook/binding_context.
 */
export function* contextsText(
  version: 'v0' | 'v1',
  contexts: readonly BindingContext[],
  objectsOf: (binding: string) => readonly Entry[],
): Generator<string> {
  const taken = new Map<string, readonly Entry[]>();
  const snapshot = (name: string) => {
    const entries = taken.get(name) ?? objectsOf(name);
    taken.set(name, entries);
    return entries;
  };
  // all at one moment: the text is written in pieces, between which objects change
  for (const name of contexts.flatMap(({ snapshots }) => snapshots)) snapshot(name);
  const whole = contexts.map(({ objects }) => objects?.());
  let separator = '[';
  for (const [i, context] of contexts.entries()) {
    yield separator;
    if (version === 'v0') yield textV0(context);
    else yield* textV1(context, snapshot, whole[i]);
    separator = ',';
  }
  yield separator === '[' ? '[]\n' : ']\n';
}

const EVENTS_V0 = { Added: 'add', Modified: 'update', Deleted: 'delete' } as const;

function textV0({ sort, binding, event }: BindingContext): string {
  if (sort !== 'kubernetes' || !event) return JSON.stringify({ binding });
  const { namespace, kind, name } = event.entry;
  return JSON.stringify({
    binding,
    resourceEvent: EVENTS_V0[event.watchEvent],
    resourceNamespace: namespace,
    resourceKind: kind,
    resourceName: name,
  });
}

function* textV1(
  { sort, binding, group, snapshots, event, review, versions }: BindingContext,
  snapshot: (name: string) => readonly Entry[],
  objects: readonly Entry[] = [],
): Generator<string> {
  yield `{"binding":${JSON.stringify(binding)}`;
  if (sort === 'onStartup') return yield '}';
  if (snapshots.length > 0) {
    yield ',"snapshots":{';
    for (const [i, name] of snapshots.entries()) {
      yield `${i === 0 ? '' : ','}${JSON.stringify(name)}:`;
      yield* listText(snapshot(name));
    }
    yield '}';
  }
  if (review !== undefined) yield `,${jsonText({ type: sort, ...versions, review })?.slice(1, -1)}`;
  else if (group !== '') yield `,"type":"Group","groupName":${JSON.stringify(group)}`;
  else if (sort === 'schedule') yield ',"type":"Schedule"';
  else if (event) yield `,"type":"Event","watchEvent":"${event.watchEvent}"${membersText(event.entry, ',')}`;
  else {
    yield ',"type":"Synchronization","objects":';
    yield* listText(objects);
  }
  yield '}';
}

function* listText(entries: readonly Entry[]): Generator<string> {
  yield '[';
  for (const [i, entry] of entries.entries()) yield `${i === 0 ? '' : ','}{${membersText(entry, '')}}`;
  yield ']';
}

/** The members that describe an object. */
function membersText({ object, filtered }: Entry, before: string): string {
  const members = [
    ...(object ? [`"object":${jsonText(object)}`] : []),
    ...(filtered === undefined ? [] : [`"filterResult":${filtered}`]),
  ];
  return members.length === 0 ? '' : `${before}${members.join(',')}`;
}
