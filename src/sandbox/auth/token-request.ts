import type { ResourceCall } from '../api/call.ts';
import type { ApiResponse } from '../api/exchange.ts';
import { respond } from '../api/respond.ts';
import { type Cluster, timestamp } from '../cluster.ts';
import { find } from '../read/get.ts';
import { invalid, notImplemented } from '../status/statuses.ts';
import type { ApiType } from '../types/api-type.ts';
import { decodeObject } from '../write/decode.ts';
import type { TokenKeeper } from './token-keeper.ts';
import { ISSUER } from './token-keeper.ts';

interface TokenRequestSpec {
  readonly audiences?: readonly string[];
  readonly expirationSeconds?: number;
  readonly boundObjectRef?: object | null;
}

const SHORTEST_S = 600;
const HOUR_S = 3600;

/**
 * Answers `serviceaccounts/NAME/token` with a token of the account. It is valid until it expires or the account is
 * deleted. Throws 501 for a token bound to an object, 422 for a lifetime below ten minutes.
 * Source: kubernetes pkg/registry/core/serviceaccount/storage/token.go.
 */
export function requestToken(cluster: Cluster, tokens: TokenKeeper, call: ResourceCall): ApiResponse {
  const { object } = find(cluster, call);
  const { metadata: _metadata, spec = {}, ...rest } = decodeObject(call, asTokenRequest(call.type));
  const { audiences = [ISSUER], expirationSeconds = HOUR_S, boundObjectRef } = spec as TokenRequestSpec;
  if (boundObjectRef) notImplemented('tokens that are bound to an object');
  if (expirationSeconds < SHORTEST_S) tooShort(call.name ?? '', expirationSeconds);
  const { name = '', namespace = '', uid = '' } = object.metadata;
  const isValid = () => cluster.store.get(call.type.storage, `${namespace}/${name}`)?.object.metadata.uid === uid;
  const token = tokens.issueAccount({ namespace, name, uid, audiences, lifetimeMs: expirationSeconds * 1000, isValid });
  const now = cluster.clock.now();
  const answer = {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    ...rest,
    metadata: { name, namespace, creationTimestamp: timestamp(now) },
    spec: { audiences, expirationSeconds, boundObjectRef: null },
    status: { token, expirationTimestamp: timestamp(now + expirationSeconds * 1000) },
  };
  return respond(201, answer, call.representation);
}

function asTokenRequest(type: ApiType): ApiType {
  return {
    ...type,
    gvr: { group: 'authentication.k8s.io', version: 'v1', resource: 'tokenrequests' },
    kind: 'TokenRequest',
  };
}

function tooShort(name: string, seconds: number): never {
  const detail = `${seconds}: may not specify a duration less than 10 minutes`;
  return invalid({ group: 'authentication.k8s.io', kind: 'TokenRequest' }, name, [
    { field: 'spec.expirationSeconds', reason: 'FieldValueInvalid', detail },
  ]);
}
