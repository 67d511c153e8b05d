import assert from 'node:assert/strict';
import type { InformerNotification } from '../../src/informer/handlers/notification.ts';
import type { UnknownObject } from '../../src/model/object.ts';
import { isBefore, type Position } from './epochs.ts';
import { NODES } from './operations.ts';
import type { Delivered } from './tap.ts';
import { type Change, type EpochNotification, keyIn, laneOf, type Reported, versionOf, type World } from './world.ts';

/** More requests of one informer at one moment than this are a loop. */
const MOST_AT_ONCE = 15;
/** The longest time in which a dead connection must be noticed after the first change that it did not bring, ms. */
const NOTICED_MS = 30_000;

/** Between the two positions changes may be missing. */
interface KnownGap {
  readonly from: Position;
  to: Position | undefined;
}

/**
 * The rules that must hold at every moment. A check looks only at what is new since the last one, so that a whole run
 * costs no more than its length.
 */
export class Invariants {
  readonly #world: World;
  readonly #known = new Map<string, string>();
  readonly #slowKnown = new Map<string, string>();
  readonly #cursors = new Map<string, number>();
  /** The epoch in which each object was reported last. */
  readonly #epochs = new Map<string, number>();
  /**
   * The number of changes that had been sent to a source when it found the server's history to be another one. It
   * refuses the rest.
   */
  readonly #refused = new Map<string, number>();
  /** The positions where sources continued on a replaced history that contained everything they knew. */
  readonly #forward = new Map<string, Position[]>();
  readonly #knownGaps = new Map<string, KnownGap[]>();
  readonly #synced = new Map<string, Position>();
  noticed = 0;
  replaced = 0;
  #seen = 0;
  #coalesced = 0;
  #seenContinuity = 0;
  #gaps = new Map<string, boolean>();
  #traced = 0;

  constructor(world: World) {
    this.#world = world;
  }

  /** To be called whenever no request and no step is running. */
  check(): void {
    this.#checkLedger();
    this.#checkHalfOpen();
    this.#checkStory();
    this.#checkSlowStory();
    this.#checkGuests();
    this.#checkCache();
    this.#checkPace();
  }

  /** Notifications must follow from each other, and must be what the server sent. */
  #checkStory(): void {
    const { notifications, plan } = this.#world;
    for (const notification of notifications.slice(this.#seen)) {
      this.#applyInEpochs(notification);
      if (notification.cause === 'watch') this.#checkDelivered(notification);
      if (notification.cause === 'relist' && !isUnchanged(notification))
        assert(this.#gaps.has(laneOf(notification.key, plan.scopes)), `${notification.key}: relisted without a gap`);
    }
    this.#seen = notifications.length;
    for (const scope of plan.scopes) {
      this.#skipUnknownDeletions(scope);
      this.#skipRefused(scope);
      assert.equal(
        this.#world.tap.delivered(scope).length,
        this.#cursors.get(scope) ?? 0,
        `lane "${scope}": a change that arrived was not reported`,
      );
    }
  }

  /** Within one history the version of an object never decreases. In another history it may. */
  #applyInEpochs(notification: EpochNotification): void {
    const { key, epoch, cause } = notification;
    apply(notification, this.#known, this.#epochs.get(key) === epoch ? 'exact' : 'across histories');
    if (cause !== 'resync') this.#epochs.set(key, epoch);
  }

  #checkDelivered(notification: InformerNotification<UnknownObject>): void {
    const scope = laneOf(notification.key, this.#world.plan.scopes);
    this.#skipUnknownDeletions(scope, notification);
    const at = this.#cursors.get(scope) ?? 0;
    const sent = this.#world.tap.delivered(scope);
    const isNext = sent[at]?.key === notification.key && sent[at]?.version === versionOf(notification.object);
    if (!isNext && this.#skipRefused(scope)) this.#skipUnknownDeletions(scope, notification);
    const next = this.#cursors.get(scope) ?? 0;
    const event = sent[next];
    assert(event, `${notification.kind} ${notification.key} was reported but never sent`);
    const { key, object } = notification;
    assert.deepEqual(
      { key, version: versionOf(object) },
      { key: event.key, version: event.version },
      'reported in another order than sent',
    );
    assert.equal(
      notification.kind === 'deleted',
      event.type === 'DELETED',
      `${key}: sent as ${event.type}, reported as ${notification.kind}`,
    );
    this.#cursors.set(scope, next + 1);
  }

  #skipRefused(scope: string): boolean {
    const refused = this.#refused.get(scope) ?? 0;
    if (refused <= (this.#cursors.get(scope) ?? 0)) return false;
    this.#cursors.set(scope, refused);
    return true;
  }

  /** Skips deletions of objects that no handler knows, which are not reported. */
  #skipUnknownDeletions(scope: string, next?: InformerNotification<UnknownObject>): void {
    const delivered = this.#world.tap.delivered(scope);
    let at = this.#cursors.get(scope) ?? 0;
    while (isUnknownDeletion(delivered[at], next, this.#known)) at++;
    this.#cursors.set(scope, at);
  }

  #checkSlowStory(): void {
    const { coalesced } = this.#world;
    for (const notification of coalesced.slice(this.#coalesced)) apply(notification, this.#slowKnown, 'coalesced');
    this.#coalesced = coalesced.length;
  }

  /** A late handler must know the same objects as the first one. */
  #checkGuests(): void {
    for (const { notifications, known } of this.#world.guests) {
      // the order of versions is checked above
      for (const notification of notifications.splice(0)) apply(notification, known, 'across histories');
      assert.deepEqual(stateOf(known), stateOf(this.#known), 'a late handler knows other objects');
    }
  }

  /** The cache must contain what the handler knows, and its indexes must agree with it. */
  #checkCache(): void {
    const { lister } = this.#world.informer;
    const cached = lister.list().map((o) => `${keyIn(o)}@${versionOf(o)}`);
    assert.deepEqual(cached.sort(), stateOf(this.#known), 'the cache differs from its notifications');
    for (const node of NODES) {
      const scanned = lister.list().filter((o) => o.metadata.annotations?.node === node);
      assert.deepEqual(lister.indexKeys('node', node), scanned.map(keyIn).sort(), `index node=${node}`);
    }
    assert.equal(
      lister.indexValues('node').length,
      new Set(lister.list().map((o) => o.metadata.annotations?.node ?? '')).size,
    );
  }

  /** A gap must be reported before a relist, and be closed by it. */
  #checkLedger(): void {
    const { continuity, informer } = this.#world;
    for (const event of continuity.slice(this.#seenContinuity)) this.#follow(event);
    this.#seenContinuity = continuity.length;
    for (const ledger of informer.continuity) {
      assert(
        ledger.relists <= ledger.gapCount && ledger.gapCount <= ledger.relists + 1,
        'every gap but the open one has its relist',
      );
    }
  }

  #follow(event: Reported): void {
    const scope = event.scope ?? '';
    const { epoch } = event;
    if (event.kind === 'gap') {
      assert(!this.#gaps.get(scope), 'a gap in a gap');
      this.#gaps.set(scope, true);
      listOf(this.#knownGaps, scope).push({
        from: { epoch: event.reached.epoch, version: Number(event.from) },
        to: undefined,
      });
      if (event.why === 'replaced') this.replaced++;
      if (event.why === 'replaced') this.#refused.set(scope, event.sent);
    }
    if (event.kind === 'relisted') {
      assert(this.#gaps.get(scope), 'a relist with no gap before it');
      this.#gaps.set(scope, false);
      const gap = listOf(this.#knownGaps, scope).at(-1);
      if (gap) gap.to = { epoch, version: Number(event.resourceVersion) };
    }
    if (event.kind === 'synced') this.#synced.set(scope, { epoch, version: Number(event.resourceVersion) });
    if (event.kind === 'resumed' || event.kind === 'proven' || event.kind === 'connected')
      this.#checkClaim(scope, event);
  }

  /**
   * When a source resumes at a version, "nothing was missed" may be claimed only in a history that contains everything
   * the source knows.
   */
  #checkClaim(scope: string, event: Reported & { kind: 'resumed' | 'proven' | 'connected' }): void {
    const isProven = event.kind === 'proven' || event.proven;
    assert(
      event.isContinued || !isProven,
      `lane "${scope}": "nothing was missed" since ${event.since}, in another history`,
    );
    const from = { epoch: event.reached.epoch, version: Number(event.since) };
    if (event.isContinued && from.epoch !== event.epoch) listOf(this.#forward, scope).push(from);
  }

  /**
   * A connection that died without a sign must be noticed in time: after the first change that it did not bring, or
   * when the server does not answer either.
   */
  #checkHalfOpen(): void {
    const { halfOpen, continuity, clock, history, plan, tap } = this.#world;
    if (!halfOpen) return;
    const { since, deafUntil, scopes } = halfOpen;
    for (const scope of scopes) {
      const sign = continuity.slice(halfOpen.reported).find((e) => (e.scope ?? '') === scope && SIGNS.has(e.kind));
      const forgotten = tap.forgotten.get(scope) ?? 0; // the server could not show what had been missed until then
      const later = history.slice(halfOpen.changes);
      const missed = later.find((c) => c.at >= forgotten && c.isSelected && laneOf(c.key, plan.scopes) === scope);
      const dueOf = missed ? missed.at + NOTICED_MS : Number.POSITIVE_INFINITY;
      const due = Math.min(dueOf, deafUntil - since >= NOTICED_MS ? since + NOTICED_MS : Number.POSITIVE_INFINITY);
      const at = sign ? sign.at - (clock.now() - clock.monotonic()) : clock.monotonic();
      assert(at <= due, `lane "${scope}": a dead connection was not noticed within ${NOTICED_MS / 1000} s`);
      if (!sign) continue;
      scopes.delete(scope);
      if (due < Number.POSITIVE_INFINITY) this.noticed++;
    }
  }

  /** To be called after a time with only bookmarks, in which no stream may count as dead. */
  checkPeace(since: number): void {
    const alarms = this.#world.continuity
      .slice(since)
      .filter((e) => e.kind !== 'proven' && (e.kind !== 'resumed' || e.why !== 'closed'));
    assert.deepEqual(alarms, [], 'a healthy stream was cut');
  }

  #checkPace(): void {
    const { trace, plan } = this.#world;
    const counts = new Map<string, number>();
    for (const line of trace.slice(this.#traced)) {
      const [, at] = / GET /.test(line) ? (/^(\S+)/.exec(line) ?? []) : [];
      if (at) counts.set(at, (counts.get(at) ?? 0) + 1);
    }
    this.#traced = trace.length;
    for (const [at, count] of counts) assert(count <= MOST_AT_ONCE * plan.scopes.length, `${count} requests at ${at}`);
  }

  /** To be called when no fault is left and every pause has passed. */
  checkQuiet(): void {
    const { informer, serverState, slow, guests } = this.#world;
    assert(informer.hasSynced, 'it has synced');
    assert(
      guests.every(({ registration }) => registration.hasSynced),
      'every late handler has synced',
    );
    assert.deepEqual(stateOf(this.#known), serverState, 'once quiet the cache equals the server');
    assert.equal(slow.depth, 0);
    assert.deepEqual(stateOf(this.#slowKnown), serverState, 'once quiet the slow handler knows the same');
    this.#checkGaps();
  }

  /** Every change on the server must have been reported, or be covered by a gap in the ledger. */
  #checkGaps(): void {
    const { history, notifications, plan, informer, collection, epochs } = this.#world;
    if (collection.definition) return; // objects vanish with their type, at versions that are not reported
    const reported = new Set(
      notifications.map((n) => named(n.key, epochs.home({ epoch: n.epoch, version: Number(versionOf(n.object)) }))),
    );
    plan.scopes.forEach((scope, i) => {
      const gaps = listOf(this.#knownGaps, scope);
      const inLedger = informer.continuity[i]?.gaps.map(({ from, to }) => [Number(from), Number(to)]);
      assert.deepEqual(
        inLedger,
        gaps.map(({ from, to }) => [from.version, to?.version]),
        'the ledger has the gaps that were reported',
      );
      const since = this.#synced.get(scope);
      const isDue = ({ key, position, isSelected }: Change) =>
        isSelected &&
        since &&
        isBefore(since, position) &&
        laneOf(key, plan.scopes) === scope &&
        !reported.has(named(key, position));
      for (const { key, position } of history.filter(isDue)) {
        const isCovered = gaps.some(({ from, to }) => isBefore(from, position) && to && !isBefore(to, position));
        // a change that was undone before it was seen never happened for a source that continues after it
        const isUndone = listOf(this.#forward, scope).some(
          (from) => from.epoch === position.epoch && isBefore(from, position),
        );
        assert(
          isCovered || isUndone,
          `${named(key, position)} was not reported, and no gap covers it: ${JSON.stringify(gaps)}`,
        );
      }
    });
  }
}

/** The events by which a connected source shows that it has noticed. */
const SIGNS: ReadonlySet<string> = new Set<Reported['kind']>(['disconnected', 'resumed', 'gap']);

const named = (key: string, { epoch, version }: Position) => `${key}@${epoch}:${version}`;

function listOf<V>(lists: Map<string, V[]>, scope: string): V[] {
  const list = lists.get(scope) ?? [];
  lists.set(scope, list);
  return list;
}

/**
 * Applies a notification as a consumer would. Fails when it contradicts the known objects. The old object for a slow
 * handler may be newer than the last one it got.
 */
function apply(
  notification: InformerNotification<UnknownObject>,
  known: Map<string, string>,
  how: 'exact' | 'across histories' | 'coalesced',
): void {
  const { kind, key, object } = notification;
  const before = known.get(key);
  if (kind === 'added') assert.equal(before, undefined, `added ${key}, which was there`);
  else assert.notEqual(before, undefined, `${kind} ${key}, which was not there`);
  if (how !== 'coalesced') {
    if (kind === 'updated') assert.equal(versionOf(notification.oldObject), before, `the old object of ${key}`);
    if (kind !== 'added' && how === 'exact')
      assert(Number(versionOf(object)) >= Number(before), `${key} goes back from ${before} to ${versionOf(object)}`);
  }
  if (kind === 'deleted') known.delete(key);
  else known.set(key, versionOf(object));
}

/** Whether a list shows an object as it is in the cache. */
const isUnchanged = (notification: InformerNotification<UnknownObject>) =>
  notification.kind === 'updated' && versionOf(notification.oldObject) === versionOf(notification.object);

const stateOf = (known: ReadonlyMap<string, string>) => [...known].map(([key, version]) => `${key}@${version}`).sort();

function isUnknownDeletion(
  event: Delivered | undefined,
  next: InformerNotification<UnknownObject> | undefined,
  known: ReadonlyMap<string, string>,
): boolean {
  if (event?.type !== 'DELETED') return false;
  return next ? next.key !== event.key || versionOf(next.object) !== event.version : !known.has(event.key);
}
