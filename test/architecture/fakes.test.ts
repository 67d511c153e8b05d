import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesOf } from './imports.ts';

const TEST = path.resolve(import.meta.dirname, '..');

/**
 * Ways to pretend to be a server or a client of one, and the only files in which each may be found. Everything else
 * asks the sandbox.
 */
const STAND_INS: Readonly<
  Record<string, { readonly pattern: RegExp; readonly files: Readonly<Record<string, string>> }>
> = {
  'a listening socket': {
    pattern: /\bcreate(Secure)?Server\(|\bnew (http|https|net|tls)\.Server\b/,
    files: {
      'e2e/recipes.test.ts': 'the chat to which a hook of the page posts',
      'e2e/threats.test.ts': 'servers that redirect, and proxies that ask for credentials',
      'serve/client/ask.test.ts': 'a serve whose answer begins with too much',
      'serve/client/listening.test.ts': 'a socket that sees whether a connection to it is closed',
      'serve/client/serve-transport.test.ts': 'a serve that fails, is silent or speaks another version',
      'support/fake-serve.ts': 'a serve that is silent, broken, killed or of another version',
      'support/postgres-replicas.ts': 'a proxy in front of a real cluster, which delays what it passes on',
      'support/proxies.ts': 'proxies of HTTP and SOCKS, which refuse, want a login, or lead elsewhere',
      'support/socket-script.ts': 'the script of sockets',
      'support/webhook-script.ts': 'webhooks that answer what a test wants, or nothing',
    },
  },
  'a transport': {
    pattern: /\bimplements Transport\b|\basync close\(\)|\bclose: (async )?\(\)/,
    files: {
      'serve/client/serve-transport.test.ts': 'writes down what goes to the cluster, past the serve',
      'support/scripted-bytes.ts': 'the script of bytes',
      'support/in-process.ts': 'looks at what goes to a sandbox and passes it on',
      'support/replicas.ts': 'delays what goes to a sandbox, or cuts it off',
      'simulation/tap.ts': 'copies the bytes, cuts them elsewhere, and spoils a line; the answers are the sandbox’s',
    },
  },
  'a lister-watcher': {
    pattern: /\bimplements ListerWatcher\b|supportsStreamingLists(\(|:)/,
    files: { 'support/scripted-events.ts': 'the script of events' },
  },
  'a source of events': {
    pattern: /\bimplements EventFeed\b/,
    files: { 'support/scripted-source.ts': 'the script of notifications' },
  },
  'a discovery': { pattern: /\bimplements DiscoverySource\b|\basync invalidate\(/, files: {} },
  'a client, or a part of one': {
    pattern:
      /\bas unknown as (Client|ResourceApi|ListerWatcher|Transport|Discovery|SharedInformer)\b|\bvi\.mock\(|\b(get|list|create|update|patch): vi\.fn\(/,
    files: {},
  },
};

/**
 * Who may use a script, and what for. An ordinary event or answer may be in one as a step to an odd one; it is not what
 * is tested.
 */
const SCRIPTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'scripted-bytes.ts': {
    'client/client.test.ts': 'versions of other servers, and of none',
    'client/discovery/discovery.test.ts':
      'answers that leave out what they may, a group whose own server is away, recordings',
    'client/decode/items-splitter.test.ts': 'chunks cut at every byte',
    'client/decode/item-reader.test.ts': 'lists that are broken, odd, or cut at every byte',
    'client/http/limits.test.ts': 'lines, items and answers that are too large or never end',
    'client/decode/list-body.test.ts': 'lists that are broken, odd, or cut at every byte',
    'client/resource-api.test.ts':
      'answers that were not asked for, HTML, odd content types, chunk edges, who closes a body, recordings',
    'client/http/response.test.ts': 'error responses of a proxy, without a Status, too long or broken',
    'client/decode/watch-decoder.test.ts': 'lines cut at every byte',
    'informer/simulation.test.ts': 'what a server says that knows no streaming lists',
    'client/decode/watch-body.test.ts': 'objects written in odd ways and cut at every byte',
  },
  'socket-script.ts': {
    'client/http/node-connections.test.ts': 'connections that close within an answer, byte by byte',
    'client/http/connections.test.ts': 'client certificates, which connection serves whom, a hundred refusals at once',
    'client/auth/oidc-source.test.ts': 'an identity provider that renews tokens',
    'client/auth/oidc.test.ts': 'an identity provider that answers once',
    'client/http/fenced-transport.test.ts': 'a server that asks to wait while the clock is moved by hand',
    'controller/election/lease-lock.test.ts': 'a client whose rate limit is used up while the clock stands still',
    'client/client.test.ts': 'a client whose rate limit is used up while the clock is moved by hand',
    'client/http/http-dispatch.test.ts':
      'chunks in one go, readers that stop, connections let go of, broken, used again',
    'client/http/http-pool.test.ts': 'request headers, and how many connections are opened',
    'client/http/http-transport.test.ts':
      'TLS, proxies, compression that is cut, resets, trickles, counts of connections',
    'client/http/gzip-body.test.ts': 'compressed bodies that are cut, empty, none, spoilt, or a bomb',
    'client/http/one-shot-silence.test.ts': 'an answer that stalls before, after and behind its headers',
    'client/http/proxy-route.test.ts': 'servers behind a proxy, and proxies that say nothing or something else',
    'client/http/request-metrics.test.ts': 'answers whose code and repetition the test chooses',
    'e2e/credentials.test.ts': 'a TLS guard that wants client certificates and passes on to the sandbox',
    'e2e/watch-bounds.test.ts': 'lines and items of hundreds of megabytes, or without an end',
    'support/config-map-server.ts':
      'objects nested 9,000 levels deep, as a real API server takes them; the sandbox refuses them',
    'e2e/query-clusters.test.ts': 'a cluster that takes connections and says nothing',
    'e2e/errors.test.ts':
      'a port that takes connections and never answers, stalls in its answer, or answers with a page of HTML',
  },
  'scripted-events.ts': {
    'informer/watch/list-fetcher.test.ts': 'a Table in place of a list, a list that never answers',
    'informer/watch/pager.test.ts': 'tokens that expire or repeat at an exact page',
    'informer/watch/reflector.test.ts': 'sequences no server sends, errors at an exact step',
    'informer/watch/reflector-rules.test.ts': 'exact batches, a stop at an exact step, errors at exact times',
    'informer/watch/retry-watcher.test.ts': 'streams that bring what cannot be, errors at an exact step',
    'informer/watch/stalled-watch-check.test.ts': 'streams that stall while a second watch shows changes',
    'informer/watch/watch-connection.test.ts': 'exact batches, a stream that comes after its request was given up',
    'informer/store/arrivals.test.ts': 'objects that no server sends: a Date and a bigint',
    'informer/confirm.test.ts': 'metadata lists that differ from what the stream has brought',
    'informer/shared-informer.test.ts':
      'objects without keys, what waits unread while a handler is slow, exact batches',
    'informer/other-history.test.ts': 'events of another history, and events that come twice',
    'informer/informer-calls.test.ts': 'exact batches while a handler is slow, thousands of objects in one batch',
    'informer/source-pipeline.test.ts': 'lists at no version, a stored state that differs, exact batches',
    'informer/simulation.test.ts': 'the Status of a server that knows no streaming lists',
    'informer/verifier.test.ts': 'lists that are ahead of the stream, and behind it',
    'stream/event-stream.test.ts': 'objects without a version',
    'stream/buffered-markers.test.ts': 'a relist of one namespace while another is still to come',
    'stream/replaced-numbers.test.ts': 'an end between two events that one change brings',
    'stream/stream-ending.test.ts': 'exact batches in front of a waiter that is slow',
    'stream/streaming.test.ts': 'exact batches, and what waits unread while a reader stopped',
  },
  'scripted-source.ts': {
    'cli/running/explain-text.test.ts': 'times of events, runs and retries to the millisecond',
    'controller/history/causes.test.ts': 'exact events of a key that waits or fails',
    'controller/controller.test.ts': 'the exact order of events, reconciles, timers and the end',
    'controller/explanation.test.ts': 'the state of a key between two exact events',
    'controller/history/hot-loops.test.ts': 'the event of a write before, after and long after its answer',
    'controller/sources/source.test.ts': 'events that a mapper cannot map',
    'support/controller.ts': 'a running controller for these tests',
  },
};

/** Tools that set up what they measure by themselves. */
const isJudged = (file: string) => !file.startsWith('architecture/') && !file.startsWith('bench/');
const files = filesOf(TEST).filter(isJudged);
const codeOf = (file: string) => readFileSync(path.join(TEST, file), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');

describe('the sandbox is the one and only fake', () => {
  it.each(Object.entries(STAND_INS))('%s is made up only where it is listed', (_, { pattern, files: allowed }) => {
    expect(files.filter((file) => pattern.test(codeOf(file)))).toEqual(Object.keys(allowed).sort());
  });

  it.each(Object.entries(SCRIPTS))('%s is used only where it is listed, each with a reason', (script, users) => {
    const imports = new RegExp(`from '[./]+(?:support/)?${script.replace('.', '\\.')}'`);
    expect(files.filter((file) => imports.test(codeOf(file)))).toEqual(Object.keys(users).sort());
    for (const [user, reason] of Object.entries(users)) expect(reason, user).toMatch(/\w{3}/);
  });

  it('every script says why the sandbox cannot serve there', () => {
    for (const script of Object.keys(SCRIPTS)) {
      expect(readFileSync(path.join(TEST, 'support', script), 'utf8'), script).toMatch(
        /\* It (is no|knows no)[\s\S]*\bsandbox\b/,
      );
    }
  });
});

describe('the check itself', () => {
  it.each([
    ['a listening socket', 'const server = http.createServer(() => {});'],
    ['a transport', 'const t = { request: async () => answer, close: async () => {} };'],
    ['a lister-watcher', 'return { supportsStreamingLists: () => true, list, watch };'],
    ['a discovery', 'return { snapshot, isFresh, async invalidate() {} };'],
    ['a client, or a part of one', 'const resource = { get: vi.fn(async () => object) };'],
    ['a client, or a part of one', 'const client = { resource } as unknown as Client;'],
  ])('finds %s in %s', (kind, text) => {
    expect(text).toMatch(STAND_INS[kind]?.pattern ?? /^$/);
  });
});
