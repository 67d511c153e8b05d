import { type Status, type StatusCause, StatusError, statusOf } from '../../model/status.ts';

/** Another field manager, and the fields of it that an apply would change. */
export interface FieldConflict {
  /** The manager's name. Undefined if the server does not give it. */
  readonly manager: string | undefined;
  /** The subresource through which it wrote the fields, such as `status`. */
  readonly subresource?: string | undefined;
  /** The paths of the fields, as the server writes them: `.spec.replicas`. */
  readonly fields: readonly string[];
}

/**
 * The error of a server-side apply that would change fields of other managers. Nothing was written. `isConflict` accepts
 * it, but a retry alone does not help: apply with `force`, or leave the fields out.
 */
export class ApplyConflictError extends StatusError {
  /** The other managers, each with its fields, in the server's order. */
  readonly conflicts: readonly FieldConflict[];

  constructor(status: Status, conflicts: readonly FieldConflict[], cause: unknown) {
    super(status, {
      cause,
      message: messageOf(conflicts),
      hint: 'apply with { force: true } to take the fields over, or leave them out of the object',
    });
    this.conflicts = conflicts;
  }
}

/** The same error, as an {@link ApplyConflictError} if it is a conflict of field managers. */
export function asApplyConflict(error: unknown): unknown {
  const status = statusOf(error);
  const causes = (status?.details?.causes ?? []).filter(({ reason }) => reason === 'FieldManagerConflict');
  return status && causes.length > 0 ? new ApplyConflictError(status, conflictsIn(causes), error) : error;
}

function conflictsIn(causes: readonly StatusCause[]): FieldConflict[] {
  const found = new Map<string, { manager: string | undefined; subresource?: string; fields: string[] }>();
  for (const { message = '', field = '' } of causes) {
    const { manager, subresource } = managerIn(message);
    const key = JSON.stringify([manager, subresource]);
    const conflict = found.get(key) ?? { manager, ...(subresource ? { subresource } : {}), fields: [] };
    if (field !== '' && !conflict.fields.includes(field)) conflict.fields.push(field);
    found.set(key, conflict);
  }
  return [...found.values()];
}

/**
 * `conflict with "kubectl" with subresource "scale" using apps/v1 at …`: a name in Go's quotes, and what identifies
 * other entries of the same manager. Source: structured-merge-diff and apimachinery managedfields conflict.go.
 */
function managerIn(message: string): { manager: string | undefined; subresource: string | undefined } {
  const parts = /^conflict with ("(?:[^"\\]|\\.)*")(?: with subresource ("(?:[^"\\]|\\.)*"))?/.exec(message);
  return { manager: unquoted(parts?.[1]), subresource: unquoted(parts?.[2]) };
}

function unquoted(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as string;
  } catch {
    return text.slice(1, -1); // an escape that JSON does not have
  }
}

function messageOf(conflicts: readonly FieldConflict[]): string {
  const parts = conflicts.map(({ manager, subresource, fields }) => {
    const owner = manager === undefined ? 'another field manager' : JSON.stringify(manager);
    return `${fields.join(', ') || 'a field'} of ${owner}${subresource ? ` (through ${subresource})` : ''}`;
  });
  return `the apply would change fields of other managers: ${parts.join('; ')}`;
}
