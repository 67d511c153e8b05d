import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiResponse, bodyText, Sandbox } from '../../src/sandbox/index.ts';
import { FakeClock, settled } from '../../src/testing/fake-clock.ts';
import { WireCompare } from '../support/wire-compare.ts';
import { type Exchange, recording, recordingsMissing, WATCH_PATH } from '../support/wire-recording.ts';

/**
 * The exchanges that differ. `ignore` names the parts that differ; without it the whole answer does. A row whose
 * exchange no longer differs fails.
 */
const DIFFERENT: Readonly<Record<string, { why: string; ignore?: readonly string[] }>> = {
  '01-discovery.json 0': {
    why: 'the sandbox names itself as the build',
    ignore: ['body.gitCommit', 'body.goVersion', 'body.compiler'],
  },
  '01-discovery.json 8': {
    why: 'only served paths are listed: the sandbox has no health checks by name, no metrics and no OpenID',
    ignore: ['body.paths'],
  },
  '01-discovery.json 12': {
    why: 'the sandbox has the documents of groups with a version; the others (groups alone, `/version`, OpenID) contain no types',
    ignore: ['body.paths'],
  },
  '02-errors-auth.json 6': {
    why: 'the sandbox does not answer in protobuf, so protobuf is not listed',
    ignore: ['body.message'],
  },
  '04-list.json 17': {
    why: 'the sandbox has no lease of its own, which would change every ten seconds',
    ignore: ['body.rows'],
  },
  '04-list.json 38': {
    why: 'the sandbox does not create the roles of controllers that it does not run',
    ignore: ['body.metadata.remainingItemCount'],
  },
  '04-list.json 40': {
    why: 'the sandbox does not create the bindings of controllers that it does not run',
    ignore: ['body.metadata.remainingItemCount'],
  },
};

const FILES = [
  '01-discovery.json',
  '02-errors-auth.json',
  '03-write.json',
  '04-list.json',
  '05-watch.json',
  '06-crd.json',
  '07-expired.json',
  '08-watch-expired.json',
];

const clock = new FakeClock();
const compare = new WireCompare();
let sandbox: Sandbox;
let equal = 0;
let total = 0;

beforeAll(async () => {
  sandbox = await Sandbox.start({ socket: false, clock, seed: 1 });
  compare.learn('10', sandbox.resourceVersion);
});

afterAll(async () => {
  await sandbox.stop();
  if (total > 0)
    console.log(
      `wire: ${equal} of ${total} exchanges equal, ${Object.keys(DIFFERENT).length} differ for a reason given`,
    );
});

describe.skipIf(recordingsMissing)(
  `the recorded exchanges${recordingsMissing ? ` (skipped: ${recordingsMissing})` : ''}`,
  () => {
    for (const file of FILES) {
      describe(file, () => {
        for (const [i, exchange] of recording(file).entries()) {
          it(`${i} ${exchange.title}`, () => replay(`${file} ${i}`, exchange));
        }
      });
    }

    it('differ only where docs/sandbox-differences.md says so', async () => {
      await expect(differencesPage()).toMatchFileSnapshot('../../docs/sandbox-differences.md');
    });
  },
);

/**
 * The list of differences as a page. After a change of the list, `vitest run test/contract/wire.test.ts -u` writes the
 * page again.
 */
function differencesPage(): string {
  const all = FILES.reduce((sum, file) => sum + recording(file).length, 0);
  const rows = Object.entries(DIFFERENT).map(([id, { why, ignore = ['the whole answer'] }]) => {
    const [file = '', at] = id.split(' ');
    return `| ${file} | ${at} | ${recording(file)[Number(at)]?.title} | ${ignore.map((path) => `\`${path}\``).join(', ')} | ${why} |`;
  });
  return [
    '# Where the sandbox differs from a recorded server',
    '',
    'After reading this page you know in which answers the sandbox differs from a real API server, and why.',
    '',
    `Of ${all} recorded exchanges with a kube-apiserver 1.36 the sandbox answers ${all - rows.length} in the same way: status, headers, body and stream. Times, uids,`,
    'resource versions and generated names may have other values. The exchanges below differ, each only in the named parts. The test is `test/contract/wire.test.ts`.',
    '',
    '| recording | no. | exchange | what differs | why |',
    '|---|---|---|---|---|',
    ...rows,
    '',
    byHand(),
  ].join('\n');
}

/** The part of the page that a person writes: what kubectl shows, which no recording has. */
function byHand(): string {
  const page = readFileSync(new URL('../../docs/sandbox-differences.md', import.meta.url), 'utf8');
  const at = page.indexOf('## Found with kubectl');
  return at < 0 ? '' : page.slice(at);
}

async function replay(id: string, exchange: Exchange): Promise<void> {
  await prepare[id]?.();
  const recorded = {
    status: exchange.response.status,
    headers: withoutEtag(exchange.response.headers),
    body: exchange.response.body,
    ...streamOf(exchange),
  };
  const ours = WATCH_PATH.test(exchange.request.path) ? await follow(id, exchange) : await ask(exchange);
  const differences = compare.differences(recorded, ours);
  total++;
  if (differences.length === 0) equal++;
  const known = DIFFERENT[id];
  if (!known) expect(differences).toEqual([]);
  else {
    expect(differences, `${id} is equal now: take it off the list`).not.toEqual([]);
    if (known.ignore) expect(compare.differences(recorded, ours, known.ignore)).toEqual([]);
  }
}

/** What the recorder did before an exchange, besides the recorded exchanges. */
const prepare: Readonly<Record<string, () => unknown>> = {
  '03-write.json 35': async () => {
    for (const i of [0, 1, 2]) await create('configmaps', { metadata: { name: `bulk-${i}`, labels: { bulk: 'yes' } } });
  },
  '04-list.json 0': async () => {
    for (const i of [1, 2, 3, 4, 5]) await create('pods', pod(`p${i}`, i % 2 === 1 ? 'web' : 'db'));
  },
  // the second turned before the definition was established
  '06-crd.json 0': () => clock.advance(999 - (clock.now() % 1000)),
  '06-crd.json 1': () => clock.advance(1_000),
  '07-expired.json 1': async () => {
    for (let i = 0; i < 7; i++) await create('configmaps', { metadata: { generateName: 'tick-' } });
    sandbox.compact({ watches: false });
  },
  '08-watch-expired.json 0': () => sandbox.restart(),
};

function pod(name: string, app: string): object {
  return { metadata: { name, labels: { app } }, spec: { containers: [{ name: 'c', image: 'nginx:1.27' }] } };
}

async function create(resource: string, object: object): Promise<void> {
  await send('POST', `/api/v1/namespaces/shop/${resource}`, JSON.stringify(object), 'application/json');
}

function send(method: string, path: string, body?: string, contentType?: string): Promise<ApiResponse> {
  return sandbox.handle({ method, path, headers: { 'user-agent': 'node', 'content-type': contentType }, body });
}

/** The users of the recording. The viewer had no role. */
const CREDENTIALS = {
  admin: {},
  viewer: { 'impersonate-user': 'viewer' },
  anonymous: { authorization: 'Bearer wrong' },
};

function requestOf({ request }: Exchange): Parameters<Sandbox['handle']>[0] {
  const { method, path, headers, body, as } = request;
  const credentials = CREDENTIALS[as];
  return {
    method,
    path: compare.translate(path),
    headers: { ...headers, ...credentials, 'user-agent': 'node' },
    ...(body === undefined
      ? {}
      : { body: compare.translate(typeof body === 'string' ? body : JSON.stringify(body, withoutBirth)) }),
  };
}

/** A recorded object that is written back contains a creation time, by the clock of the recorded server. */
function withoutBirth(name: string, value: unknown): unknown {
  return name === 'creationTimestamp' ? undefined : value;
}

async function ask(exchange: Exchange): Promise<object> {
  let waiting = true;
  const answer = sandbox.handle(requestOf(exchange)).finally(() => {
    waiting = false;
  });
  await settled();
  if (waiting) await clock.advance(3_000); // some answers wait before they give up
  const response = await answer;
  const text = await bodyText(response);
  return { status: response.status, headers: withoutEtag(response.headers), body: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Headers without the entity tag, which each server creates in its own way. */
function withoutEtag(headers: Readonly<Record<string, string>> = {}): object {
  const { etag, ...rest } = headers;
  return { ...rest, ...(etag ? { etag: 'present' } : {}) };
}

function streamOf({ request, response }: Exchange): object {
  if (!WATCH_PATH.test(request.path) || response.status !== 200)
    return response.stream ? { body: response.stream[0]?.event } : {};
  return { body: null, stream: (response.stream ?? []).map((s) => s.event), closedBy: response.closedBy };
}

/** Reads a watch as long as the recorder did, and does meanwhile what the recorder did. */
async function follow(id: string, exchange: Exchange): Promise<object> {
  const leave = new AbortController();
  const response = await sandbox.handle({ ...requestOf(exchange), signal: leave.signal });
  const headers = withoutEtag(response.headers);
  if (response.status !== 200) return { status: response.status, headers, body: parsed(await bodyText(response)) };
  let text = '';
  let closedBy = 'client';
  const reading = (async () => {
    for await (const chunk of response.body) text += Buffer.from(chunk).toString('utf8');
    if (!leave.signal.aborted) closedBy = 'server';
  })();
  await settled();
  await meanwhile(id, exchange);
  await clock.advance(5_000);
  leave.abort();
  await reading;
  const events = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);
  return { status: 200, headers, body: null, stream: events, closedBy };
}

/**
 * During its watches the recorder created, changed and deleted a pod; during the last watch of the CRD file it deleted
 * the definition.
 */
async function meanwhile(id: string, { response }: Exchange): Promise<void> {
  if (id === '06-crd.json 14') {
    await send('DELETE', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/myapples.stable.example.com');
    return;
  }
  if (!response.stream?.some((s) => s.afterMs >= 600)) return;
  await create('pods', pod('w1', 'web'));
  await settled();
  const change = JSON.stringify({ metadata: { labels: { app: 'db' } } });
  await send('PATCH', '/api/v1/namespaces/shop/pods/w1', change, 'application/merge-patch+json');
  await settled();
  await send('DELETE', '/api/v1/namespaces/shop/pods/w1');
}
