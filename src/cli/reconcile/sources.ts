import { enqueueMapped, enqueueOwner } from '../../controller/sources/enqueue.ts';
import { createInformerSource, informerEvents } from '../../controller/sources/informer-source.ts';
import { labelledPredicate } from '../../controller/sources/predicate.ts';
import { createEventSource, createTimerSource, type EventFeed, type Source } from '../../controller/sources/source.ts';
import { createScheduleSource } from '../../hooks/triggers/schedule-source.ts';
import type { TriggerFilter } from '../../hooks/triggers/trigger-filter.ts';
import type { MappedType } from './key-map.ts';
import type { ReconcilePlan } from './reconcile-plan.ts';
import type { Sharing } from './sharing.ts';
import { snapshotSource } from './snapshots.ts';
import type { ReconcileTargets } from './targets.ts';

/** The sources that put keys into the queue: the caches and the timers. A gate lets the keys of this process through. */
export function sourcesOf(
  plan: ReconcilePlan,
  { primary, owned, watched, snapshots }: ReconcileTargets,
  filter: TriggerFilter,
  gate?: Sharing['gate'],
): Source[] {
  const { type, informer } = primary;
  const enqueueOwning = enqueueOwner({
    group: type.gvr.group,
    kind: type.kind,
    namespaced: type.namespaced,
    onlyController: true,
  });
  const { on, watchOnly } = plan.filters.rules;
  // what exists at the start would otherwise run the objects that --on and --watch-only leave out
  const skipsStart = watchOnly || (on && !on.has('ADDED'));
  const ofChange = labelledPredicate(on ? '--on' : '--watch-only', ({ cause }) => cause !== 'initial');
  const predicate = skipsStart ? ofChange : undefined;
  const events = gate ? gate.feed(informerEvents(informer)) : informerEvents(informer);
  const sources = [
    createEventSource(filtered(events, filter), { name: informer.name, isPrimary: true }),
    ...owned.map((target) =>
      createInformerSource(target.informer, { name: target.informer.name, enqueue: enqueueOwning, predicate }),
    ),
    ...watched.map((target, i) =>
      createInformerSource(target.informer, {
        name: target.informer.name,
        enqueue: enqueueMapped((object) => (plan.watches[i] as MappedType).keysOf(object as never, informer.lister)),
        predicate,
      }),
    ),
  ];
  sources.push(...snapshots.map(({ target }) => snapshotSource(target)));
  if (plan.everyMs !== undefined)
    sources.push(createTimerSource({ everyMs: plan.everyMs, keys: () => informer.lister.keys() }));
  sources.push(...plan.schedules.map((each) => createScheduleSource(each, () => informer.lister.keys())));
  if (!gate) return sources;
  const [own, ...others] = sources as [Source, ...Source[]];
  return [own, ...others.map((source) => gate.source(source))];
}

/** The events that a filter lets through, as it gives them. */
function filtered(events: EventFeed, filter: TriggerFilter): EventFeed {
  return {
    trouble: () => events.trouble?.(),
    subscribe: (listener, skipped) =>
      events.subscribe((event) => {
        const judged = filter.judge(event);
        if ('event' in judged) listener(judged.event);
        else skipped?.(event, judged.droppedBy);
      }),
  };
}
