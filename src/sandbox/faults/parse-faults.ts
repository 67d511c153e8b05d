import { parseDuration } from '../../kit/duration.ts';
import { InformerError } from '../../kit/error.ts';
import type { FaultMatch, FaultRule, RandomKind } from './fault.ts';
import { checkRule } from './fault-script.ts';
import { randomFaults } from './random-faults.ts';

const HINT =
  'write it as KIND[=ARG][@LINES][*TIMES][:watch|list|METHOD][:PATH], e.g. cut@5:watch:pods, status=429/5*3:list or random=0.1/7';

const TERM =
  /^(?<kind>[a-z]+)(=(?<arg>[\w./+-]+))?(@(?<after>\d+))?(\*(?<times>\d*))?(:(?<verb>[A-Za-z]*))?(:(?<path>.+))?$/;

/**
 * Parses the value of `--faults`: terms joined by commas, each `KIND[=ARG][@LINES][*TIMES][:VERB][:PATH]`.
 *
 * - KIND and ARG: `cut`, `stall`, `truncate`, `empty`, `gone`, `duplicate`, `reorder`, `refuse`, `expire`;
 * `status=CODE[/RETRY-AFTER]`, in seconds; `delay=DURATION`; `slow=DURATION[/BYTES]`; `lag=DURATION`; `skew=[-]DURATION`;
 * `restart[=keep|lose|wipe[/DURATION]]`, the time until it is back; `random=RATE[/SEED[/KIND+KIND…]]`.
 * - LINES: the number of lines before the fault.
 * - TIMES: how many requests get the fault; `*` alone means all. Without it one request does, and with `random` all do.
 * - VERB: `watch`, `list` or an HTTP method. PATH: a part of the path.
 *
 * Throws `argument`, with the term, for a term that is not valid.
 */
export function parseFaults(spec: string): FaultRule[] {
  return spec
    .split(',')
    .map((term) => term.trim())
    .filter((term) => term !== '')
    .map(parseTerm);
}

type Kind = FaultRule['fault'];

function parseTerm(term: string): FaultRule {
  const parts = TERM.exec(term)?.groups;
  const fault =
    parts &&
    faultOf(parts.kind ?? '', parts.arg?.split('/') ?? [], parts.after === undefined ? undefined : Number(parts.after));
  if (!parts || !fault) throw new InformerError('argument', `invalid fault ${JSON.stringify(term)}`, { hint: HINT });
  const { times, verb, path } = parts;
  const always = times === '' || (times === undefined && fault.kind === 'random');
  const rule = { fault, match: matchOf(verb, path), times: always ? Number.POSITIVE_INFINITY : Number(times ?? 1) };
  checkRule(rule);
  return rule;
}

function faultOf(kind: string, args: readonly string[], after: number | undefined): Kind | undefined {
  const at = after === undefined ? {} : { after };
  const [first, second] = args;
  switch (kind) {
    case 'cut':
    case 'stall':
    case 'truncate':
    case 'empty':
    case 'gone':
    case 'duplicate':
    case 'reorder':
      return first === undefined ? { kind, ...at } : undefined;
    case 'refuse':
    case 'expire':
      return first === undefined ? { kind } : undefined;
    case 'delay':
    case 'lag':
    case 'skew':
      return first === undefined ? undefined : { kind, ms: parseDuration(first) };
    case 'slow':
      return slowFault(first, second);
    case 'status':
      return statusFault(Number(first), second);
    case 'restart':
      return restartFault(first, second);
    case 'random':
      return randomFault(args);
    default:
      return undefined;
  }
}

function slowFault(duration: string | undefined, bytes: string | undefined): Kind | undefined {
  if (duration === undefined || (bytes !== undefined && !/^[1-9]\d*$/.test(bytes))) return undefined;
  return { kind: 'slow', ms: parseDuration(duration), ...(bytes === undefined ? {} : { bytes: Number(bytes) }) };
}

const CODES = [401, 403, 409, 429, 500, 503, 504] as const;

function statusFault(code: number, retryAfter = code === 429 ? '1' : undefined): Kind | undefined {
  const known = CODES.find((c) => c === code);
  if (known === undefined || (retryAfter !== undefined && !/^\d+$/.test(retryAfter))) return undefined;
  return {
    kind: 'status',
    code: known,
    ...(retryAfter === undefined ? {} : { retryAfterSeconds: Number(retryAfter) }),
  };
}

function restartFault(history = 'lose', away?: string): Kind | undefined {
  if (history !== 'keep' && history !== 'lose' && history !== 'wipe') return undefined;
  if (history === 'wipe')
    return { kind: 'restart', wiped: true, ...(away === undefined ? {} : { downMs: parseDuration(away) }) };
  return {
    kind: 'restart',
    keepHistory: history === 'keep',
    ...(away === undefined ? {} : { downMs: parseDuration(away) }),
  };
}

function randomFault([rate, seed = '1', kinds]: readonly string[]): Kind | undefined {
  if (rate === undefined || !/^\d+$/.test(seed)) return undefined;
  const named = kinds === undefined ? {} : { kinds: kinds.split('+') as RandomKind[] };
  const fault = { kind: 'random', rate: Number(rate), seed: Number(seed), ...named } as const;
  randomFaults(fault); // throws when the rate or a kind is not valid
  return fault;
}

function matchOf(verb: string | undefined, path: string | undefined): FaultMatch {
  const where = path === undefined ? {} : { path };
  if (verb === undefined || verb === '') return where;
  if (verb === 'watch') return { watch: true, ...where };
  if (verb === 'list') return { method: 'GET', watch: false, ...where };
  return { method: verb.toUpperCase(), ...where };
}
