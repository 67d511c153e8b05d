import { joinKey } from '../../model/key.ts';
import type { ResourceCall } from '../api/call.ts';
import type { ApiResponse } from '../api/exchange.ts';
import { respondEncoded } from '../api/respond.ts';
import type { Cluster } from '../cluster.ts';
import { missing } from '../status/statuses.ts';
import type { StoredObject } from '../store/stored-object.ts';
import { encodeObject } from './encode.ts';

/** Answers GET of one object. The status subresource shows the whole object, as the real server does. */
export function answerGet(cluster: Cluster, call: ResourceCall): ApiResponse {
  return showObject(cluster, call, 200, find(cluster, call));
}

/** The object that a call names. Throws 404 when it does not exist. */
export function find({ store }: Cluster, { type, namespace, name = '' }: ResourceCall): StoredObject {
  return store.get(type.storage, joinKey(namespace, name)) ?? missing(type.gvr, name);
}

/** Answers a call with an object, in the form that the client asks for. */
export function showObject(
  { clock }: Cluster,
  { type, representation }: ResourceCall,
  status: number,
  object: StoredObject,
  headers: Record<string, string> = {},
): ApiResponse {
  const body = Buffer.from(`${encodeObject(type, object, representation, clock.now())}\n`);
  return respondEncoded(status, body, representation, headers);
}
