// A process that answers as an API server does, out of templates and kept bytes, so that a benchmark measures its
// client and not its server. Started by replay.ts with its options as JSON, it says on its channel where it listens; by
// hand (`node bench/replay-server.ts '{"objects":1000}'`), on stdout. Nothing is checked, nothing can be written.
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { createGzip } from 'node:zlib';
import { generate as makeCertificate } from 'selfsigned';
import { COLUMNS, type Form, GROUP_VERSION, KINDS, type Kind, ObjectTexts, RESOURCE } from './generator.ts';
import { mixed, NAMESPACES, type Texts, VERSIONS } from './marks.ts';
import type { ReplayOptions, ReplayReport, ReplayRequest, Storm, WatchPlan } from './replay.ts';

/** As much as goes to a socket at once. */
const CHUNK = 128 * 1024;
/**
 * From this size on an answer is sent compressed to who asks for it, at this level. Source: apiserver
 * endpoints/handlers/responsewriters.
 */
const GZIP_FROM = 128 * 1024;
const GZIP_LEVEL = 1;

/** What is asked for: a representation, a stretch of a collection. */
interface Question {
  readonly as: 'object' | 'metadata' | 'table';
  readonly include: string;
  readonly namespace: string | undefined;
  readonly limit: number;
  readonly start: number;
}

class Replay {
  readonly #options: ReplayOptions;
  readonly #objects: ObjectTexts;
  readonly #texts = new Map<string, Texts>();
  /** Compressed answers by what they answer. */
  readonly #compressed = new Map<string, Promise<Buffer[]>>();
  /** The open watches. */
  readonly #watches = new Set<{ readonly events: Texts; readonly send: Send }>();
  /** The version of the last change of a storm. */
  #version = VERSIONS.changes + 10_000_000;
  watchPlan: WatchPlan = { kind: 'quiet' };

  constructor(options: ReplayOptions) {
    this.#options = options;
    this.#objects = new ObjectTexts(options);
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://replay');
    const collection = collectionOf(url.pathname);
    if (!collection) return sendFixed(url.pathname, request, response);
    const question = readQuery(request, url, collection.namespace);
    const isOurs = collection.resource === RESOURCE[this.#objects.kind];
    if (url.searchParams.get('watch') === 'true' || url.searchParams.get('watch') === '1') {
      const initial = url.searchParams.get('sendInitialEvents') === 'true';
      return this.#watch(response, question, { initial, isOurs });
    }
    const found = isOurs ? this.#indexes(question) : NONE;
    const gzip = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
    const size = found.count * this.#textsOf(question).maxLength;
    if (!gzip || size < GZIP_FROM) {
      response.writeHead(200, { 'content-type': 'application/json' });
      const pace = paceOf(this.#options);
      for (const chunk of this.#list(question, found)) {
        await write(response, chunk);
        await pace(chunk.length);
      }
    } else {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      for (const chunk of await this.#gzipped(question, found)) await write(response, chunk);
    }
    response.end();
  }

  /** Compresses beforehand what will be asked for. */
  async prepare({ accept, limit }: { accept: string; limit: number }): Promise<void> {
    const headers = { accept } as IncomingMessage['headers'];
    for (let start = 0; start < this.#options.objects; start += limit || this.#options.objects) {
      const url = new URL(`http://replay/?limit=${limit}&continue=${start}`);
      const question = readQuery({ headers } as IncomingMessage, url, undefined);
      await this.#gzipped(question, this.#indexes(question));
    }
  }

  #gzipped(question: Question, found: Stretch): Promise<Buffer[]> {
    const name = JSON.stringify(question);
    let kept = this.#compressed.get(name);
    if (!kept) {
      kept = compress(this.#list(question, found));
      this.#compressed.set(name, kept);
    }
    return kept;
  }

  /** The numbers of what is asked for, in order of names as far as a client can see. */
  #indexes({ namespace, start, limit }: Question): Stretch {
    const step = namespace === undefined ? 1 : NAMESPACES;
    const first = namespace === undefined ? 0 : Number(/^ns-(\d\d)$/.exec(namespace)?.[1] ?? Number.POSITIVE_INFINITY);
    const total = Math.max(0, Math.ceil((this.#options.objects - first) / step));
    const end = limit > 0 ? Math.min(total, start + limit) : total;
    return { first: first + start * step, step, count: Math.max(0, end - start) };
  }

  *#list(question: Question, found: Stretch): Generator<Buffer> {
    const { as, start, limit, namespace } = question;
    const rest = namespace === undefined && limit > 0 ? Math.max(0, this.#options.objects - start - limit) : 0;
    const next = rest > 0 && found.count > 0 ? { continue: String(start + limit), remainingItemCount: rest } : {};
    const metadata = JSON.stringify({ resourceVersion: String(VERSIONS.list), ...next });
    yield Buffer.from(headOf(as, this.#objects.kind, metadata));
    yield* chunksOf(this.#textsOf(question), found, ',');
    yield Buffer.from(']}\n');
  }

  #textsOf({ as, include }: Question): Texts {
    return this.#cached(`list ${as} ${include}`, () => this.#objects.as(formOf(as, include)));
  }

  #eventsOf({ as, include }: Question, type: 'ADDED' | 'MODIFIED'): Texts {
    return this.#cached(`${type} ${as} ${include}`, () => {
      const table =
        '{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"0"},"columnDefinitions":null,"rows":[';
      const [open, close] = as === 'table' ? [table, ']}'] : ['', ''];
      return this.#objects.as(formOf(as, include), {
        before: `{"type":"${type}","object":${open}`,
        after: `${close}}\n`,
        withKind: true,
      });
    });
  }

  #cached(name: string, make: () => Texts): Texts {
    const texts = this.#texts.get(name) ?? make();
    this.#texts.set(name, texts);
    return texts;
  }

  async #watch(
    response: ServerResponse,
    question: Question,
    { initial, isOurs }: { initial: boolean; isOurs: boolean },
  ): Promise<void> {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    const send =
      question.as === 'table' ? withColumns(response, this.#objects.kind) : (chunk: Buffer) => write(response, chunk);
    if (initial) {
      if (isOurs)
        for (const chunk of chunksOf(this.#eventsOf(question, 'ADDED'), this.#indexes(question), '')) await send(chunk);
      await send(bookmarkOf(question.as, this.#objects.kind));
    }
    if (!isOurs) return;
    const events = this.#eventsOf(question, 'MODIFIED');
    if (this.watchPlan.kind === 'burst')
      for (const chunk of changes(events, this.watchPlan.events, this.#options.objects)) await send(chunk);
    if (this.watchPlan.kind === 'rate') paced(send, events, this.watchPlan, this.#options.objects);
    const watch = { events, send };
    this.#watches.add(watch);
    response.once('close', () => this.#watches.delete(watch));
  }

  /**
   * Changes objects, in an order without a pattern, on the watches that are open. A watch whose client is too slow gets
   * fewer changes. Returns the number of changes that were due.
   */
  async storm({ perSecond, seconds, objects = this.#options.objects }: Storm): Promise<number> {
    const changes = Math.round(perSecond * seconds);
    const from = performance.now();
    for (let sent = 0; sent < changes; ) {
      await new Promise((resolve) => setTimeout(resolve, STORM_STEP_MS));
      const due = Math.min(changes, Math.floor(((performance.now() - from) * perSecond) / 1000));
      const numbers = Array.from({ length: due - sent }, (_, k) => mixed(sent + k + 1) % objects);
      await Promise.all(
        Array.from(this.#watches, ({ events, send }) => send(changesOf(events, numbers, this.#version))),
      );
      this.#version += due - sent;
      sent = due;
    }
    return changes;
  }
}

/** Waits until this number of further bytes may have been sent. */
function paceOf({ megabytesPerSecond }: ReplayOptions): (bytes: number) => Promise<void> {
  if (megabytesPerSecond === undefined) return async () => {};
  const from = performance.now();
  let sent = 0;
  return async (bytes) => {
    sent += bytes;
    const ahead = sent / (megabytesPerSecond * 1000) - (performance.now() - from);
    if (ahead > 1) await new Promise((resolve) => setTimeout(resolve, ahead));
  };
}

type Send = (chunk: Buffer) => Promise<void>;

/** The columns of a table come with the first event of its watch, and with no other. */
function withColumns(response: ServerResponse, kind: Kind): Send {
  let isFirst = true;
  return (chunk) => {
    if (!isFirst) return write(response, chunk);
    isFirst = false;
    const text = chunk
      .toString('latin1')
      .replace('"columnDefinitions":null', `"columnDefinitions":${JSON.stringify(COLUMNS[kind])}`);
    return write(response, Buffer.from(text, 'latin1'));
  };
}

const COLLECTION =
  /^\/(?:api\/v1|apis\/(?:apps|example\.com)\/v1)\/(?:namespaces\/([^/]+)\/)?(pods|deployments|namespaces|secrets|widgets)$/;

function collectionOf(path: string): { resource: string; namespace: string | undefined } | undefined {
  const found = COLLECTION.exec(path);
  return found ? { namespace: found[1], resource: found[2] as string } : undefined;
}

function readQuery({ headers }: IncomingMessage, { searchParams }: URL, namespace: string | undefined): Question {
  const accept = String(headers.accept ?? '');
  const as = accept.includes('as=Table')
    ? 'table'
    : accept.includes('as=PartialObjectMetadata')
      ? 'metadata'
      : 'object';
  const include = as === 'table' ? (searchParams.get('includeObject') ?? 'Metadata') : '';
  return {
    as,
    include,
    namespace,
    limit: Number(searchParams.get('limit') ?? 0),
    start: Number(searchParams.get('continue') ?? 0),
  };
}

function formOf(as: Question['as'], include: string): Form {
  return as === 'table' ? (`row-${include.toLowerCase()}` as Form) : as;
}

function headOf(as: Question['as'], kind: Kind, metadata: string): string {
  if (as === 'metadata')
    return `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":${metadata},"items":[`;
  if (as === 'object')
    return `{"kind":"${KINDS[kind]}List","apiVersion":"${GROUP_VERSION[kind]}","metadata":${metadata},"items":[`;
  const columns = JSON.stringify(COLUMNS[kind]);
  return `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":${metadata},"columnDefinitions":${columns},"rows":[`;
}

function bookmarkOf(as: Question['as'], kind: Kind): Buffer {
  const metadata = { resourceVersion: String(VERSIONS.list), annotations: { 'k8s.io/initial-events-end': 'true' } };
  const plain = { kind: KINDS[kind], apiVersion: GROUP_VERSION[kind], metadata };
  const partial = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata };
  const rows = [{ cells: [], object: partial }];
  const table = {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: { resourceVersion: String(VERSIONS.list) },
    columnDefinitions: null,
    rows,
  };
  return Buffer.from(
    `${JSON.stringify({ type: 'BOOKMARK', object: as === 'table' ? table : as === 'metadata' ? partial : plain })}\n`,
  );
}

/** The numbers of objects, without a list of them. */
interface Stretch {
  readonly first: number;
  readonly step: number;
  readonly count: number;
}

const NONE: Stretch = { first: 0, step: 1, count: 0 };
const STORM_STEP_MS = 5;

function changesOf(texts: Texts, numbers: readonly number[], version: number): Buffer {
  const chunk = Buffer.allocUnsafe(numbers.reduce((sum, i) => sum + texts.lengthOf(i), 0));
  let at = 0;
  for (const [k, i] of numbers.entries()) at = texts.write(chunk, at, i, version + k);
  return chunk;
}

/** Texts packed into chunks of one size. */
function* chunksOf(texts: Texts, { first, step, count }: Stretch, separator: string): Generator<Buffer> {
  const size = Math.max(CHUNK, texts.maxLength + separator.length);
  let chunk = Buffer.allocUnsafeSlow(size);
  let at = 0;
  for (let n = 0; n < count; n++) {
    const i = first + n * step;
    if (at + texts.lengthOf(i) + separator.length > size) {
      yield chunk.subarray(0, at);
      chunk = Buffer.allocUnsafeSlow(size);
      at = 0;
    }
    if (n > 0 && separator !== '') at += chunk.write(separator, at, 'latin1');
    at = texts.write(chunk, at, i);
  }
  yield chunk.subarray(0, at);
}

/** Changes round and round the objects there are. */
function* changes(texts: Texts, events: number, objects: number): Generator<Buffer> {
  const size = Math.max(CHUNK, texts.maxLength);
  for (let n = 0; n < events; ) {
    const chunk = Buffer.allocUnsafeSlow(size);
    let at = 0;
    for (; n < events && at + texts.lengthOf(n % objects) <= size; n++)
      at = texts.write(chunk, at, n % objects, VERSIONS.changes + n);
    yield chunk.subarray(0, at);
  }
}

/** A number of changes a second, each in a write of its own; reports when each was written. */
function paced(send: Send, texts: Texts, { perSecond, events }: WatchPlan & { kind: 'rate' }, objects: number): void {
  const writtenAt: number[] = [];
  let sent = Promise.resolve();
  const from = performance.now();
  const timer = setInterval(() => {
    const due = Math.min(events, Math.floor(((performance.now() - from) * perSecond) / 1000));
    for (let n = writtenAt.length; n < due; n++) {
      const line = Buffer.allocUnsafe(texts.lengthOf(n % objects));
      texts.write(line, 0, n % objects, VERSIONS.changes + n);
      writtenAt.push(now());
      sent = sent.then(() => send(line));
    }
    if (writtenAt.length < events) return;
    clearInterval(timer);
    report({ kind: 'written', at: writtenAt });
  }, 1);
}

/** Of the clock that all processes of a machine share, ms. */
function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

async function write(response: ServerResponse, chunk: Buffer): Promise<void> {
  if (chunk.length === 0 || response.destroyed || response.write(chunk)) return;
  await new Promise<void>((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}

async function compress(chunks: Iterable<Buffer>): Promise<Buffer[]> {
  const gzip = createGzip({ level: GZIP_LEVEL, chunkSize: CHUNK });
  const out: Buffer[] = [];
  gzip.on('data', (chunk: Buffer) => out.push(chunk));
  const ended = new Promise((resolve, reject) => gzip.on('end', resolve).on('error', reject));
  for (const chunk of chunks) if (!gzip.write(chunk)) await new Promise((resolve) => gzip.once('drain', resolve));
  gzip.end();
  await ended;
  return out;
}

const VERBS = ['get', 'list', 'watch'];
const RESOURCES = [
  { group: '', kind: 'Pod', name: 'pods', singular: 'pod', short: ['po'], namespaced: true },
  { group: '', kind: 'Namespace', name: 'namespaces', singular: 'namespace', short: ['ns'], namespaced: false },
  {
    group: 'apps',
    kind: 'Deployment',
    name: 'deployments',
    singular: 'deployment',
    short: ['deploy'],
    namespaced: true,
  },
];
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

function aggregated(groups: readonly string[]): object {
  const items = groups.map((group) => {
    const resources = RESOURCES.filter((r) => r.group === group).map(({ kind, name, singular, short, namespaced }) => ({
      resource: name,
      responseKind: { group, version: 'v1', kind },
      scope: namespaced ? 'Namespaced' : 'Cluster',
      singularResource: singular,
      verbs: VERBS,
      shortNames: short,
      ...(namespaced ? { categories: ['all'] } : {}),
    }));
    return {
      metadata: group === '' ? {} : { name: group },
      versions: [{ version: 'v1', resources, freshness: 'Current' }],
    };
  });
  return { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items };
}

function resourceList(group: string): object {
  const resources = RESOURCES.filter((r) => r.group === group).map(({ kind, name, singular, short, namespaced }) => ({
    name,
    singularName: singular,
    namespaced,
    kind,
    verbs: VERBS,
    shortNames: short,
  }));
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: group === '' ? 'v1' : `${group}/v1`, resources };
}

const APPS_V1 = { groupVersion: 'apps/v1', version: 'v1' };
const FIXED: Readonly<Record<string, { plain: object; aggregated?: object }>> = {
  '/version': { plain: { major: '1', minor: '36', gitVersion: 'v1.36.2', platform: 'linux/amd64' } },
  '/api': {
    plain: { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] },
    aggregated: aggregated(['']),
  },
  '/apis': {
    plain: {
      kind: 'APIGroupList',
      apiVersion: 'v1',
      groups: [{ name: 'apps', versions: [APPS_V1], preferredVersion: APPS_V1 }],
    },
    aggregated: aggregated(['apps']),
  },
  '/api/v1': { plain: resourceList('') },
  '/apis/apps/v1': { plain: resourceList('apps') },
};

function sendFixed(path: string, { headers }: IncomingMessage, response: ServerResponse): void {
  const fixed = FIXED[path];
  if (!fixed) {
    response.writeHead(404, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({
        kind: 'Status',
        apiVersion: 'v1',
        status: 'Failure',
        reason: 'NotFound',
        code: 404,
        message: `no ${path} here`,
      }),
    );
    return;
  }
  const isAggregated =
    fixed.aggregated !== undefined && String(headers.accept ?? '').includes('as=APIGroupDiscoveryList');
  response.writeHead(200, { 'content-type': isAggregated ? AGGREGATED : 'application/json' });
  response.end(JSON.stringify(isAggregated ? fixed.aggregated : fixed.plain));
}

function report(message: ReplayReport): void {
  if (process.send) process.send(message);
  else console.log(message.kind === 'listening' ? message.url : message.kind);
}

async function serve(options: ReplayOptions): Promise<void> {
  const replay = new Replay(options);
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    response.on('error', () => response.destroy());
    void replay.answer(request, response).catch(() => response.destroy());
  };
  const server = options.tls ? https.createServer(await certificate(), handle) : http.createServer(handle);
  server.keepAliveTimeout = 120_000;
  process.on('message', async (message: ReplayRequest) => {
    if ('storm' in message) {
      return report({ kind: 'calm', changes: await replay.storm(message.storm) });
    }
    if ('watch' in message) replay.watchPlan = message.watch;
    else await replay.prepare(message.prepare);
    report({ kind: 'done' });
  });
  process.on('disconnect', () => process.exit(0));
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo;
    report({
      kind: 'listening',
      url: `${options.tls ? 'https' : 'http'}://127.0.0.1:${port}`,
      ...(ca === undefined ? {} : { ca }),
    });
  });
}

let ca: string | undefined;

/** For one start; names the loopback address. */
async function certificate(): Promise<{ key: string; cert: string }> {
  const extensions = [{ name: 'subjectAltName' as const, altNames: [{ type: 7 as const, ip: '127.0.0.1' }] }];
  const pem = await makeCertificate([{ name: 'commonName', value: 'replay' }], { keySize: 2048, extensions });
  ca = pem.cert;
  return { key: pem.private, cert: pem.cert };
}

await serve(JSON.parse(process.argv[2] ?? '{}') as ReplayOptions);
