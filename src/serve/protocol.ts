import { InformerError } from '../kit/error.ts';

/** The version of what is sent between a serve and the commands that ask it. Another version is refused. */
export const PROTOCOL_VERSION = 2;

/** The header with {@link PROTOCOL_VERSION}: of every answer, and of every request of a command. */
export const PROTOCOL_HEADER = 'kubectl-informer-protocol';

/** The path of a question of `query`. */
export const QUERY_PATH = '/v1/query';

/** The header of a LIST or WATCH whose client needs `metadata.managedFields`, which a serve may not hold. */
export const MANAGED_FIELDS_HEADER = 'kubectl-informer-managed-fields';

/** The code of a request that the serve cannot answer and the cluster can: RFC 9110, Misdirected Request. */
export const UNSERVED = 421;

/** One flag as it was given: its values, and where they are from. */
export interface GivenFlag {
  readonly values: readonly string[];
  readonly origin: 'flag' | 'environment' | 'file';
  readonly label?: string | undefined;
}

/** A question of `query`: its words and flags, and what of its process decides how the answer looks. */
export interface QueryRequest {
  readonly words: readonly string[];
  /**
   * The flags by name. Those that choose the server and the user are left out: they led to this serve. `-o` has the
   * text of its file in place of the path.
   */
  readonly given: Readonly<Record<string, GivenFlag>>;
  /** The namespace of the asking command's context. Undefined: the serve's own. */
  readonly namespace?: string | undefined;
  /** The named indexes and views of the asking user's config file. */
  readonly config: { readonly indexes: Readonly<Record<string, string>>; readonly views?: unknown };
  readonly terminal: { readonly isTerminal: boolean; readonly columns?: number | undefined };
  /** The variables that decide about colours and characters, and the versions that the run of an asking hook knows of. */
  readonly env: Readonly<Record<string, string>>;
}

/** An error as it is sent: what a command prints, and its exit code. */
export interface AnswerError {
  readonly message: string;
  readonly hint?: string | undefined;
  readonly exitCode: number;
}

export interface AnswerEnd {
  readonly exitCode: number;
  /** The time since the caches last proved to be current, ms: the longest of those that were used. */
  readonly ageMs?: number | undefined;
  readonly errors?: readonly AnswerError[] | undefined;
  /** Why the serve cannot answer this (it does not hold a type, or all namespaces). Then there is nothing else. */
  readonly unserved?: string | undefined;
}

/**
 * The trailer of an answer to a command, as JSON: its end, and its notices, lines for stderr. The body before it is the
 * text for stdout. An answer without it was cut off.
 */
export const END_TRAILER = 'kubectl-informer-end';

export interface AnswerTrailer extends AnswerEnd {
  readonly notices: readonly string[];
}

/**
 * The error between versions. `theirs` is what the other side said of itself, undefined if nothing: then it is no serve
 * of this program.
 */
export function protocolError(theirs: string | undefined, who: string): InformerError {
  const other = theirs === undefined || theirs === '' ? 'none' : /^\d+$/.test(theirs) ? theirs : JSON.stringify(theirs);
  const isNewer = Number(theirs) > PROTOCOL_VERSION;
  return new InformerError(
    'config',
    `${who} speaks protocol version ${other}, this program version ${PROTOCOL_VERSION}`,
    {
      hint: isNewer
        ? "upgrade this program, or end the other with its own 'serve stop'"
        : "end the other with 'serve stop' and start serve again with this version",
    },
  );
}

/** Whether a header or a field names this version. */
export const isThisProtocol = (version: unknown) => String(version) === String(PROTOCOL_VERSION);
