import { type Status, type StatusCause, StatusError } from './status.ts';

/**
 * The error of a request about Secrets, without the server's own words: an API server quotes what it refuses, and answers a patch that cannot be
 * decoded with the whole object. Kept are code, reason, name and the fields of the causes; the text is made of these. A denial by RBAC, whose form
 * is fixed, stays as it is.
 */
export function withoutSecretValues(error: StatusError, name = error.status.details?.name): StatusError {
  const { status, retryAfterMs, hint } = error;
  const message = RBAC_DENIAL.test(status.message ?? '') ? status.message : textOf(status, name);
  const causes = status.details?.causes?.map(({ reason, field }) => ({ ...(reason && { reason }), ...(field && { field }) }));
  const details = status.details && {
    ...(name === undefined ? {} : { name }),
    kind: 'secrets',
    ...(causes ? { causes } : {}),
    ...(status.details.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: status.details.retryAfterSeconds }),
  };
  const { kind, apiVersion, reason, code } = status;
  const bare: Status = {
    ...(kind && { kind }),
    ...(apiVersion && { apiVersion }),
    status: 'Failure',
    message: message ?? '',
    reason: reason ?? '',
    ...(details ? { details } : {}),
    ...(code === undefined ? {} : { code }),
  };
  return new StatusError(bare, { retryAfterMs, ...(hint === undefined ? {} : { hint }) });
}

/** Whether an error says of itself that it is about a Secret. */
export function isAboutSecret({ status: { details } }: StatusError): boolean {
  return (details?.kind === 'Secret' || details?.kind === 'secrets') && !details.group;
}

/** Source: apiserver endpoints/handlers/responsewriters/errors.go, authorizer/rbac. */
const RBAC_DENIAL =
  /^secrets(?: "[^"\s]*")? is forbidden: User "[^"\n]*" cannot [a-z]+ resource "secrets" in API group ""(?: in the namespace "[^"\s]*"| at the cluster scope)?$/;

/** By reason. Source: the texts of apimachinery api/errors, without their variable parts. */
const TEXTS: Readonly<Record<string, string>> = {
  NotFound: 'not found',
  AlreadyExists: 'already exists',
  Conflict: 'the object has been modified, or a precondition was not met',
  Invalid: 'is invalid',
  Forbidden: 'is forbidden',
  Unauthorized: 'the server has asked for the client to provide credentials',
};

function textOf({ reason = '', code = 0, details }: Status, name: string | undefined): string {
  const subject = absentOther(reason, details) ?? (name === undefined ? 'secrets' : `secrets ${JSON.stringify(name)}`);
  const fields = (details?.causes ?? []).flatMap(describedCause);
  const what = TEXTS[reason] ?? `the server refused the request (${[reason, code].filter(Boolean).join(', ') || 'no reason given'})`;
  return `${subject} ${what}${fields.length === 0 ? '' : `: ${fields.join(', ')}`}`;
}

/** A 404 may be about the namespace instead. */
function absentOther(reason: string, { kind = '', name = '' }: NonNullable<Status['details']> = {}): string | undefined {
  const isOther = reason === 'NotFound' && /^[a-z]+$/.test(kind) && kind !== 'secrets' && /^[a-z0-9.-]+$/.test(name);
  return isOther ? `${kind} ${JSON.stringify(name)}` : undefined;
}

/** `data[a b]: FieldValueInvalid`; what cannot be a field's path or a reason is left out. */
function describedCause({ field = '', reason = '' }: StatusCause): string[] {
  const parts = [field, reason].filter((part) => /^[\w.[\]()/ -]{1,200}$/.test(part));
  return parts.length === 0 ? [] : [parts.join(': ')];
}
