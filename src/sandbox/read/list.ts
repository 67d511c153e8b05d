import { failure } from '../../model/status.ts';
import type { ResourceCall } from '../api/call.ts';
import type { ApiResponse } from '../api/exchange.ts';
import { bodyBytes } from '../api/exchange.ts';
import { respondEncoded } from '../api/respond.ts';
import type { Cluster } from '../cluster.ts';
import { badRequest, refuse, tooLargeResourceVersion } from '../status/statuses.ts';
import { decodeContinue, encodeContinue } from '../store/continue-token.ts';
import type { StoredObject } from '../store/stored-object.ts';
import type { ApiType } from '../types/api-type.ts';
import { type ListEncoder, type ListMeta, listEncoder } from './encode.ts';
import { parseListOptions, type ReadOptions } from './read-options.ts';
import { type Selection, selectionOf } from './selection.ts';

/** How long a list waits for a version that is not reached yet. Source: apiserver storage/cacher blockTimeout. */
const WAIT_FOR_VERSION_MS = 3_000;

/** Answers LIST with one page of one consistent state. The body is encoded chunk by chunk while it is read. */
export async function answerList(cluster: Cluster, call: ResourceCall): Promise<ApiResponse> {
  const options = parseListOptions(call, cluster.features);
  const selection = selectionOf(call.type, options);
  const at = await startOf(cluster, call, options);
  const page = pageOf(cluster, call, { ...at, options, selection });
  const encoder = listEncoder(call.type, call.representation, cluster.clock.now());
  const response = { status: 200, headers: { 'content-type': 'application/json' }, body: encodeList(page, encoder) };
  const { syntax, pretty } = call.representation;
  return syntax === 'yaml' || pretty
    ? respondEncoded(200, Buffer.from(await bodyBytes(response)), call.representation)
    : response;
}

/** The objects that a request selects, in key order. */
export function select(
  cluster: Cluster,
  type: ApiType,
  namespace: string | undefined,
  selection: Selection | undefined,
): StoredObject[] {
  const found = cluster.store.collection(type.storage).list({ prefix: keyPrefix(namespace) }, cluster.store.revision);
  return selection ? found.filter(selection) : found;
}

export function keyPrefix(namespace: string | undefined): string {
  return namespace === undefined ? '' : `${namespace}/`;
}

interface Start {
  /** The revision whose state the list shows. */
  readonly revision: number;
  readonly from: string | undefined;
  readonly paged: boolean;
}

async function startOf(cluster: Cluster, call: ResourceCall, options: ReadOptions): Promise<Start> {
  const { store } = cluster;
  if (options.continue !== '') return continued(cluster, call, options.continue);
  if (options.resourceVersion === '') return { revision: store.revision, from: undefined, paged: true };
  if (options.resourceVersion === '0') return { revision: store.revision, from: undefined, paged: false };
  const exact = options.match === 'Exact' || (options.match === '' && options.limit > 0);
  return exact ? exactly(cluster, call, options.resourceVersion) : notOlderThan(cluster, call, options);
}

function continued({ store }: Cluster, call: ResourceCall, text: string): Start {
  const token = decodeContinue(text);
  if ('problem' in token) return badRequest(`invalid continue token: ${token.problem}`);
  const from = keyPrefix(call.namespace) + token.start;
  if (token.revision === -1) return { revision: store.revision, from, paged: true };
  if (token.revision < store.oldestState(call.type.storage)) expiredContinue(token.start);
  return { revision: token.revision, from, paged: true };
}

function expiredContinue(start: string): never {
  const message =
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';
  refuse({ ...failure(410, 'Expired', message), metadata: { continue: encodeContinue({ revision: -1, start }) } });
}

function exactly({ store }: Cluster, call: ResourceCall, text: string): Start {
  const revision = Number(text);
  if (revision > store.revision) tooLargeResourceVersion(text, store.revision);
  if (revision < store.oldestState(call.type.storage)) {
    refuse(failure(410, 'Expired', 'The resourceVersion for the provided list is too old.'));
  }
  return { revision, from: undefined, paged: true };
}

async function notOlderThan(cluster: Cluster, call: ResourceCall, { resourceVersion }: ReadOptions): Promise<Start> {
  const reached = await waitForRevision(cluster, Number(resourceVersion), call.signal);
  if (!reached) tooLargeResourceVersion(resourceVersion, cluster.store.revision);
  return { revision: cluster.store.revision, from: undefined, paged: true };
}

/** Whether the store reaches a revision within three seconds. */
async function waitForRevision({ store, clock }: Cluster, revision: number, signal: AbortSignal): Promise<boolean> {
  if (store.revision >= revision) return true;
  const patience = new AbortController();
  using _timer = clock.after(WAIT_FOR_VERSION_MS, () => patience.abort());
  const either = AbortSignal.any([patience.signal, signal]);
  while (store.revision < revision && !either.aborted) await store.nextWrite(either).catch(() => {});
  return store.revision >= revision;
}

interface Page {
  readonly items: readonly StoredObject[];
  readonly meta: ListMeta;
}

interface PageRequest extends Start {
  readonly options: ReadOptions;
  readonly selection: Selection | undefined;
}

function pageOf(
  { store }: Cluster,
  { type, namespace }: ResourceCall,
  { revision, from, paged, options, selection }: PageRequest,
): Page {
  const prefix = keyPrefix(namespace);
  const all = store.collection(type.storage).list({ prefix, from }, revision);
  const { labels, fields, limit, part } = options;
  const { items, read } = take(all, paged ? limit : 0, selection);
  const more = read < all.length;
  const last = all[read - 1];
  return {
    items,
    meta: {
      resourceVersion: String(revision),
      continue: more && last ? encodeContinue({ revision, start: `${last.key.slice(prefix.length)}\0` }) : '',
      // a part of a collection does not count: a real server gives the rest of the whole
      remaining: more && labels.matchesEverything && fields.matchesEverything ? all.length - read : undefined,
      part: part?.listMeta,
    },
  };
}

/** The first `limit` selected objects (all when 0), and how many objects were read to find them. */
function take(
  all: readonly StoredObject[],
  limit: number,
  selection: Selection | undefined,
): { items: readonly StoredObject[]; read: number } {
  if (limit === 0) return { items: selection ? all.filter(selection) : all, read: all.length };
  if (!selection) return { items: all.slice(0, limit), read: Math.min(limit, all.length) };
  const items: StoredObject[] = [];
  let read = 0;
  while (read < all.length && items.length < limit) {
    const object = all[read++] as StoredObject;
    if (selection(object)) items.push(object);
  }
  return { items, read };
}

const CHUNK_LENGTH = 128 * 1024;

/** The body of a list, in chunks of at least 128 KiB; the last one may be smaller. */
async function* encodeList({ items, meta }: Page, encoder: ListEncoder): AsyncGenerator<Uint8Array, void, void> {
  const empty = items.length === 0;
  let texts = [encoder.open(meta, empty)];
  let length = texts[0]?.length ?? 0;
  let comma = '';
  for (const object of items) {
    const text = comma + encoder.item(object);
    texts.push(text);
    length += text.length;
    comma = ',';
    if (length < CHUNK_LENGTH) continue;
    yield bytesOf(texts);
    texts = [];
    length = 0;
  }
  texts.push(encoder.close(meta, empty));
  yield bytesOf(texts);
}

/**
 * The bytes of several texts. Joining the texts first would make one large string, which costs a full garbage
 * collection.
 */
function bytesOf(texts: readonly string[]): Buffer {
  let size = 0;
  for (const text of texts) size += Buffer.byteLength(text);
  const bytes = Buffer.allocUnsafe(size);
  let at = 0;
  for (const text of texts) at += bytes.write(text, at);
  return bytes;
}
