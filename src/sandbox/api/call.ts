import type { ApiType } from '../types/api-type.ts';
import type { AnswerFormat } from './negotiate.ts';

/** The user of a request, with the fields that a SelfSubjectReview shows. */
export interface UserInfo {
  readonly username: string;
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** One authenticated request. Header names are in lower case. */
export interface Call {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
  readonly signal: AbortSignal;
  readonly user: UserInfo;
  /** True when the user may do everything, so that no role is consulted. */
  readonly unrestricted: boolean;
  /** Throws 403 unless the user may also use this verb on the path of the call. */
  readonly checkMay: (verb: string) => void;
}

/** A call whose path names a served type or an object of it. */
export interface ResourceCall extends Call {
  readonly type: ApiType;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  readonly representation: AnswerFormat;
}

/**
 * The value of a boolean query option. Absent, `0` and `false` (in any case) mean false, every other value means true.
 * Source: apimachinery runtime conversion.
 */
export function flag(query: URLSearchParams, name: string): boolean {
  const value = query.get(name);
  return value !== null && value.toLowerCase() !== 'false' && value !== '0';
}

/**
 * The field manager of a write: the option `fieldManager`, else the part of User-Agent before the slash.
 * Source: apiserver managerOrUserAgent.
 */
export function managerOf({ query, headers }: Call): string {
  return query.get('fieldManager') || headers.get('user-agent')?.split('/', 1)[0]?.slice(0, 128) || 'unknown';
}
