import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { UnknownObject } from '../../src/model/object.ts';
import { type Certificate, makeCertificate } from '../../src/sandbox/index.ts';

/** The request of an AdmissionReview, as a webhook got it. */
export interface Reviewed {
  readonly uid: string;
  readonly operation: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly subResource?: string;
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly resource: { readonly group: string; readonly version: string; readonly resource: string };
  readonly userInfo: { readonly username: string; readonly groups?: readonly string[] };
  readonly object: UnknownObject | null;
  readonly oldObject: UnknownObject | null;
  readonly dryRun: boolean;
  readonly options: Record<string, unknown>;
}

/** The response of a review, the code of a failure, or `silent` for no answer at all. */
export type Scripted = Record<string, unknown> | number | 'silent';

export interface WebhookScript extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly certificate: Certificate;
  /** The certificate as a configuration has it. */
  readonly caBundle: string;
  /** The reviews so far, with the path to which they came. */
  readonly reviews: { readonly path: string; readonly request: Reviewed }[];
  /** What is answered from now on. */
  answer: (request: Reviewed, path: string) => Scripted;
}

/** Starts a server of webhooks that allows everything until its `answer` is set. */
export async function scriptWebhooks(host = '127.0.0.1'): Promise<WebhookScript> {
  const certificate = await makeCertificate(host, Date.now());
  const reviews: WebhookScript['reviews'] = [];
  const server = createServer(certificate, async (incoming, response) => {
    const path = incoming.url ?? '';
    const review = (await json(incoming)) as { apiVersion: string; kind: string; request: Reviewed };
    reviews.push({ path, request: review.request });
    const answer = script.answer(review.request, path.split('?')[0] ?? '');
    if (answer === 'silent') return;
    const { apiVersion, kind } = review;
    const body = { apiVersion, kind, response: { uid: review.request.uid, ...(answer as object) } };
    response.writeHead(typeof answer === 'number' ? answer : 200, { 'content-type': 'application/json' });
    response.end(typeof answer === 'number' ? '' : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const script: WebhookScript = {
    url: `https://127.0.0.1:${port}`,
    port,
    certificate,
    caBundle: Buffer.from(certificate.cert).toString('base64'),
    reviews,
    answer: () => ({ allowed: true }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  return script;
}

/** A webhook that is asked about everything in the namespaces with the label `hooked`. */
export function webhook({ url, caBundle }: WebhookScript, path: string, more: object = {}): Record<string, unknown> {
  return {
    name: `${path.slice(1)}.example.com`,
    clientConfig: { url: `${url}${path}`, caBundle },
    rules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*'] }],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    ...more,
  };
}

export function webhookConfiguration(
  sort: 'Mutating' | 'Validating',
  webhooks: readonly object[],
  name = 'test',
): UnknownObject {
  const apiVersion = 'admissionregistration.k8s.io/v1';
  return { apiVersion, kind: `${sort}WebhookConfiguration`, metadata: { name }, webhooks };
}

/** The part of a response that changes the object. */
export function jsonPatch(...operations: readonly object[]): Record<string, unknown> {
  const patch = Buffer.from(JSON.stringify(operations)).toString('base64');
  return { allowed: true, patchType: 'JSONPatch', patch };
}
