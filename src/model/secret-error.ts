import { type Status, type StatusCause, StatusError } from './status.ts';

/**
 * The error of a request about Secrets, without the server's own words.
 * An API server quotes what it refuses. To a patch that it cannot decode it answers with the whole object. This error
 * keeps the code, the reason, the name and the fields of the causes, and makes its text from them. A denial by RBAC and
 * a conflict of field managers have fixed forms, and keep their texts.
 */
export function withoutSecretValues(error: StatusError, name = error.status.details?.name): StatusError {
  const { status, retryAfterMs, hint } = error;
  const message = RBAC_DENIAL.test(status.message ?? '') ? status.message : textOf(status, name);
  const causes = status.details?.causes?.map(({ reason, field, message: text }) => ({
    ...(reason && { reason }),
    ...(text && reason === 'FieldManagerConflict' && MANAGER_CONFLICT.test(text) && { message: text }),
    ...(field && { field }),
  }));
  const details = status.details && {
    ...(status.details.name === undefined ? {} : { name: status.details.name }),
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

/** Whether the Status of an error names a Secret as its subject. */
export function isAboutSecret({ status: { details } }: StatusError): boolean {
  return (details?.kind === 'Secret' || details?.kind === 'secrets') && !details.group;
}

/** Source: apiserver endpoints/handlers/responsewriters/errors.go, authorizer/rbac. */
const RBAC_DENIAL =
  /^secrets(?: "[^"\s]*")? is forbidden: User "[^"\n]*" cannot [a-z]+ resource "secrets" in API group ""(?: in the namespace "[^"\s]*"| at the cluster scope)?$/;

/** Names another writer, and no value. Source: apimachinery util/managedfields, structured-merge-diff merge/conflict.go. */
const MANAGER_CONFLICT =
  /^conflict with "[^"\\\n]{1,128}"(?: with subresource "[a-z]+")?(?: using [\w./-]+)?(?: at [\dT:.Z+-]+)?$/;

/** The text for each reason. Source: the texts of apimachinery api/errors, without their variable parts. */
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
  const what =
    TEXTS[reason] ??
    `the server refused the request (${[reason, code].filter(Boolean).join(', ') || 'no reason given'})`;
  return `${subject} ${what}${fields.length === 0 ? '' : `: ${fields.join(', ')}`}`;
}

/** The subject of a 404 that is about another object, such as the namespace. */
function absentOther(
  reason: string,
  { kind = '', name = '' }: NonNullable<Status['details']> = {},
): string | undefined {
  const isOther = reason === 'NotFound' && /^[a-z]+$/.test(kind) && kind !== 'secrets' && /^[a-z0-9.-]+$/.test(name);
  return isOther ? `${kind} ${JSON.stringify(name)}` : undefined;
}

/** `data[a b]: FieldValueInvalid`. Leaves out a field or a reason that does not have the form of one. */
function describedCause({ field = '', reason = '' }: StatusCause): string[] {
  const parts = [field, reason].filter((part) => /^[\w.[\]()/ -]{1,200}$/.test(part));
  return parts.length === 0 ? [] : [parts.join(': ')];
}
