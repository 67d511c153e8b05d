// An admission webhook that decides from a cache: an Ingress is refused if another namespace uses its host already.
// Such a question needs all Ingresses; to list them for each request would be slow, and the cache has them anyway.
//   node examples/admission-webhook.ts       on a sandbox of its own, with a short demonstration
//   KUBECONFIG=~/.kube/config TLS_CERT=tls.crt TLS_KEY=tls.key PORT=8443 WEBHOOK_URL=https://HOST:8443/validate \
//     node examples/admission-webhook.ts     on a cluster, until Ctrl-C; the certificate is for HOST
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import {
  createClient,
  createManager,
  dynamicInformerFactory,
  type KubeObject,
  loadConfig,
  parseGvr,
  serverSideApply,
} from 'kubectl-informer';
import { makeCertificate, Sandbox } from 'kubectl-informer/sandbox';
import { eventually } from 'kubectl-informer/testing';

interface Ingress extends KubeObject {
  spec?: { rules?: { host?: string }[] };
}
interface AdmissionReview {
  request: { uid: string; namespace: string; name?: string; operation: string; object: Ingress };
}

const { KUBECONFIG, TLS_CERT = 'tls.crt', TLS_KEY = 'tls.key', PORT = '0', WEBHOOK_URL } = process.env;
const INGRESSES = parseGvr('networking.k8s.io/v1/ingresses');
const WEBHOOKS = parseGvr('admissionregistration.k8s.io/v1/validatingwebhookconfigurations');

/** The API server sends no larger objects. */
const MOST_BYTES = 4 * 1024 * 1024;

const sandbox = KUBECONFIG ? undefined : await Sandbox.start({ socket: false });
const client = createClient(sandbox ? sandbox.transport() : await loadConfig());
const tls = sandbox
  ? await makeCertificate('127.0.0.1', Date.now())
  : { cert: await readFile(TLS_CERT, 'utf8'), key: await readFile(TLS_KEY, 'utf8') };

const factory = dynamicInformerFactory(client);
const { informer, lister } = factory.forResource<Ingress>(INGRESSES);
const hostsOf = (ingress: { readonly spec?: { readonly rules?: readonly { readonly host?: string }[] } }) =>
  (ingress.spec?.rules ?? []).flatMap(({ host }) => (host ? [host] : []));
informer.addIndexers({ host: hostsOf });

/**
 * Why an Ingress is refused; undefined if it is allowed. The cache is a moment behind the server: of two that are created
 * at one moment, both may pass. A rule that must never be broken also needs a controller that looks again.
 */
function refusalOf({ namespace, object }: AdmissionReview['request']): string | undefined {
  for (const host of hostsOf(object)) {
    const other = lister.byIndex('host', host).find(({ metadata }) => metadata.namespace !== namespace);
    if (other) return `the host ${host} belongs to the Ingress ${other.metadata.namespace}/${other.metadata.name}`;
  }
  return undefined;
}

async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const send = (code: number, body: object) => {
    response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  // Without the whole cache it would allow what it has to refuse. The API server then follows the failurePolicy.
  if (!informer.hasSynced) return send(503, { message: 'the cache has not synced yet' });
  if (incoming.url === '/readyz') return send(200, { ready: true });
  if (incoming.url !== '/validate' || incoming.method !== 'POST') return send(404, { message: 'POST /validate' });
  if (!(Number(incoming.headers['content-length']) <= MOST_BYTES))
    return send(413, { message: 'the body is too large' });
  const review = (await json(incoming).catch(() => ({}))) as Partial<AdmissionReview>;
  if (!review.request?.uid) return send(400, { message: 'the body is not an AdmissionReview' });
  const { uid } = review.request;
  const message = refusalOf(review.request);
  const verdict = message ? { uid, allowed: false, status: { code: 403, message } } : { uid, allowed: true };
  send(200, { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: verdict });
}

const server = createServer(tls, (incoming, response) => void answer(incoming, response));
/** A part of the manager: it starts first and ends last, so that requests are answered as long as possible. */
const webServer = {
  name: 'webhook',
  async run(signal: AbortSignal) {
    await new Promise<void>((resolve, reject) =>
      server.once('error', reject).listen(Number(PORT), sandbox && '127.0.0.1', resolve),
    );
    console.log('listening on port', (server.address() as AddressInfo).port);
    await new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => server.close(() => resolve()), { once: true });
    });
  },
};

/** Registers the webhook at the API server. */
async function register(url: string): Promise<void> {
  const webhook = {
    name: 'hosts.example.com',
    clientConfig: { url, caBundle: Buffer.from(tls.cert).toString('base64') },
    rules: [
      {
        apiGroups: ['networking.k8s.io'],
        apiVersions: ['v1'],
        resources: ['ingresses'],
        operations: ['CREATE', 'UPDATE'],
      },
    ],
    failurePolicy: 'Fail',
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    timeoutSeconds: 5,
  };
  const metadata = { name: 'unique-hosts' };
  const { apiVersion, kind } = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
  };
  await serverSideApply(
    client.resource(WEBHOOKS),
    { apiVersion, kind, metadata, webhooks: [webhook] },
    { fieldManager: 'admission-webhook', force: true },
  );
}

const manager = createManager();
manager.add(webServer, { group: 'server' });
manager.add(factory);
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
const running = manager.run(stop.signal);
await factory.waitForSync(stop.signal);
if (WEBHOOK_URL) await register(WEBHOOK_URL); // only now, when it can decide

if (sandbox) {
  const ingress = (host: string) => ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name: 'web', namespace: 'default' },
    spec: { rules: [{ host }], defaultBackend: { service: { name: 'web', port: { number: 80 } } } },
  });
  sandbox.apply(ingress('shop.example.com'));
  await eventually(() => lister.byIndex('host', 'shop.example.com').length === 1);
  const { port } = server.address() as AddressInfo;
  for (const namespace of ['default', 'bank']) {
    const review = { request: { uid: '1', namespace, operation: 'CREATE', object: ingress('shop.example.com') } };
    const post = request({ host: '127.0.0.1', port, path: '/validate', method: 'POST', ca: tls.cert, agent: false });
    const [response] = await new Promise<[IncomingMessage]>((resolve, reject) => {
      post.on('response', (incoming) => resolve([incoming])).on('error', reject);
      post.end(JSON.stringify(review)); // one chunk, so it has a content-length
    });
    console.log(namespace, JSON.stringify(((await json(response)) as { response: object }).response));
  }
  stop.abort();
}
await running;
await client.close();
await sandbox?.stop();
