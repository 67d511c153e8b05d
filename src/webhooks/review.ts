import type { GroupVersionResource } from '../model/gvr.ts';
import type { UnknownObject } from '../model/object.ts';

/** The sort of a write. */
export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** A request that a webhook decides about. Source: api/admission/v1 AdmissionRequest. */
export interface AdmissionRequest<T = UnknownObject> {
  readonly uid: string;
  readonly operation: AdmissionOperation;
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly resource: GroupVersionResource;
  readonly subResource?: string | undefined;
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
  readonly userInfo: {
    readonly username?: string | undefined;
    readonly uid?: string | undefined;
    readonly groups?: readonly string[] | undefined;
    readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
  };
  /** The object to be written; null for a deletion. A mutating webhook may change it. */
  readonly object: T | null;
  /** The object as it is stored; null for a new one. */
  readonly oldObject: T | null;
  readonly dryRun: boolean;
  readonly options: Readonly<Record<string, unknown>> | null;
}

/** The circumstances of a decision. */
export interface ReviewContext {
  /** Aborts when the API server has gone, when the time is up, and at the end of the server. */
  readonly signal: AbortSignal;
  /** Shows a warning to the client, whatever the decision. */
  readonly warn: (text: string) => void;
}

/** The refusal of a request. A webhook returns or throws it. */
export class Denial extends Error {
  override readonly name = 'Denial';
  readonly code: number;
  readonly reason: string | undefined;

  /** `code` is the HTTP code that the client gets, 403 by default. */
  constructor(message: string, { code = 403, reason }: { code?: number; reason?: string } = {}) {
    super(message);
    this.code = code;
    this.reason = reason ?? (code === 403 ? 'Forbidden' : undefined);
  }
}

/** Refuses a request with a message for its client. */
export function deny(message: string, options: { code?: number; reason?: string } = {}): Denial {
  return new Denial(message, options);
}

/** A value, or nothing. */
// biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing allows the request
type OrNothing<T> = T | void;

/** Decides about a request: returns nothing to allow it, or a {@link Denial}. Any other error fails the webhook. */
export type ValidateFn<T = UnknownObject> = (
  request: AdmissionRequest<T>,
  context: ReviewContext,
) => OrNothing<Denial> | Promise<OrNothing<Denial>>;

/**
 * Changes the object of a request: in place, or by returning another one. The JSON patch is made from the difference. It
 * may return a {@link Denial} too.
 */
export type MutateFn<T = UnknownObject> = (
  request: AdmissionRequest<T>,
  context: ReviewContext,
) => OrNothing<T | Denial> | Promise<OrNothing<T | Denial>>;

/** Converts an object to another version of its kind. Returns the new object; the one given may be changed. */
export type ConvertFn = (
  object: UnknownObject,
  apiVersion: string,
  context: Pick<ReviewContext, 'signal'>,
) => UnknownObject | Promise<UnknownObject>;

/** Converts the objects of one request, which have any versions. Returns all of them, in their order. The client sees the text of an error. */
export type ConvertAllFn = (
  objects: readonly UnknownObject[],
  apiVersion: string,
  context: Pick<ReviewContext, 'signal'> & { readonly uid: string },
) => readonly UnknownObject[] | Promise<readonly UnknownObject[]>;
