import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Client, createClient } from '../../src/client/client.ts';
import { dynamicInformerFactory } from '../../src/index.ts';
import { silentLogger } from '../../src/kit/logger.ts';
import { parseGvr } from '../../src/model/gvr.ts';
import type { KubeObject } from '../../src/model/object.ts';
import { makeCertificate, Sandbox } from '../../src/sandbox/index.ts';
import { eventually } from '../../src/testing/eventually.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { deny } from '../../src/webhooks/review.ts';
import {
  createWebhookServer,
  type WebhookServer,
  type WebhookServerOptions,
} from '../../src/webhooks/webhook-server.ts';
import { ask } from '../support/sandbox-requests.ts';

interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}

const MAPS = parseGvr('v1/configmaps');
const PATH = '/api/v1/namespaces/default/configmaps';
const map = (name: string, data: Record<string, string> = {}) => ({ metadata: { name }, data });

let sandbox: Sandbox;
let client: Client;
let server: WebhookServer | undefined;
beforeEach(async () => {
  sandbox = await Sandbox.start({
    socket: false,
    resolveService: () => server?.address && `127.0.0.1:${server.address.port}`,
  });
  client = createClient(sandbox.transport(), { logger: silentLogger });
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  await client.close();
  await sandbox.close();
});

const webhooksOf = (sort: 'validate' | 'mutate', more: object = {}) => [
  {
    name: `${sort}.example.com`,
    clientConfig: { service: { namespace: 'infra', name: 'hooks', path: `/${sort}/v1/configmaps` } },
    rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] }],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    ...more,
  },
];
const configure = (sort: 'Validating' | 'Mutating', more: object = {}) =>
  sandbox.apply({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: `${sort}WebhookConfiguration`,
    metadata: { name: 'hooks' },
    webhooks: webhooksOf(sort === 'Mutating' ? 'mutate' : 'validate', more),
  });

function create(options: Partial<WebhookServerOptions> = {}): WebhookServer {
  server = createWebhookServer({
    client,
    port: 0,
    host: '127.0.0.1',
    certificate: { secret: { namespace: 'default', name: 'hooks-tls' } },
    hosts: ['hooks.infra.svc', '127.0.0.1'],
    caBundles: { validating: ['hooks'], mutating: ['hooks'] },
    ...options,
  });
  return server;
}

async function start(made: WebhookServer): Promise<void> {
  const running = made.run();
  await Promise.race([running, eventually(() => made.address !== undefined && made.unready === undefined)]);
}

async function get(path: string, ca: string): Promise<[number | undefined, string]> {
  const { port } = server?.address ?? {};
  return await new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, ca, agent: false }, (response) => {
      text(response).then((body) => resolve([response.statusCode, body]), reject);
    })
      .on('error', reject)
      .end();
  });
}

const authorities = () => {
  const secret = sandbox.get({ apiVersion: 'v1', kind: 'Secret' }, 'default/hooks-tls');
  return Buffer.from(
    (secret as { data?: Record<string, string> } | undefined)?.data?.['ca.crt'] ?? '',
    'base64',
  ).toString('utf8');
};

describe('a server with an authority of its own', () => {
  it('decides about writes; caBundle is written for it', async () => {
    configure('Validating');
    configure('Mutating');
    const made = create();
    made.validate<ConfigMap>(MAPS, ({ object, oldObject, operation }, { warn }) => {
      warn(`${operation} is looked at`);
      if (operation === 'DELETE') return oldObject?.data?.kept ? deny('it is kept', { code: 409 }) : undefined;
      if (!object?.data?.team) throw deny('a team is needed');
      return undefined;
    });
    made.mutate<ConfigMap>(MAPS, ({ object }) => {
      if (object?.data?.owner) object.data.team = object.data.owner;
    });
    await start(made);
    const refused = await ask(sandbox, 'POST', PATH, map('a'));
    expect([refused.status, refused.body.message]).toEqual([
      403,
      'admission webhook "validate.example.com" denied the request: a team is needed',
    ]);
    const { status, body, headers } = await ask(sandbox, 'POST', PATH, map('a', { owner: 'x', kept: 'yes' }));
    expect([status, body.data, headers.warning]).toEqual([
      201,
      { owner: 'x', kept: 'yes', team: 'x' },
      '299 - "CREATE is looked at"',
    ]);
    expect((await ask(sandbox, 'DELETE', `${PATH}/a`)).status).toBe(409);
  });

  it('repairs a caBundle that someone else has overwritten', async () => {
    configure('Validating');
    const made = create({ caBundles: { validating: ['hooks'] }, checkMs: 1 });
    made.validate(MAPS, () => {});
    await start(made);
    configure('Validating', {
      clientConfig: { service: { namespace: 'infra', name: 'hooks', path: '/validate/v1/configmaps' }, caBundle: '' },
    });
    await eventually(async () => (await ask(sandbox, 'POST', `${PATH}?dryRun=All`, map('a'))).status === 201);
  });

  it('shares the authority with the other replicas', async () => {
    configure('Validating');
    const first = create({ caBundles: { validating: ['hooks'] } }).validate(MAPS, () => {});
    await start(first);
    const before = authorities();
    const second = createWebhookServer({
      client,
      port: 0,
      host: '127.0.0.1',
      certificate: { secret: { namespace: 'default', name: 'hooks-tls' } },
      hosts: ['hooks.infra.svc', '127.0.0.1'],
    }).validate(MAPS, () => {});
    await start(second);
    expect(authorities()).toBe(before);
    await first.close();
    server = second;
    expect((await ask(sandbox, 'POST', PATH, map('a'))).status).toBe(201);
  });

  it('is not ready while a configuration that it keeps does not exist, and says so', async () => {
    const made = create({ caBundles: { validating: ['hooks'] } }).validate(MAPS, () => {});
    void made.run();
    await eventually(() => made.address !== undefined && made.unready === 'hooks does not exist');
    expect(await get('/healthz', authorities())).toEqual([200, 'ok']);
    expect(await get('/readyz', authorities())).toEqual([503, 'hooks does not exist']);
  });

  it('writes no value of its Secret to the log', async () => {
    const lines: string[] = [];
    const note = (message: string, fields?: object) => void lines.push(`${message} ${JSON.stringify(fields)}`);
    const logger = { error: note, warn: note, info: note, debug: note, child: () => logger };
    await start(create({ logger, caBundles: {} }).validate(MAPS, () => {}));
    const secret = sandbox.get({ apiVersion: 'v1', kind: 'Secret' }, 'default/hooks-tls');
    expect(lines.length).toBeGreaterThan(0);
    for (const value of Object.values((secret as { data?: Record<string, string> } | undefined)?.data ?? {})) {
      const plain = Buffer.from(value, 'base64').toString('utf8').split('\n')[1] ?? '';
      expect(lines.filter((line) => line.includes(plain) || line.includes(value))).toEqual([]);
    }
  });
});

it.each(['at its start', 'while it looks after its caBundle'])(
  'a server ends also when the API server does not answer %s',
  async (when) => {
    configure('Validating');
    let isSilent = when === 'at its start';
    let unanswered = 0;
    const transport = sandbox.transport();
    const silent = createClient(
      {
        ...transport,
        request: (sent) => {
          if (!isSilent) return transport.request(sent);
          unanswered++;
          return new Promise((_, reject) => sent.signal?.addEventListener('abort', () => reject(sent.signal?.reason)));
        },
      },
      { logger: silentLogger },
    );
    const clock = new FakeClock();
    const made = create({ client: silent, clock, logger: silentLogger, caBundles: { validating: ['hooks'] } });
    const running = made.run();
    if (!isSilent) {
      await eventually(() => made.unready === undefined && clock.pending > 0);
      isSilent = true;
      await clock.advance(10_000);
    }
    await eventually(() => unanswered === 1);
    await made.close();
    await running;
    await silent.close();
  },
);

describe('failures', () => {
  it('an error of a webhook is no refusal: the failurePolicy decides', async () => {
    configure('Validating');
    const made = create({ caBundles: { validating: ['hooks'] }, logger: silentLogger });
    made.validate(MAPS, () => {
      throw new Error('the database is away');
    });
    await start(made);
    expect((await ask(sandbox, 'POST', PATH, map('a'))).body.message).toBe(
      'Internal error occurred: failed calling webhook "validate.example.com": failed to call webhook: an error on the server ("the database is away") has prevented the request from succeeding',
    );
    sandbox.delete({ apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration' }, 'hooks');
    configure('Validating', { failurePolicy: 'Ignore' });
    await eventually(async () => (await ask(sandbox, 'POST', `${PATH}?dryRun=All`, map('a'))).status === 201);
  });

  it('a webhook that takes too long is answered before timeoutSeconds are over, and its signal aborts', async () => {
    configure('Validating', { timeoutSeconds: 10 });
    const clock = new FakeClock(Date.now()); // TLS compares the certificate with the system's time
    const made = create({ caBundles: { validating: ['hooks'] }, clock, logger: silentLogger });
    let asked: AbortSignal | undefined;
    made.validate(MAPS, async (_, { signal }) => {
      asked = signal;
      await new Promise(() => {});
    });
    await start(made);
    const answer = ask(sandbox, 'POST', PATH, map('a'));
    await eventually(() => asked !== undefined);
    await clock.advance(9_000);
    expect((await answer).body.message).toContain('did not decide within 9 s');
    expect(asked?.aborted).toBe(true);
  });

  it.each([
    [{ hosts: [] }, 'a certificate in a Secret needs hosts'],
    [{ client: undefined }, 'a certificate in a Secret needs a client'],
    [{ prot: 1 }, 'createWebhookServer has no option "prot"'],
  ])('refuses %o', (options, why) => {
    expect(() => create(options as object)).toThrow(why);
  });

  it('refuses two webhooks with one path', () => {
    expect(() =>
      create()
        .validate(MAPS, () => {})
        .validate(MAPS, () => {}),
    ).toThrow('has the path /validate/v1/configmaps');
  });
});

describe('caches', () => {
  it('a webhook fails until they have synced, and decides from what the server had when it was asked', async () => {
    configure('Validating');
    const factory = dynamicInformerFactory(client);
    const { informer, lister } = factory.forResource<ConfigMap>(MAPS);
    const made = create({ caBundles: { validating: ['hooks'] }, logger: silentLogger });
    const decide = () => (lister.list().length >= 2 ? deny('two are enough') : undefined);
    made.validate(MAPS, decide, { caches: [informer], fresh: 'confirmed' });
    void made.run();
    await eventually(() => made.address !== undefined && made.unready?.includes('has not synced') === true);
    await eventually(async () => {
      const { body } = await ask(sandbox, 'POST', PATH, map('a'));
      return body.message?.includes('has not synced') === true;
    });
    using stop = new DisposableStack();
    const ending = new AbortController();
    stop.defer(() => ending.abort());
    factory.start(ending.signal);
    await factory.waitForSync(ending.signal);
    await eventually(() => made.unready === undefined);
    const codes: number[] = [];
    for (const name of ['a', 'b', 'c']) codes.push((await ask(sandbox, 'POST', PATH, map(name))).status);
    expect(codes).toEqual([201, 201, 403]);
    ending.abort();
    await factory.shutdown();
  });
});

it('a certificate of its own is served as it is', async () => {
  const certificate = await makeCertificate('127.0.0.1', Date.now());
  const made = create({ certificate, client: undefined, hosts: undefined, caBundles: undefined }).validate(
    MAPS,
    () => {},
  );
  await start(made);
  expect(await get('/readyz', certificate.cert)).toEqual([200, 'ok']);
});

it.each([
  ['one by one', '/convert'],
  ['all at once', '/all'],
])('objects are converted %s, for API servers that trust its authorities', async (_, path) => {
  const made = create({ caBundles: undefined });
  const changed = <T extends object>(object: T, apiVersion: string) => ({
    ...object,
    apiVersion,
    spec: { now: apiVersion },
  });
  made.convert({ group: 'example.com', kind: 'Thing' }, changed);
  made.convertAll('/all', (objects, apiVersion) => objects.map((object) => changed(object, apiVersion)));
  await start(made);
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const service = { namespace: 'infra', name: 'hooks', path };
  const clientConfig = { service, caBundle: Buffer.from(made.authorities ?? '').toString('base64') };
  sandbox.apply({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
      versions: ['v1', 'v2'].map((name) => ({ name, served: true, storage: name === 'v1', schema })),
      conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } },
    },
  });
  const at = (version: string) => `/apis/example.com/${version}/namespaces/default/things`;
  await ask(sandbox, 'POST', at('v1'), { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'a' } });
  expect((await ask(sandbox, 'GET', `${at('v2')}/a`)).body.spec).toEqual({ now: 'example.com/v2' });
});
