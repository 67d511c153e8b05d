import { isJsonMap } from '../../kit/exact-json.ts';
import type { UnknownObject } from '../../model/object.ts';
import { failure, type Status, StatusError } from '../../model/status.ts';
import type { Cluster } from '../cluster.ts';
import type { ApiType } from '../types/api-type.ts';
import { copy } from '../types/copy.ts';
import { unknownFieldsOf } from '../types/custom/custom-resource.ts';
import { CallFailure, callWebhook, type ResolveService } from '../webhook-call.ts';
import { newUid } from '../write/identity.ts';
import { labelProblems } from '../write/validate-metadata.ts';

const REVIEW = { kind: 'ConversionReview', apiVersion: 'apiextensions.k8s.io/v1' };

/** Source: apiextensions-apiserver conversion/webhook_converter.go. */
const TIMEOUT_SECONDS = 30;

/**
 * Converts custom resources by the webhook of their definition.
 * Source: apiextensions-apiserver pkg/apiserver/conversion.
 */
export class Converter {
  readonly #cluster: Cluster;
  readonly #resolveService: ResolveService;

  constructor(cluster: Cluster, resolveService: ResolveService) {
    this.#cluster = cluster;
    this.#resolveService = resolveService;
  }

  /**
   * An object in the version of a type, without the fields that the type does not have. Throws a StatusError when the
   * webhook fails or changes what it must not.
   */
  async convert(type: ApiType, object: UnknownObject, signal: AbortSignal): Promise<UnknownObject> {
    const apiVersion = apiVersionOf(type);
    if (object.apiVersion === apiVersion) return object;
    const fails = (why: string) => broken(`${String(object.apiVersion)}, Kind=${type.kind}`, why);
    const { resourceVersion, ...metadata } = object.metadata; // it is not in what is stored
    const given = { ...object, metadata };
    const answer = await this.#ask(type, given, signal).catch((error: unknown) => {
      throw error instanceof CallFailure ? fails(`failed: ${error.message}`) : error;
    });
    const problem = problemOf(answer, given, { apiVersion, kind: type.kind });
    if (problem) throw fails(problem);
    const converted = copy(answer[0] as UnknownObject);
    const { labels, annotations } = converted.metadata;
    const { labels: _labels, annotations: _annotations, ...kept } = object.metadata;
    const shown: UnknownObject = {
      ...converted,
      metadata: { ...kept, ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}) },
    };
    unknownFieldsOf(type, shown);
    return shown;
  }

  async #ask(type: ApiType, object: UnknownObject, signal: AbortSignal): Promise<readonly unknown[]> {
    const { clientConfig, conversionReviewVersions = [] } = type.custom?.conversion ?? { clientConfig: {} };
    if (!conversionReviewVersions.includes('v1')) throw new CallFailure(NO_V1);
    const uid = newUid(this.#cluster.random);
    const request = { uid, desiredAPIVersion: apiVersionOf(type), objects: [object] };
    const { clock } = this.#cluster;
    const options = { clock, resolveService: this.#resolveService, timeoutSeconds: TIMEOUT_SECONDS, signal };
    return convertedObjects(uid, await callWebhook(clientConfig, { ...REVIEW, request }, options));
  }
}

/** The text of the sandbox: a real server asks in v1beta1. */
const NO_V1 = 'the sandbox asks in v1 only, which is not in conversionReviewVersions';

function convertedObjects(uid: string, review: unknown): readonly unknown[] {
  const { response, kind, apiVersion } = (isJsonMap(review) ? review : {}) as Record<string, unknown>;
  if (kind !== REVIEW.kind || apiVersion !== REVIEW.apiVersion)
    throw new CallFailure(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "k8s.io/apiserver/pkg/util/webhook/client.go:71"`,
    );
  if (!isJsonMap(response)) throw new CallFailure('no response provided');
  const { result, convertedObjects: objects } = response as Record<string, unknown>;
  if (response.uid !== uid)
    throw new CallFailure(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response.uid ?? '')}`);
  const { status = '', message } = (isJsonMap(result) ? result : {}) as Partial<Status>;
  if (status !== 'Success') throw new CallFailure(message || `response.result.status was '${status}', not 'Success'`);
  return Array.isArray(objects) ? objects : [];
}

/** The reason why an answer is none, in the words of a real server. */
function problemOf(
  answer: readonly unknown[],
  { metadata }: UnknownObject,
  wanted: { readonly apiVersion: string; readonly kind: string },
): string | undefined {
  if (answer.length !== 1) return `returned ${answer.length} objects, expected 1`;
  const got = answer[0] as Partial<UnknownObject>;
  const at = 'returned invalid object at index 0: invalid';
  if (got.apiVersion !== wanted.apiVersion)
    return `${at} groupVersion (expected ${wanted.apiVersion}, received ${got.apiVersion ?? '/'})`;
  if (got.kind !== wanted.kind) return `${at} kind (expected ${wanted.kind}, received ${got.kind ?? ''})`;
  const { name = '', namespace = '', uid = '', labels = {} } = (got.metadata ?? {}) as UnknownObject['metadata'];
  const differs = (what: string, before = '', after = '') =>
    before === after ? undefined : `returned invalid object: must have the same ${what}: ${before} != ${after}`;
  const changed =
    differs('name', metadata.name, name) ??
    differs('namespace', metadata.namespace, namespace) ??
    differs('UID', metadata.uid, uid);
  if (changed) return changed;
  const problems = labelProblems(labels, 'metadata.labels').map(
    ({ field, detail }) => `${field}: Invalid value: ${detail}`,
  );
  if (problems.length === 0) return undefined;
  return `returned invalid metadata: ${problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`}`;
}

function broken(what: string, why: string): StatusError {
  const {
    reason: _none,
    details: _no,
    ...status
  } = failure(500, 'InternalError', `conversion webhook for ${what} ${why}`);
  return new StatusError(status as Status);
}

export function apiVersionOf({ gvr }: ApiType): string {
  return `${gvr.group}/${gvr.version}`;
}
