import { InformerError } from '../../kit/error.ts';
import { partsOfKey } from '../../model/key.ts';
import type { Timeline } from '../../timeline/timeline.ts';
import type { PastType, UiPast, UiProgram } from './ui-program.ts';
import type { UiChange, UiSubject } from './wire.ts';

/**
 * The program as it was at a moment: the whole type of the rows, and for an object the other types in its namespace, so
 * that its owners and Events are there.
 */
export async function programAt(
  program: UiProgram,
  moment: number,
  shown: { readonly type?: string | undefined; readonly subject?: UiSubject | null | undefined },
): Promise<UiProgram> {
  const { past, clock } = program;
  if (!past || !Number.isFinite(moment))
    throw new InformerError('argument', 'there is no recording to ask', { hint: 'reload the page' });
  const wanted = new Map<string, PastType>();
  const { subject } = shown;
  if (subject) {
    const { namespace } = partsOfKey(subject.key);
    for (const { id, namespaced } of past.types) if (namespaced && namespace !== '') wanted.set(id, { id, namespace });
    if (!wanted.has(subject.type)) wanted.set(subject.type, { id: subject.type });
  }
  if (shown.type !== undefined) wanted.set(shown.type, { id: shown.type });
  const caches = await past.at(moment, [...wanted.values()]);
  return { ...program, caches: () => caches, clock: { ...clock, now: () => moment } };
}

/** The changes of an object up to a moment, as the page shows them. */
export async function pastChanges(past: UiPast, { type, key }: UiSubject, moment: number, signal?: AbortSignal) {
  const { namespace, name } = partsOfKey(key);
  const timeline = await past.timeline({ type, name, namespace: namespace || undefined, until: moment }, signal);
  const changes = timeline?.lanes[0]?.changes ?? [];
  return { changes: changes.map(changeOf).reverse(), since: timeline?.from ?? moment };
}

const changeOf = ({
  at,
  kind,
  by,
  isInferred,
  fields,
  more,
}: Timeline['lanes'][number]['changes'][number]): UiChange => ({
  at,
  what: kind === 'added' ? 'ADDED' : kind === 'deleted' ? 'DELETED' : 'MODIFIED',
  cause: isInferred ? 'relist' : 'watch',
  fields,
  more,
  ...(by === '' ? {} : { by }),
});
