import type { ResourceSelection } from '../../client/discovery/resource-args.ts';
import { InformerError, messageOf } from '../../kit/error.ts';
import type { ReadonlyObject, UnknownObject } from '../../model/object.ts';
import { cellText } from '../../output/escape.ts';
import { lastWrites } from '../../story/last-writes.ts';
import type { HistoryFlags } from '../args/record-flags.ts';
import { namespacesOf, type Session } from '../session/session.ts';
import { ExitCode } from '../terminal/exit-codes.ts';

/** One thing that the cluster still knows. */
interface Fact {
  readonly time: string;
  readonly word: string;
  readonly who: string;
  readonly text: string;
}

const EVENTS = { group: '', version: 'v1', resource: 'events' };
const REVISIONED = [
  { kind: 'Deployment', gvr: { group: 'apps', version: 'v1', resource: 'replicasets' } },
  { kind: 'StatefulSet', gvr: { group: 'apps', version: 'v1', resource: 'controllerrevisions' } },
  { kind: 'DaemonSet', gvr: { group: 'apps', version: 'v1', resource: 'controllerrevisions' } },
];

/**
 * Prints what a cluster still knows of the past of an object: its creation, the last write of each field manager,
 * Events about it, and the revisions of its template. stderr says what that leaves out.
 */
export async function liveHistory(
  session: Session,
  { type, names: [name = ''] }: ResourceSelection,
  flags: HistoryFlags,
): Promise<ExitCode> {
  if (flags.output !== undefined || flags.path || flags.since !== undefined || flags.until !== undefined)
    throw new InformerError('argument', '-o, --path, --since and --until need a recording', {
      hint: `--from FILE names one; 'watch ${type.gvr.resource} --record FILE' makes it`,
    });
  const [namespace = ''] = namespacesOf({ namespace: flags.namespace, 'all-namespaces': false }, session.config);
  const place = type.namespaced ? { namespace } : {};
  const { client, signal } = session;
  const object = (await client.resource(type.gvr, place).get(name, { signal })) as ReadonlyObject;
  const facts = [
    ...ownFacts(object),
    ...(await eventFacts(session, object)),
    ...(await revisionFacts(session, object)),
  ];
  const shown = facts
    .filter(({ who }) => !flags.by || flags.by.includes(who))
    .sort((a, b) => (a.time < b.time ? -1 : 1));
  const cut = flags.limit === undefined ? shown : shown.slice(-flags.limit);
  const lineOf = ({ time, word, who, text }: Fact) =>
    `${time}  ${word.padEnd(8)}  ${cellText(who)}  ${cellText(text)}`.trimEnd();
  session.io.stdout.write(cut.map((fact) => `${lineOf(fact)}\n`).join(''));
  session.notice(
    'from the cluster as it is now: of each field manager only the last write is known, of values only the present ones, Events are kept for an hour or so; deleted objects are not known. watch --record keeps all of it',
  );
  return ExitCode.ok;
}

function ownFacts(object: ReadonlyObject): Fact[] {
  const { metadata } = object;
  const created = { time: textOf(metadata.creationTimestamp), word: 'ADDED', who: '-', text: '' };
  const deleted = textOf(metadata.deletionTimestamp);
  const writes = lastWrites(object).map(({ time, who, isApply, subresource, paths }) => ({
    time,
    word: isApply ? 'APPLIED' : 'WROTE',
    who,
    text: `${subresource === '' ? '' : `${subresource}: `}last write of ${paths.join(', ')}`,
  }));
  return [
    created,
    ...writes,
    ...(deleted === '' ? [] : [{ time: deleted, word: 'DELETED', who: '-', text: 'being deleted' }]),
  ];
}

async function eventFacts({ client, signal, notice }: Session, { metadata }: ReadonlyObject): Promise<Fact[]> {
  const fieldSelector = `involvedObject.uid=${metadata.uid}`;
  const namespace = metadata.namespace ?? 'default';
  try {
    const { items } = await client.resource<UnknownObject>(EVENTS, { namespace }).list({ fieldSelector }, { signal });
    return items.map((event) => ({
      time: textOf(event.lastTimestamp) || textOf(event.eventTime) || textOf(event.metadata.creationTimestamp),
      word: 'EVENT',
      who:
        textOf(event.reportingComponent) ||
        textOf((event.source as { component?: unknown } | undefined)?.component) ||
        '-',
      text: `${textOf(event.reason)}: ${textOf(event.message)}${Number(event.count) > 1 ? ` (${event.count} times)` : ''}`,
    }));
  } catch (error) {
    notice(`Events cannot be read: ${messageOf(error)}`);
    return [];
  }
}

async function revisionFacts({ client, signal, notice }: Session, owner: ReadonlyObject): Promise<Fact[]> {
  const facts: Fact[] = [];
  for (const { gvr } of REVISIONED.filter(({ kind }) => kind === owner.kind)) {
    try {
      const { items } = await client
        .resource<UnknownObject>(gvr, { namespace: owner.metadata.namespace })
        .list({}, { signal });
      for (const { metadata, spec, revision } of items) {
        if (!metadata.ownerReferences?.some(({ uid }) => uid === owner.metadata.uid)) continue;
        const number = metadata.annotations?.['deployment.kubernetes.io/revision'] ?? textOf(revision);
        const images = imagesOf(spec);
        facts.push({
          time: textOf(metadata.creationTimestamp),
          word: 'ROLLOUT',
          who: '-',
          text: `revision ${number}, ${metadata.name}${images === '' ? '' : `: ${images}`}`,
        });
      }
    } catch (error) {
      notice(`${gvr.resource} cannot be read: ${messageOf(error)}`);
    }
  }
  return facts;
}

function imagesOf(spec: unknown): string {
  const { template } = (spec ?? {}) as { template?: { spec?: { containers?: { image?: unknown }[] } } };
  return (template?.spec?.containers ?? []).map(({ image }) => textOf(image)).join(', ');
}

const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';
