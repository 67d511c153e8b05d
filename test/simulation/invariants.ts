import assert from 'node:assert/strict';
import type { ContinuityEvent } from '../../src/informer/ledger.ts';
import type { Notification } from '../../src/informer/notification.ts';
import type { UnknownObject } from '../../src/model/object.ts';
import { NODES } from './operations.ts';
import type { Delivered } from './tap.ts';
import { keyIn, versionOf, type World } from './world.ts';

/** More requests of one informer in one instant than this are a loop. */
const MOST_AT_ONCE = 15;

/**
 * What must hold at every moment. Goes through what is new since the last call, so that a whole run costs no more than its length.
 */
export class Invariants {
  readonly #world: World;
  readonly #known = new Map<string, string>();
  readonly #slowKnown = new Map<string, string>();
  readonly #cursors = new Map<string, number>();
  #told = 0;
  #coalesced = 0;
  #heard = 0;
  #gaps = new Map<string, boolean>();
  #traced = 0;

  constructor(world: World) {
    this.#world = world;
  }

  /** To be called whenever nothing is under way. */
  check(): void {
    this.#checkLedger();
    this.#checkStory();
    this.#checkSlowStory();
    this.#checkGuests();
    this.#checkCache();
    this.#checkPace();
  }

  /** A story that makes sense, each part of it as the server sent it. */
  #checkStory(): void {
    const { told, plan } = this.#world;
    for (const notification of told.slice(this.#told)) {
      retell(notification, this.#known, 'exact');
      if (notification.cause === 'watch') this.#checkDelivered(notification);
      if (notification.cause === 'relist')
        assert(this.#gaps.has(laneOf(notification.key, plan.scopes)), `${notification.key}: relisted without a gap`);
    }
    this.#told = told.length;
    for (const scope of plan.scopes) {
      this.#skipUnheardOf(scope);
      assert.equal(
        this.#world.tap.delivered(scope).length,
        this.#cursors.get(scope) ?? 0,
        `lane "${scope}": a change that arrived was not told`,
      );
    }
  }

  #checkDelivered(notification: Notification<UnknownObject>): void {
    const scope = laneOf(notification.key, this.#world.plan.scopes);
    this.#skipUnheardOf(scope, notification);
    const at = this.#cursors.get(scope) ?? 0;
    const event = this.#world.tap.delivered(scope)[at];
    assert(event, `${notification.kind} ${notification.key} was told but never sent`);
    const { key, object } = notification;
    assert.deepEqual({ key, version: versionOf(object) }, { key: event.key, version: event.version }, 'told in another order than sent');
    assert.equal(notification.kind === 'deleted', event.type === 'DELETED', `${key}: sent as ${event.type}, told as ${notification.kind}`);
    this.#cursors.set(scope, at + 1);
  }

  /** A deletion of what nobody knew is nobody's news. */
  #skipUnheardOf(scope: string, next?: Notification<UnknownObject>): void {
    const delivered = this.#world.tap.delivered(scope);
    let at = this.#cursors.get(scope) ?? 0;
    while (isUnheardOf(delivered[at], next, this.#known)) at++;
    this.#cursors.set(scope, at);
  }

  #checkSlowStory(): void {
    const { coalesced } = this.#world;
    for (const notification of coalesced.slice(this.#coalesced)) retell(notification, this.#slowKnown, 'coalesced');
    this.#coalesced = coalesced.length;
  }

  /** Whoever comes late knows as much as those who were there from the start. */
  #checkGuests(): void {
    for (const { told, known } of this.#world.guests) {
      for (const notification of told.splice(0)) retell(notification, known, 'exact');
      assert.deepEqual(stateOf(known), stateOf(this.#known), 'a late handler knows something else');
    }
  }

  /** The cache shows what the handler knows, and its indexes agree with it. */
  #checkCache(): void {
    const { lister } = this.#world.informer;
    const cached = lister.list().map((o) => `${keyIn(o)}@${versionOf(o)}`);
    assert.deepEqual(cached.sort(), stateOf(this.#known), 'the cache and what was told of it differ');
    for (const node of NODES) {
      const scanned = lister.list().filter((o) => o.metadata.annotations?.node === node);
      assert.deepEqual(lister.indexKeys('node', node), scanned.map(keyIn).sort(), `index node=${node}`);
    }
    assert.equal(lister.indexValues('node').length, new Set(lister.list().map((o) => o.metadata.annotations?.node ?? '')).size);
  }

  /** A gap is told before anything is relisted, and closed by it. */
  #checkLedger(): void {
    const { continuity, informer } = this.#world;
    for (const event of continuity.slice(this.#heard)) this.#hear(event);
    this.#heard = continuity.length;
    for (const ledger of informer.continuity) {
      assert(ledger.relists <= ledger.gapCount && ledger.gapCount <= ledger.relists + 1, 'every gap but the open one has its relist');
    }
  }

  #hear(event: ContinuityEvent): void {
    const scope = event.scope ?? '';
    if (event.kind === 'gap') {
      assert(!this.#gaps.get(scope), 'a gap in a gap');
      this.#gaps.set(scope, true);
    }
    if (event.kind === 'relisted') {
      assert(this.#gaps.get(scope), 'a relist with no gap before it');
      this.#gaps.set(scope, false);
    }
  }

  /** To be called when there was nothing for a while but bookmarks: nobody may have taken that for a dead stream. */
  checkPeace(since: number): void {
    const alarms = this.#world.continuity.slice(since).filter((e) => e.kind !== 'proven' && (e.kind !== 'resumed' || e.why !== 'closed'));
    assert.deepEqual(alarms, [], 'a living stream was cut');
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

  /** Every change of the server's was told, unless it fell into a gap the ledger tells of. */
  #checkGaps(): void {
    const { history, told, plan, informer, collection } = this.#world;
    if (collection.definition) return; // objects go with their type, at revisions nobody told us
    const heard = new Set(told.map((n) => `${n.key}@${versionOf(n.object)}`));
    plan.scopes.forEach((scope, i) => {
      const ledger = informer.continuity[i];
      const first = this.#world.continuity.find((e) => e.kind === 'synced' && (e.scope ?? '') === scope);
      const since = first?.kind === 'synced' ? Number(first.resourceVersion) : Number.POSITIVE_INFINITY;
      for (const { key, revision, isSelected } of history) {
        if (!isSelected || revision <= since || laneOf(key, plan.scopes) !== scope || heard.has(`${key}@${revision}`)) continue;
        const gap = ledger?.gaps.some(({ from, to }) => Number(from) < revision && revision <= Number(to));
        assert(gap, `${key}@${revision} was not told, and no gap tells of it: ${JSON.stringify(ledger?.gaps)}`);
      }
    });
  }
}

/** Follows a story as a consumer would; fails where it makes no sense. A slow one's old object may be newer than what it was told last. */
function retell(notification: Notification<UnknownObject>, known: Map<string, string>, how: 'exact' | 'coalesced'): void {
  const { kind, key, object } = notification;
  const before = known.get(key);
  if (kind === 'added') assert.equal(before, undefined, `added ${key}, which was there`);
  else assert.notEqual(before, undefined, `${kind} ${key}, which was not there`);
  if (how === 'exact') {
    if (kind === 'updated') assert.equal(versionOf(notification.oldObject), before, `the old object of ${key}`);
    if (kind !== 'added') assert(Number(versionOf(object)) >= Number(before), `${key} goes back from ${before} to ${versionOf(object)}`);
  }
  if (kind === 'deleted') known.delete(key);
  else known.set(key, versionOf(object));
}

const stateOf = (known: ReadonlyMap<string, string>) => [...known].map(([key, version]) => `${key}@${version}`).sort();

const laneOf = (key: string, scopes: readonly string[]) => (scopes.length === 1 ? (scopes[0] ?? '') : key.slice(0, key.indexOf('/')));

function isUnheardOf(
  event: Delivered | undefined,
  next: Notification<UnknownObject> | undefined,
  known: ReadonlyMap<string, string>,
): boolean {
  if (event?.type !== 'DELETED') return false;
  return next ? next.key !== event.key || versionOf(next.object) !== event.version : !known.has(event.key);
}
