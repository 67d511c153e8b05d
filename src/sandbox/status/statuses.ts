import { formatGroupResource, type GroupResource } from '../../model/gvr.ts';
import { failure, notFound, type Status, type StatusCause, StatusError } from '../../model/status.ts';

/**
 * Reasons of a field error, with the words that lead its message. Source: apimachinery util/validation/field/errors.go.
 */
const FIELD_WORDS = {
  FieldValueRequired: 'Required value',
  FieldValueInvalid: 'Invalid value',
  FieldValueNotSupported: 'Unsupported value',
  FieldValueForbidden: 'Forbidden',
  FieldValueTypeInvalid: 'Invalid value',
  FieldValueTooLong: 'Too long',
  FieldValueTooMany: 'Too many',
  FieldValueDuplicate: 'Duplicate value',
  FieldValueNotFound: 'Not found',
  FieldValueTooFew: 'Too few',
  FieldValueTooShort: 'Too short',
  InternalError: 'Internal error',
} as const;

/** A problem with one field, which becomes one cause of a 422. */
export interface FieldProblem {
  readonly field: string;
  readonly reason: keyof typeof FIELD_WORDS;
  /** The text after the words of the reason, as in `Invalid value: DETAIL`. Absent: the words alone. */
  readonly detail?: string | undefined;
}

/** Throws the error that carries a Status to the client. */
export function refuse(status: Status): never {
  throw new StatusError(status);
}

export function badRequest(message: string): never {
  refuse(failure(400, 'BadRequest', message));
}

/** Throws 500 without a reason. The real server answers like this to an error that is no API status. */
export function internal(message: string): never {
  const { reason: _reason, ...status } = failure(500, '', message);
  refuse(status);
}

/**
 * Throws 500 with the reason InternalError and the message as its cause. Source: apimachinery
 * api/errors.NewInternalError.
 */
export function internalError(message: string): never {
  refuse(failure(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] }));
}

export function missing(gr: GroupResource, name: string): never {
  refuse(notFound(gr, name));
}

/** Throws 404 for a well-formed path whose type is not served. */
export function unknownResource(): never {
  refuse(failure(404, 'NotFound', 'the server could not find the requested resource', {}));
}

export function methodNotAllowed(why = 'the server does not allow this method on the requested resource'): never {
  refuse(failure(405, 'MethodNotAllowed', why, {}));
}

export function notAcceptable(available: readonly string[]): never {
  refuse(
    failure(406, 'NotAcceptable', `406: Not Acceptable\n\nAvailable representations: ${available.join(', ')}`, {}),
  );
}

export function unsupportedMediaType(accepted: readonly string[]): never {
  const types = accepted.join(', ');
  refuse(
    failure(
      415,
      'UnsupportedMediaType',
      `the body of the request was in an unknown format - accepted media types include: ${types}`,
    ),
  );
}

export function alreadyExists(gr: GroupResource, name: string): never {
  refuse(failure(409, 'AlreadyExists', `${formatGroupResource(gr)} "${name}" already exists`, detailsOf(gr, name)));
}

/** Throws 409 when every name that was generated from `generateName` already exists. */
export function noUniqueName(gr: GroupResource, name: string): never {
  const message = `${formatGroupResource(gr)} "${name}" already exists, the server was not able to generate a unique name for the object`;
  refuse(failure(409, 'AlreadyExists', message, { ...detailsOf(gr, name), retryAfterSeconds: 1 }));
}

export function conflict(gr: GroupResource, name: string, why: string): never {
  refuse(
    failure(
      409,
      'Conflict',
      `Operation cannot be fulfilled on ${formatGroupResource(gr)} "${name}": ${why}`,
      detailsOf(gr, name),
    ),
  );
}

/** Throws 409 for a write based on an old version: another client has changed the object since it was read. */
export function staleWrite(gr: GroupResource, name: string): never {
  conflict(gr, name, 'the object has been modified; please apply your changes to the latest version and try again');
}

export function forbidden(gr: GroupResource, name: string, why: string, causes?: StatusCause[]): never {
  const status = failure(
    403,
    'Forbidden',
    `${formatGroupResource(gr)} "${name}" is forbidden: ${why}`,
    detailsOf(gr, name),
  );
  refuse(causes ? { ...status, details: { ...status.details, causes } } : status);
}

/** Throws 422 with one cause for each problem. Source: apimachinery api/errors.NewInvalid. */
export function invalid(gk: { group: string; kind: string }, name: string, problems: readonly FieldProblem[]): never {
  const causes = problems.map(({ field, reason, detail }) => ({ reason, message: problemText(reason, detail), field }));
  const texts = [...new Set(causes.map(({ field, message }) => `${field}: ${message}`))]; // the causes keep doubles
  const qualified = gk.group === '' ? gk.kind : `${gk.kind}.${gk.group}`;
  refuse(
    failure(
      422,
      'Invalid',
      `${qualified} "${name}" is invalid: ${texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`}`,
      {
        ...(name === '' ? {} : { name }),
        ...(gk.group === '' ? {} : { group: gk.group }),
        ...(gk.kind === '' ? {} : { kind: gk.kind }),
        causes,
      },
    ),
  );
}

function problemText(reason: FieldProblem['reason'], detail: string | undefined): string {
  return detail ? `${FIELD_WORDS[reason]}: ${detail}` : FIELD_WORDS[reason];
}

/** Throws 422 for a query option that cannot be combined with the others. */
export function invalidOptions(kind: string, problem: FieldProblem): never {
  invalid({ group: 'meta.k8s.io', kind }, '', [problem]);
}

export function tooLargeResourceVersion(asked: string, current: number): never {
  refuse(
    failure(504, 'Timeout', `Timeout: Too large resource version: ${asked}, current: ${current}`, {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    }),
  );
}

/** The 410 Status of a watch from a version that is older than the kept history. */
export function tooOld(asked: string, oldest: number): Status {
  return failure(410, 'Expired', `too old resource version: ${asked} (${oldest})`);
}

/** Throws 501 for a feature of a real API server that the sandbox does not have. */
export function notImplemented(what: string): never {
  refuse(failure(501, 'NotImplemented', `the sandbox does not implement ${what}`));
}

function detailsOf({ group, resource }: GroupResource, name: string): NonNullable<Status['details']> {
  return { name, ...(group === '' ? {} : { group }), kind: resource };
}
