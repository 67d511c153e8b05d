import { parseDuration } from '../../kit/duration.ts';
import { InformerError } from '../../kit/error.ts';
import type { Fault, FaultMatch, FaultRule } from './fault.ts';

const HINT = 'write it as KIND[=ARG][@LINES][*TIMES][:watch|list|METHOD][:PATH], e.g. cut@5:watch:pods or status=429*3:list';

const TERM = /^(?<kind>[a-z]+)(=(?<arg>[\w.]+))?(@(?<after>\d+))?(\*(?<times>\d*))?(:(?<verb>[A-Za-z]*))?(:(?<path>.+))?$/;

/**
 * Reads the faults of a command line: terms joined by commas, each `KIND[=ARG][@LINES][*TIMES][:VERB][:PATH]`.
 * KIND is a fault; ARG its code (`status`) or duration (`delay`, `slow`); LINES how many come first; TIMES how often, always when left out after the `*`;
 * VERB `watch`, `list` or an HTTP method; PATH a part of the path. Throws `argument` with the term.
 */
export function parseFaults(spec: string): FaultRule[] {
  return spec
    .split(',')
    .map((term) => term.trim())
    .filter((term) => term !== '')
    .map(parseTerm);
}

function parseTerm(term: string): FaultRule {
  const parts = TERM.exec(term)?.groups;
  const fault = parts && faultOf(parts.kind ?? '', parts.arg, parts.after === undefined ? undefined : Number(parts.after));
  if (!parts || !fault) throw new InformerError('argument', `invalid fault ${JSON.stringify(term)}`, { hint: HINT });
  const { times, verb, path } = parts;
  return { fault, match: matchOf(verb, path), times: times === '' ? Number.POSITIVE_INFINITY : Number(times ?? 1) };
}

function faultOf(kind: string, arg: string | undefined, after: number | undefined): Fault | undefined {
  const at = after === undefined ? {} : { after };
  switch (kind) {
    case 'cut':
    case 'stall':
    case 'truncate':
    case 'gone':
    case 'duplicate':
      return arg === undefined ? { kind, ...at } : undefined;
    case 'refuse':
      return { kind };
    case 'delay':
    case 'slow':
      return arg === undefined ? undefined : { kind, ms: parseDuration(arg) };
    case 'status':
      return statusFault(Number(arg));
    default:
      return undefined;
  }
}

const CODES = [401, 403, 429, 500, 503, 504] as const;

function statusFault(code: number): Fault | undefined {
  const known = CODES.find((c) => c === code);
  return known === undefined ? undefined : { kind: 'status', code: known, ...(known === 429 ? { retryAfterSeconds: 1 } : {}) };
}

function matchOf(verb: string | undefined, path: string | undefined): FaultMatch {
  const where = path === undefined ? {} : { path };
  if (verb === undefined || verb === '') return where;
  if (verb === 'watch') return { watch: true, ...where };
  if (verb === 'list') return { method: 'GET', watch: false, ...where };
  return { method: verb.toUpperCase(), ...where };
}
