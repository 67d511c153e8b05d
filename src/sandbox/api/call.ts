import type { ApiType } from '../types/api-type.ts';
import type { AnswerFormat } from './negotiate.ts';

/** Who asks, as a SelfSubjectReview tells it. */
export interface UserInfo {
  readonly username: string;
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** One request, read: headers in lower case, the query parsed, the user known. */
export interface Call {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
  readonly signal: AbortSignal;
  readonly user: UserInfo;
  /** Whether the user may do anything, whatever the roles say. */
  readonly unrestricted: boolean;
  /** Throws 403 unless the user may do this too where the call is about. */
  readonly checkMay: (verb: string) => void;
}

/** A call that speaks of objects of a type that is served. */
export interface ResourceCall extends Call {
  readonly type: ApiType;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  readonly representation: AnswerFormat;
}

/** A query option that is a boolean: absent, `0` and `false` in any case are not, anything else is. Source: apimachinery runtime conversion. */
export function flag(query: URLSearchParams, name: string): boolean {
  const value = query.get(name);
  return value !== null && value.toLowerCase() !== 'false' && value !== '0';
}

/** The field manager of a write: as asked for, else the part of the client's name before the slash. Source: apiserver managerOrUserAgent. */
export function managerOf({ query, headers }: Call): string {
  return query.get('fieldManager') || headers.get('user-agent')?.split('/', 1)[0]?.slice(0, 128) || 'unknown';
}
