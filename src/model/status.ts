import { InformerError } from '../kit/error.ts';

/** One of several reasons of a {@link Status}, such as one field that is invalid. */
export interface StatusCause {
  reason?: string;
  message?: string;
  field?: string;
}

/** A Kubernetes Status, with which the API server reports an error. Source: apimachinery meta/v1 Status. */
export interface Status {
  kind?: 'Status';
  apiVersion?: 'v1';
  metadata?: Record<string, unknown>;
  status?: 'Success' | 'Failure';
  message?: string;
  reason?: string;
  details?: {
    name?: string;
    group?: string;
    kind?: string;
    uid?: string;
    causes?: StatusCause[];
    retryAfterSeconds?: number;
  };
  code?: number;
}

export function isStatus(value: unknown): value is Status {
  return typeof value === 'object' && value !== null && (value as Status).kind === 'Status';
}

type Types = Readonly<Record<string, 'string' | 'number'>>;

const STATUS_TYPES: Types = {
  apiVersion: 'string',
  status: 'string',
  message: 'string',
  reason: 'string',
  code: 'number',
};
const DETAIL_TYPES: Types = {
  name: 'string',
  group: 'string',
  kind: 'string',
  uid: 'string',
  retryAfterSeconds: 'number',
};
const CAUSE_TYPES: Types = { reason: 'string', message: 'string', field: 'string' };

/**
 * A Status without the members that have another type than in the API, as anything may answer in place of a server; the
 * same object if there are none.
 */
function sound(status: Status): Status {
  const checked = typed(status, STATUS_TYPES);
  if (checked.details === undefined) return checked;
  const details = soundDetails(checked.details);
  return details === checked.details ? checked : { ...checked, details };
}

function soundDetails(details: unknown): NonNullable<Status['details']> {
  if (typeof details !== 'object' || details === null) return {};
  const checked = typed(details as NonNullable<Status['details']>, DETAIL_TYPES);
  if (checked.causes === undefined) return checked;
  const given: readonly unknown[] = Array.isArray(checked.causes) ? checked.causes : [];
  const causes = given.filter((cause) => typeof cause === 'object' && cause !== null) as StatusCause[];
  const typedCauses = causes.map((cause) => typed(cause, CAUSE_TYPES));
  const isSound =
    given === checked.causes && causes.length === given.length && typedCauses.every((cause, i) => cause === given[i]);
  return isSound ? checked : { ...checked, causes: typedCauses };
}

/** The object without members of a wrong type; the same object if there are none. */
function typed<T extends object>(value: T, types: Types): T {
  const isWrong = ([key, member]: [string, unknown]) =>
    Object.hasOwn(types, key) && member !== undefined && typeof member !== types[key];
  const members = Object.entries(value);
  return members.some(isWrong) ? (Object.fromEntries(members.filter((each) => !isWrong(each))) as T) : value;
}

/**
 * The reasons that classify a Status. With any other reason the HTTP code does. Source: apimachinery api/errors
 * reasonAndCodeForError.
 */
const KNOWN_REASONS = new Set([
  'Unauthorized',
  'Forbidden',
  'NotFound',
  'AlreadyExists',
  'Conflict',
  'Gone',
  'Invalid',
  'ServerTimeout',
  'StoreReadError',
  'Timeout',
  'TooManyRequests',
  'BadRequest',
  'MethodNotAllowed',
  'NotAcceptable',
  'RequestEntityTooLarge',
  'UnsupportedMediaType',
  'InternalError',
  'Expired',
  'ServiceUnavailable',
]);

/** An error that the server answered. `status` is the body of the answer. */
export class StatusError extends InformerError {
  override readonly name = 'StatusError';
  readonly status: Status;
  /**
   * Milliseconds to wait before a retry (Retry-After, or details.retryAfterSeconds); undefined when the server set
   * none.
   */
  readonly retryAfterMs: number | undefined;

  /** `message` replaces the text of the Status. */
  constructor(
    status: Status,
    options: { cause?: unknown; hint?: string; retryAfterMs?: number | undefined; message?: string } = {},
  ) {
    const checked = sound(status);
    super(
      'api',
      options.message ?? checked.message ?? `the server answered ${checked.code ?? 'with an error'}`,
      options,
    );
    this.status = checked;
    const seconds = checked.details?.retryAfterSeconds;
    this.retryAfterMs =
      options.retryAfterMs ?? (seconds && seconds > 0 ? Math.min(seconds * 1000, Number.MAX_SAFE_INTEGER) : undefined);
  }

  /** The HTTP code; 0 when the Status has none. (`code` is this package's own error code.) */
  get statusCode(): number {
    return this.status.code ?? 0;
  }

  get reason(): string {
    return this.status.reason ?? '';
  }
}

function statusIs(error: unknown, reason: string, code?: number): boolean {
  const status = statusOf(error);
  if (!status) return false;
  if (status.reason === reason) return true;
  return code !== undefined && status.code === code && !KNOWN_REASONS.has(status.reason ?? '');
}

/** The Status of an error or of one of its causes; undefined when there is none. */
export function statusOf(error: unknown): Status | undefined {
  for (let e = error; e instanceof Error; e = e.cause) if (e instanceof StatusError) return e.status;
  return isStatus(error) ? sound(error) : undefined;
}

/** Whether an error is a 404: the object or its type does not exist. Looks at its causes too. */
export const isNotFound = (error: unknown): boolean => statusIs(error, 'NotFound', 404);
/** Whether an error is a 409 because an object of this name exists already. Looks at its causes too. */
export const isAlreadyExists = (error: unknown): boolean => statusIs(error, 'AlreadyExists');
/** Whether an error is a 409 because the object changed since it was read. Looks at its causes too. */
export const isConflict = (error: unknown): boolean => statusIs(error, 'Conflict', 409);
/** Whether an error is a 422: the server does not accept the content. Looks at its causes too. */
export const isInvalid = (error: unknown): boolean => statusIs(error, 'Invalid', 422);
/** Whether an error is a 403: a right is missing. Looks at its causes too. */
export const isForbidden = (error: unknown): boolean => statusIs(error, 'Forbidden', 403);
/** Whether an error is a 401: the server does not accept the credentials. Looks at its causes too. */
export const isUnauthorized = (error: unknown): boolean => statusIs(error, 'Unauthorized', 401);
/** Whether an error is a 410 because a version or a page is too old (reason Expired). Looks at its causes too. */
export const isExpired = (error: unknown): boolean => statusIs(error, 'Expired');
/** Whether an error is a 410 (reason Gone). Looks at its causes too. */
export const isGone = (error: unknown): boolean => statusIs(error, 'Gone', 410);
export const isInternalError = (error: unknown): boolean => statusIs(error, 'InternalError', 500);
const isTimeout = (error: unknown): boolean => statusIs(error, 'Timeout', 504);
/** Whether the server answered 429, by reason or by code alone. */
export const isThrottled = (error: unknown): boolean =>
  statusIs(error, 'TooManyRequests') || statusOf(error)?.code === 429;

/** Whether the server has not reached the requested version yet. Source: apimachinery IsTooLargeResourceVersion. */
export function isTooLargeResourceVersion(error: unknown): boolean {
  const status = statusOf(error);
  if (!status) return false;
  const causes = status.details?.causes ?? [];
  if (causes.some((c) => c.reason === 'ResourceVersionTooLarge')) return true;
  if (!isTimeout(error)) return false;
  return causes.some((c) => c.message === TOO_LARGE) || (status.message ?? '').includes(TOO_LARGE);
}

const TOO_LARGE = 'Too large resource version';

/** A Failure with the given code and reason, in the API server's form. */
export function failure(code: number, reason: string, message: string, details?: Status['details']): Status {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    ...(details ? { details } : {}),
    code,
  };
}

/** The 404 of an object, in the API server's words: `pods "x" not found`. */
export function notFound(gr: { group: string; resource: string }, name: string): Status {
  const resource = gr.group === '' ? gr.resource : `${gr.resource}.${gr.group}`;
  return failure(404, 'NotFound', `${resource} "${name}" not found`, {
    name,
    ...(gr.group === '' ? {} : { group: gr.group }),
    kind: gr.resource,
  });
}
