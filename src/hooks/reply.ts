import { parseDuration } from '../kit/duration.ts';
import { InformerError, messageOf } from '../kit/error.ts';
import { isJsonMap, jsonText } from '../kit/exact-json.ts';
import { nearest } from '../kit/nearest.ts';
import type { GroupVersionResource } from '../model/gvr.ts';
import { parseGvr } from '../model/gvr.ts';

/** The target of an action, if it is not the reconciled object. Missing parts are those of the reconciled object. */
export interface TargetRef {
  readonly gvr?: GroupVersionResource;
  readonly namespace?: string;
  readonly name?: string;
}

export type Body = Readonly<Record<string, unknown>>;

/** One action that a hook asks for. The program carries it out, so the hook needs no client. */
export type Action =
  | { readonly verb: 'apply' | 'create'; readonly body: Body; readonly on?: TargetRef; readonly own: boolean }
  | {
      readonly verb: 'patch';
      readonly body: Body | readonly unknown[];
      readonly patchType: PatchType;
      readonly on?: TargetRef;
    }
  | { readonly verb: 'status' | 'delete'; readonly body: Body; readonly on?: TargetRef }
  | { readonly verb: 'event'; readonly body: EventBody; readonly on?: TargetRef }
  | { readonly verb: 'log'; readonly body: LogBody };

export type PatchType = 'merge' | 'json' | 'strategic';

export interface EventBody {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

export interface LogBody {
  readonly level: 'error' | 'warn' | 'info' | 'debug';
  readonly message: string;
  readonly fields: Body;
}

/** The checked reply of a hook. */
export interface Reply {
  readonly requeueAfterMs: number | undefined;
  readonly actions: readonly Action[];
  /** The error that the hook reported. The run is then retried like after any failure. */
  readonly error: string | undefined;
  /** Whether no retry can repair the error: the key is parked. */
  readonly permanent: boolean;
}

const VERBS = ['apply', 'create', 'patch', 'delete', 'status', 'event', 'log'] as const;
/** The keys that a reply may have. */
export const REPLY_KEYS = ['requeueAfter', 'requeueAfterMs', 'actions', 'error', 'permanent'];
const ACTION_KEYS = [...VERBS, 'on', 'own', 'patchType'];

/**
 * Checks the reply of a hook: `{requeueAfter?: "30s", requeueAfterMs?: 30000, actions?: […], error?: "…"}`, or nothing.
 * Throws `hook` with the place and what was expected there. An unknown key is an error too: a misspelt key would
 * otherwise be silently ignored.
 */
export function parseReply(value: unknown): Reply {
  if (value === undefined || value === null)
    return { requeueAfterMs: undefined, actions: [], error: undefined, permanent: false };
  const reply = asBody(value, 'reply');
  onlyKeys(reply, REPLY_KEYS, 'reply');
  const { actions = [], error, permanent = false } = reply;
  if (typeof permanent !== 'boolean') bad('permanent', 'true or false', permanent);
  if (permanent && !reply.error) throw invalid('permanent is about an error, and there is none');
  if (!Array.isArray(actions)) bad('actions', 'a list', actions);
  return {
    requeueAfterMs: requeueAfterOf(reply),
    actions: actions.map((action, i) => parseAction(action, `actions[${i}]`)),
    error: error === undefined || error === null ? undefined : textOf(error),
    permanent,
  };
}

/** An error that is not a text is shown as JSON. */
const textOf = (error: unknown): string => (typeof error === 'string' ? error : shownValue(error));

function requeueAfterOf({ requeueAfter, requeueAfterMs }: Body): number | undefined {
  if (requeueAfterMs !== undefined) {
    if (typeof requeueAfterMs !== 'number' || !(requeueAfterMs >= 0 && Number.isFinite(requeueAfterMs)))
      bad('requeueAfterMs', 'a number of milliseconds', requeueAfterMs);
    return requeueAfterMs;
  }
  if (requeueAfter === undefined || requeueAfter === null) return undefined;
  if (typeof requeueAfter !== 'string') bad('requeueAfter', 'a duration such as "30s"', requeueAfter);
  const ms = durationOf(requeueAfter);
  return ms >= 0 ? ms : bad('requeueAfter', 'a duration of zero or more', requeueAfter);
}

function durationOf(text: string): number {
  try {
    return parseDuration(text);
  } catch (error) {
    throw new InformerError('hook', `requeueAfter: ${messageOf(error)}`, {
      cause: error,
      hint: 'write it as "30s", "5m" or "1h30m"',
    });
  }
}

function parseAction(value: unknown, at: string): Action {
  const action = asBody(value, at);
  onlyKeys(action, ACTION_KEYS, at);
  const verbs = VERBS.filter((verb) => action[verb] !== undefined);
  const [verb] = verbs;
  if (!verb || verbs.length > 1)
    throw invalid(`${at} must have exactly one of ${VERBS.join(', ')}, not ${verbs.length || 'none'}`);
  checkModifiers(verb, action, at);
  const on = targetOf(action.on, `${at}.on`);
  return { ...bodyOf(verb, action, at), ...(on ? { on } : {}) } as Action;
}

function checkModifiers(verb: string, { own, patchType, on }: Body, at: string): void {
  if (own !== undefined && typeof own !== 'boolean') bad(`${at}.own`, 'true or false', own);
  if (own && verb !== 'apply' && verb !== 'create')
    throw invalid(`${at}.own is only for apply and create, not for ${verb}`);
  if (patchType !== undefined && verb !== 'patch') throw invalid(`${at}.patchType is only for patch, not for ${verb}`);
  if (on !== undefined && verb === 'log') throw invalid(`${at}.on is not for log`);
}

function bodyOf(verb: (typeof VERBS)[number], action: Body, at: string): Action {
  const place = `${at}.${verb}`;
  const value = action[verb];
  switch (verb) {
    case 'apply':
    case 'create':
      return { verb, body: asBody(value, place), own: action.own === true };
    case 'patch':
      return { verb, ...patchOf(value, action.patchType, at) };
    case 'status':
      return { verb, body: asBody(value, place) };
    case 'delete':
      return { verb, body: value === true ? {} : asBody(value, place) };
    case 'event':
      return { verb, body: eventOf(asBody(value, place), place) };
    case 'log':
      return { verb, body: logOf(value, place) };
  }
}

function patchOf(
  value: unknown,
  patchType: unknown,
  at: string,
): { body: Body | readonly unknown[]; patchType: PatchType } {
  const type = patchType ?? 'merge';
  if (type !== 'merge' && type !== 'json' && type !== 'strategic')
    return bad(`${at}.patchType`, 'merge, json or strategic', type);
  if (type !== 'json') return { body: asBody(value, `${at}.patch`), patchType: type };
  return Array.isArray(value)
    ? { body: value, patchType: type }
    : bad(`${at}.patch`, 'a list of JSON patch operations', value);
}

function eventOf({ type = 'Normal', reason, message, note }: Body, at: string): EventBody {
  const text = message ?? note;
  if (type !== 'Normal' && type !== 'Warning') return bad(`${at}.type`, 'Normal or Warning', type);
  if (typeof reason !== 'string' || reason === '') return bad(`${at}.reason`, 'a word such as "Scaled"', reason);
  if (typeof text !== 'string') return bad(`${at}.message`, 'a string', text);
  return { type, reason, message: text };
}

function logOf(value: unknown, at: string): LogBody {
  if (typeof value === 'string') return { level: 'info', message: value, fields: {} };
  const { level = 'info', message, ...fields } = asBody(value, at);
  if (level !== 'error' && level !== 'warn' && level !== 'info' && level !== 'debug')
    return bad(`${at}.level`, 'error, warn, info or debug', level);
  return typeof message === 'string' ? { level, message, fields } : bad(`${at}.message`, 'a string', message);
}

function targetOf(value: unknown, at: string): TargetRef | undefined {
  if (value === undefined) return undefined;
  const on = asBody(value, at);
  onlyKeys(on, ['gvr', 'namespace', 'name'], at);
  const { gvr, namespace, name } = on;
  if (gvr !== undefined && typeof gvr !== 'string') bad(`${at}.gvr`, 'a string such as "apps/v1/deployments"', gvr);
  if (namespace !== undefined && typeof namespace !== 'string') bad(`${at}.namespace`, 'a string', namespace);
  if (name !== undefined && typeof name !== 'string') bad(`${at}.name`, 'a string', name);
  return {
    ...(gvr === undefined ? {} : { gvr: parseGvr(gvr) }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
  };
}

function asBody(value: unknown, at: string): Body {
  if (isJsonMap(value)) return value as Body;
  return bad(at, 'an object', value);
}

function onlyKeys(body: Body, known: readonly string[], at: string): void {
  for (const key of Object.keys(body)) {
    if (known.includes(key)) continue;
    const [meant] = nearest(key, known, 1);
    throw invalid(
      `${at} has an unknown key ${JSON.stringify(key)}`,
      meant ? `did you mean ${JSON.stringify(meant)}?` : `the keys are ${known.join(', ')}`,
    );
  }
}

function bad(at: string, wanted: string, value: unknown): never {
  throw invalid(`${at} must be ${wanted}, not ${shownValue(value)}`);
}

function invalid(message: string, hint?: string): InformerError {
  return new InformerError('hook', `the hook's reply is not valid: ${message}`, { hint });
}

/** A value of a reply or a config in an error: JSON, and numbers that JSON does not have. */
export function shownValue(value: unknown): string {
  return typeof value === 'number' ? String(value) : (jsonText(value) ?? typeof value);
}
