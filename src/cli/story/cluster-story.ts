import type { ResourceSelection } from '../../client/discovery/resource-args.ts';
import { InformerError, messageOf } from '../../kit/error.ts';
import { formatGroupResource, formatGroupVersion } from '../../model/gvr.ts';
import type { UnknownObject } from '../../model/object.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import { isForbidden, isNotFound } from '../../model/status.ts';
import { recordedMoment } from '../../record/moments.ts';
import { Story, type StoryEntry } from '../../story/story.ts';
import type { StoryPrinter } from '../../story/story-printer.ts';
import type { Redactor } from '../../stream/redact.ts';
import type { ReportingServer } from '../session/session.ts';
import { ExitCode } from '../terminal/exit-codes.ts';
import type { TextSink } from '../terminal/io.ts';
import { LogLines } from './log-lines.ts';
import type { StoryRange } from './recorded-story.ts';
import { DoubtedNodes, storyTypes } from './story-types.ts';

export interface ClusterStoryOptions {
  readonly namespace: string;
  readonly printer: StoryPrinter;
  readonly range: StoryRange;
  readonly logs: number | undefined;
  readonly redactor: Redactor;
  /** Where its objects are read. Default: the server, which is asked for each type. */
  readonly objects?: StoryObjects | undefined;
}

/** The objects of which a story is made. */
export interface StoryObjects {
  get(type: ResourceType, namespace: string, name: string): Promise<UnknownObject>;
  /** Of a namespace; '' is all. */
  list(type: ResourceType, namespace: string): Promise<readonly UnknownObject[]>;
}

/** The part of a session that a story of a cluster needs. */
export interface StorySession extends ReportingServer {
  readonly io: { readonly stdout: Pick<TextSink, 'write'> };
}

/** Prints the story of an object, as far as the cluster still knows it. */
export async function clusterStory(
  session: StorySession,
  { type, names: [name = ''] }: ResourceSelection,
  { namespace, printer, range, logs, redactor, objects = objectsOf(session) }: ClusterStoryOptions,
): Promise<ExitCode> {
  const { client, clock } = session;
  const place = type.namespaced ? namespace : '';
  const object = await objects.get(type, place, name).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
    const called = `${formatGroupResource(type.gvr)} ${JSON.stringify(name)}`;
    const hint = place === '' ? undefined : `looked in namespace ${place}; -n names another`;
    throw new InformerError('list', `${called} not found (NotFound)`, { cause: error, hint });
  });
  const story = new Story({ group: type.gvr.group, kind: type.kind, namespace: place, name });
  const told: StoryEntry[] = [];
  const unread: string[] = [];
  const take = (each: UnknownObject, of: ResourceType) => {
    const shown = { apiVersion: formatGroupVersion(of.gvr), kind: of.kind, ...redactor.redact(each, of.gvr) };
    told.push(...story.see({ at: clock.now(), event: 'ADDED', cause: 'initial', object: shown }));
  };
  take(object, type);
  const [, ...others] = await storyTypes(type, client);
  const lists = await Promise.all(others.map((of) => listed(session, objects, { type: of, namespace: place, unread })));
  for (const [i, items] of lists.entries()) for (const each of items) take(each, others[i] as ResourceType);
  await new DoubtedNodes(session).read(story);
  const now = clock.now();
  const verdict = story.verdict(now);
  const { stdout } = session.io;
  stdout.write(printer.head({ name: story.name, at: now, verdict, outage: undefined, unread }));
  const first = range.since === undefined ? 0 : recordedMoment(range.since, now, '--since');
  const sorted = told.filter(({ at }) => at >= first).sort((a, b) => a.at - b.at);
  const shown = range.limit === undefined ? sorted : sorted.slice(-range.limit);
  const failures = new Set(shown.filter(({ failure }) => failure).slice(-MOST_LOGS));
  const lines = logs === undefined ? undefined : new LogLines(session, logs, redactor);
  for (const entry of shown) {
    stdout.write(printer.entries([entry]));
    const { failure, at, about } = entry;
    if (lines && failure && failures.has(entry)) stdout.write(printer.logs(at, about, await lines.of(failure)));
  }
  session.notice(
    'from the cluster as it is now: deleted objects and older values are not known, Events are kept for an hour or so; watch --record keeps all of it',
  );
  return ExitCode.ok;
}

/** The most failures of which log lines are read. */
const MOST_LOGS = 8;

/** The objects as the server has them. */
const objectsOf = ({ client, signal }: StorySession): StoryObjects => {
  const api = ({ gvr, namespaced }: ResourceType, namespace: string) =>
    client.resource<UnknownObject>(gvr, namespaced && namespace !== '' ? { namespace } : {});
  return {
    get: (type, namespace, name) => api(type, namespace).get(name, { signal }),
    list: async (type, namespace) => (await api(type, namespace).list({}, { signal })).items,
  };
};

/** The objects of a type. None where they may not be read, which is said and goes into `unread`. */
async function listed(
  { signal, notice }: StorySession,
  objects: StoryObjects,
  { type, namespace, unread }: { readonly type: ResourceType; readonly namespace: string; readonly unread: string[] },
): Promise<readonly UnknownObject[]> {
  try {
    return await objects.list(type, namespace);
  } catch (error) {
    if (signal.aborted) throw error;
    const called = formatGroupResource(type.gvr);
    unread.push(called);
    notice(`not in this story: ${called} (${isForbidden(error) ? 'not allowed' : messageOf(error)})`);
    return [];
  }
}
