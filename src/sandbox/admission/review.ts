import { isJsonMap } from '../../kit/exact-json.ts';
import { formatGroupVersion } from '../../model/gvr.ts';
import type { UnknownObject } from '../../model/object.ts';
import type { UserInfo } from '../api/call.ts';
import type { ApiType } from '../types/api-type.ts';
import { fromStorage, toStorage } from '../types/conversion.ts';
import type { WriteAttempt } from '../write/gate.ts';
import type { Shown } from './hooks.ts';

/** The parts of a review that do not depend on the webhook. */
export interface Circumstances {
  readonly user: UserInfo;
  readonly dryRun: boolean;
  /** CreateOptions, UpdateOptions, PatchOptions or DeleteOptions. */
  readonly options: object;
}

/** A request of a client whose write is decided about. */
export interface AskedWrite extends Circumstances {
  readonly signal: AbortSignal;
  readonly warn: (text: string) => void;
  /** A custom resource in another version. */
  readonly convert: (object: UnknownObject, type: ApiType) => Promise<UnknownObject>;
}

/**
 * The request of an AdmissionReview, with the fields and their order as a real server sends them.
 * Source: apiserver admission/plugin/webhook/request/admissionreview.go, api/admission/v1.
 */
export async function admissionRequest(
  uid: string,
  attempt: WriteAttempt,
  shown: Shown,
  asked: Circumstances & Pick<AskedWrite, 'convert'>,
): Promise<Record<string, unknown>> {
  const { user, dryRun, options } = asked;
  const { type, kind = type, subresource, operation, object, oldObject } = attempt;
  const { username, uid: userUid, groups, extra } = user;
  const { name } = attempt;
  const namespace = type.storage === 'namespaces' ? name : attempt.namespace;
  return {
    uid,
    kind: gvkOf(attempt.kind ?? shown),
    resource: gvrOf(shown),
    ...(subresource ? { subResource: subresource } : {}),
    requestKind: gvkOf(kind),
    requestResource: gvrOf(type),
    ...(subresource ? { requestSubResource: subresource } : {}),
    ...(name ? { name } : {}),
    ...(namespace ? { namespace } : {}),
    operation,
    userInfo: {
      ...(username ? { username } : {}),
      ...(userUid ? { uid: userUid } : {}),
      ...(groups.length > 0 ? { groups } : {}),
      ...(extra && Object.keys(extra).length > 0 ? { extra } : {}),
    },
    object: object ? await inVersion(object, shown, attempt, asked) : null,
    oldObject: oldObject ? await inVersion(oldObject, shown, attempt, asked) : null,
    dryRun,
    options,
  };
}

/** An object of a request in the version in which a webhook is shown it. */
export async function inVersion(
  object: UnknownObject,
  shown: Shown,
  attempt: WriteAttempt,
  { convert }: Pick<AskedWrite, 'convert'>,
): Promise<UnknownObject> {
  if (attempt.kind) return object;
  if (shown.type === attempt.type) return object;
  if (shown.type.custom?.conversion) return convert(object, shown.type);
  const { kind: _kind, apiVersion: _version, ...rest } = fromStorage(shown.type, toStorage(attempt.type, object));
  return { kind: shown.kind, apiVersion: formatGroupVersion(shown.gvr), ...rest } as UnknownObject;
}

const gvkOf = ({ gvr, kind }: Pick<Shown, 'gvr' | 'kind'>) => ({ group: gvr.group, version: gvr.version, kind });
const gvrOf = ({ gvr }: Pick<Shown, 'gvr'>) => ({ group: gvr.group, version: gvr.version, resource: gvr.resource });

/** The answer of a webhook. */
export interface AdmissionAnswer {
  readonly allowed: boolean;
  /** A JSON patch as text. */
  readonly patch: string | undefined;
  readonly patchType: string | undefined;
  readonly status: Record<string, unknown> | undefined;
  readonly warnings: readonly string[];
}

/**
 * Reads the answer to a review. Throws with the text of a real server for one that is not valid.
 * Source: VerifyAdmissionResponse in the same file.
 */
export function readAnswer(uid: string, isMutating: boolean, review: unknown): AdmissionAnswer {
  const { response, apiVersion = '', kind = '' } = (isJsonMap(review) ? review : {}) as Record<string, unknown>;
  if (!isJsonMap(response)) throw new Error('webhook response was absent');
  if (response.uid !== uid)
    throw new Error(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response.uid ?? '')}`);
  if (apiVersion !== 'admission.k8s.io/v1' || kind !== 'AdmissionReview') {
    const got = `${String(apiVersion || '/')}, Kind=${String(kind)}`;
    throw new Error(`expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got ${got}`);
  }
  const { patch, patchType, allowed, status, warnings } = response;
  const hasPatch = typeof patch === 'string' && patch !== '';
  if (isMutating) {
    if (hasPatch && patchType === undefined)
      throw new Error('webhook returned response.patch but not response.patchType');
    if (!hasPatch && patchType !== undefined)
      throw new Error('webhook returned response.patchType but not response.patch');
    if (patchType === '') throw new Error('webhook returned invalid response.patchType of ""');
  } else {
    if (hasPatch) throw new Error('validating webhook may not return response.patch');
    if (patchType !== undefined) throw new Error('validating webhook may not return response.patchType');
  }
  return {
    allowed: allowed === true,
    patch: hasPatch ? Buffer.from(patch, 'base64').toString('utf8') : undefined,
    patchType: typeof patchType === 'string' ? patchType : undefined,
    status: isJsonMap(status) ? status : undefined,
    warnings: Array.isArray(warnings) ? warnings.filter((each) => typeof each === 'string') : [],
  };
}
