/** Where the next page of a list starts. */
export interface ContinueToken {
  /** The revision of the first page; -1 for the present state. */
  readonly revision: number;
  /** The key after the last one of the page before. */
  readonly start: string;
}

/** Source: apiserver storage.EncodeContinue. */
export function encodeContinue({ revision, start }: ContinueToken): string {
  const key = revision === -1 ? start : `/${start}`;
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: revision, start: key })).toString('base64url');
}

/** Reads a token, or returns the problem in the words of the real server. */
export function decodeContinue(token: string): ContinueToken | { readonly problem: string } {
  const bytes = Buffer.from(token, 'base64url');
  let value: { v?: unknown; rv?: unknown; start?: unknown };
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    return { problem: `continue key is not valid: ${jsonProblem(bytes)}` };
  }
  const { v, rv, start } = value;
  if (v !== 'meta.k8s.io/v1') return { problem: `server does not recognize this encoded version "${v ?? ''}"` };
  if (typeof rv !== 'number' || rv === 0)
    return { problem: 'incorrect encoded start resourceVersion (version meta.k8s.io/v1)' };
  if (typeof start !== 'string' || start === '')
    return { problem: 'continue key is not valid: encoded start key empty (version meta.k8s.io/v1)' };
  return { revision: rv, start: start.replace(/^\//, '') };
}

function jsonProblem(bytes: Buffer): string {
  const first = bytes[0];
  if (first === undefined || first === 0x7b) return 'unexpected end of JSON input';
  const printable = first >= 0x20 && first < 0x7f;
  const shown = printable ? String.fromCharCode(first) : `\\u00${first.toString(16).padStart(2, '0')}`;
  return `invalid character '${shown}' looking for beginning of value`;
}
