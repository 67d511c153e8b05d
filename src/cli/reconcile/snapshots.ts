import type { ResourceSelection } from '../../client/discovery/resource-args.ts';
import type { CachedObject } from '../../controller/resource-event.ts';
import type { Source } from '../../controller/sources/source.ts';
import type { HookRequest } from '../../hooks/hook.ts';
import type { Lister } from '../../informer/store/lister.ts';
import { troubleOf } from '../../informer/sync-result.ts';
import { InformerError } from '../../kit/error.ts';
import { formatGroupResource, formatGvr } from '../../model/gvr.ts';
import { keyOf, type ObjectKey, splitKey } from '../../model/key.ts';
import { LabelSelector } from '../../model/label-selector.ts';
import type { ReadonlyObject, UnknownObject } from '../../model/object.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import type { ObjectRedactor } from '../../stream/redact.ts';
import { withKind } from '../../stream/shown-object.ts';
import type { WatchTarget } from '../session/informers.ts';
import type { Session } from '../session/session.ts';
import { onlyOne } from './only-one.ts';

/** Objects of another type that the hook gets with each request. */
export interface SnapshotPlan {
  /** Its key in `snapshots` of the request. */
  readonly name: string;
  readonly selection: ResourceSelection;
  readonly selector: string | undefined;
}

/** A snapshot and the cache from which it comes. */
export interface SnapshotTarget extends SnapshotPlan {
  readonly target: WatchTarget;
}

interface SnapshotText {
  readonly name: string;
  readonly type: string;
  readonly selector: string | undefined;
}

/** Parses `NAME=TYPE[:SELECTOR]`, the argument of `--with`. Throws `argument` for any other text, and a name given twice. */
export function parseSnapshots(texts: readonly string[]): SnapshotText[] {
  const parsed = texts.map(parseSnapshot);
  const twice = parsed.find(({ name }, i) => parsed.findIndex((other) => other.name === name) < i);
  if (twice)
    throw new InformerError('argument', `--with ${twice.name} is given twice`, { hint: 'choose another name' });
  return parsed;
}

function parseSnapshot(text: string): SnapshotText {
  const { name, type, selector } =
    /^(?<name>[A-Za-z][\w-]*)=(?<type>[^:\s]+)(?::(?<selector>.+))?$/.exec(text)?.groups ?? {};
  if (name === undefined || type === undefined)
    throw new InformerError(
      'argument',
      `invalid argument "${text}" for "--with": expected NAME=TYPE or NAME=TYPE:SELECTOR`,
      {
        hint: 'for example --with pods=pods:app=web; the hook finds them as snapshots.pods',
      },
    );
  LabelSelector.parse(selector ?? '');
  return { name, type, selector };
}

export function snapshotPlans(texts: readonly SnapshotText[], session: Session): Promise<SnapshotPlan[]> {
  return Promise.all(
    texts.map(async ({ name, type, selector }) => ({
      name,
      selector,
      selection: onlyOne(await session.resolve([type])),
    })),
  );
}

/**
 * The caches of snapshots: one that is there already, if it has all objects of the type; else a new one for each type
 * and selector.
 */
export function snapshotTargets(
  plans: readonly SnapshotPlan[],
  whole: readonly WatchTarget[],
  create: (plan: SnapshotPlan) => WatchTarget,
): SnapshotTarget[] {
  const targets: SnapshotTarget[] = [];
  for (const plan of plans) {
    const isOfType = ({ type }: WatchTarget) => formatGvr(type.gvr) === formatGvr(plan.selection.type.gvr);
    const isSame = (other: SnapshotPlan) =>
      other.selector === plan.selector && other.selection.names.join() === plan.selection.names.join();
    const known = whole.find(isOfType) ?? targets.find((other) => isOfType(other.target) && isSame(other))?.target;
    targets.push({ ...plan, target: known ?? create(plan) });
  }
  return targets;
}

/** The most objects of one snapshot in one request. */
export const MOST_IN_SNAPSHOT = 500;

/**
 * The `snapshots` of a hook's request: of namespaced types the objects in the namespace of the key, of others all; all
 * objects for a key without a namespace. In the order of their keys, redacted, and at most {@link MOST_IN_SNAPSHOT} of
 * each name; where there are more, the request has their number, and one line says so.
 */
export class Snapshots {
  readonly #targets: readonly SnapshotTarget[];
  readonly #redactor: ObjectRedactor;
  readonly #notice: (text: string) => void;
  readonly #cut = new Set<string>();

  constructor(targets: readonly SnapshotTarget[], redactor: ObjectRedactor, notice: (text: string) => void) {
    this.#targets = targets;
    this.#redactor = redactor;
    this.#notice = notice;
  }

  of(key: ObjectKey): Pick<HookRequest, 'snapshots' | 'snapshotsCut'> {
    const { namespace } = splitKey(key);
    const cut: Record<string, number> = {};
    const snapshots: Record<string, readonly CachedObject[]> = {};
    for (const each of this.#targets) {
      const { name, target } = each;
      const found = selected(each, target.type.namespaced && namespace !== '' ? namespace : undefined);
      if (found.length > MOST_IN_SNAPSHOT) {
        cut[name] = found.length;
        this.#sayCut(name, target.type, found.length, key);
      }
      const passed = found.toSorted(byKey).slice(0, MOST_IN_SNAPSHOT);
      snapshots[name] = passed.map((object) => this.#redactor.redact(withKind(object, target.type), target.type.gvr));
    }
    return { snapshots, ...(Object.keys(cut).length > 0 ? { snapshotsCut: cut } : {}) };
  }

  #sayCut(name: string, { gvr }: ResourceType, count: number, key: ObjectKey): void {
    if (this.#cut.has(name)) return;
    this.#cut.add(name);
    this.#notice(
      `--with ${name}: there are ${count} ${formatGroupResource(gvr)} for ${key}, and the hook gets the first ${MOST_IN_SNAPSHOT}; a selector (--with ${name}=TYPE:SELECTOR) chooses which`,
    );
  }
}

function selected(
  { target, selector, selection }: SnapshotTarget,
  namespace: string | undefined,
): readonly ReadonlyObject[] {
  const names = new Set(selection.names);
  const lister: Lister<UnknownObject> = target.informer.lister;
  const found = lister.list({
    ...(namespace === undefined ? {} : { namespace }),
    ...(selector === undefined ? {} : { selector }),
  }) as readonly ReadonlyObject[];
  return names.size === 0 ? found : found.filter(({ metadata }) => names.has(metadata.name ?? ''));
}

const byKey = (a: ReadonlyObject, b: ReadonlyObject) => (keyOf(a) < keyOf(b) ? -1 : 1);

/** Whether a snapshot has no object at all. */
export const isEmptySnapshot = (target: SnapshotTarget): boolean => selected(target, undefined).length === 0;

/** A source that queues nothing: with it, no run begins before the cache of a snapshot is synced. */
export function snapshotSource({ informer }: WatchTarget): Source {
  return {
    name: informer.name,
    trouble: () => troubleOf(informer),
    start: (_, { signal }) => informer.whenSynced(signal),
  };
}
