import { enqueueMapped, enqueueOwner } from '../../controller/enqueue.ts';
import { createInformerSource } from '../../controller/informer-source.ts';
import { and, changed, or, type Predicate } from '../../controller/predicate.ts';
import { createTimerSource, type Source } from '../../controller/source.ts';
import { joinKey } from '../../model/key.ts';
import type { MappedType, ReconcilePlan } from './plan.ts';
import type { ReconcileTargets } from './targets.ts';

/** What puts keys into the queue: the caches, and the timers. */
export function sourcesOf(plan: ReconcilePlan, { primary, owned, watched }: ReconcileTargets): Source[] {
  const { type, informer, names } = primary;
  const ofName: Predicate = ({ key }) => !names || names.has(key.slice(key.indexOf('/') + 1));
  // A finalizer is answered for whatever else an update must change: the beginning of a deletion is one.
  const deletion = plan.finalizer === undefined ? [] : [changed((object) => object.metadata.deletionTimestamp)];
  const predicate = plan.predicates.length === 0 ? ofName : and(ofName, or(...plan.predicates, ...deletion));
  const enqueueOwning = enqueueOwner({
    group: type.gvr.group,
    kind: type.kind,
    namespaced: type.namespaced,
    onlyController: true,
  });
  const sources = [
    createInformerSource(informer, { name: informer.name, predicate, isPrimary: true }),
    ...owned.map((target) =>
      createInformerSource(target.informer, { name: target.informer.name, enqueue: enqueueOwning }),
    ),
    ...watched.map((target, i) =>
      createInformerSource(target.informer, {
        name: target.informer.name,
        enqueue: mapped(plan.watches[i] as MappedType, type.namespaced),
      }),
    ),
  ];
  if (plan.everyMs !== undefined)
    sources.push(createTimerSource({ everyMs: plan.everyMs, keys: () => informer.lister.keys() }));
  return sources;
}

/** A name without a namespace is one in the namespace of the object that names it. */
function mapped({ map }: MappedType, namespaced: boolean) {
  return enqueueMapped((object) =>
    map(object).map((value) =>
      namespaced && !value.includes('/') ? joinKey(object.metadata.namespace, value) : value,
    ),
  );
}
