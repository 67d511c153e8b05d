import { InformerError } from '../../kit/error.ts';
import { FieldSelector } from '../../model/field-selector.ts';
import { LabelSelector } from '../../model/label-selector.ts';
import { type Call, flag } from '../api/call.ts';
import type { Features } from '../feature-gates.ts';
import { forbiddenValue, unsupportedValue } from '../status/field-problems.ts';
import { badRequest, internal, invalidOptions } from '../status/statuses.ts';
import { partOf, type ReadPart } from './shard-selector.ts';

/** The options of a list or watch, parsed and checked. */
export interface ReadOptions {
  readonly labels: LabelSelector;
  readonly fields: FieldSelector;
  /** The part of the collection that is asked for. Undefined: all. */
  readonly part: ReadPart | undefined;
  /** '' when unset. */
  readonly resourceVersion: string;
  readonly match: '' | 'Exact' | 'NotOlderThan';
  /** 0 when unset. */
  readonly limit: number;
  readonly continue: string;
  readonly allowWatchBookmarks: boolean;
  readonly sendInitialEvents: boolean;
  /** 0 when unset. */
  readonly timeoutSeconds: number;
}

export function isWatch(query: URLSearchParams): boolean {
  return flag(query, 'watch');
}

/**
 * Parses the options of a LIST. Throws 400 or 422 with the messages of a real server. Source: apimachinery
 * internalversion/validation.
 */
export function parseListOptions(call: Call, features: Features): ReadOptions {
  const options = parse(call, features);
  if (options.sendInitialEvents || call.query.has('sendInitialEvents')) {
    forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list');
  }
  checkMatch(options);
  if (options.continue !== '' && options.resourceVersion !== '' && options.resourceVersion !== '0') {
    badRequest('specifying resource version is not allowed when using continue');
  }
  if (!isVersion(options.resourceVersion))
    badRequest(`invalid resource version: ${versionProblem(options.resourceVersion)}`);
  return options;
}

/** Parses the options of a WATCH. Throws 400, 422, or 500 for an invalid resourceVersion, as a real server does. */
export function parseWatchOptions(call: Call, features: Features): ReadOptions {
  const options = parse(call, features);
  const initial = call.query.has('sendInitialEvents');
  if (initial && options.match !== 'NotOlderThan') {
    forbidden('resourceVersionMatch', 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan');
  }
  if (!initial && options.match !== '') {
    forbidden(
      'resourceVersionMatch',
      'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
    );
  }
  if (!isVersion(options.resourceVersion)) internal(versionProblem(options.resourceVersion));
  return options;
}

function parse({ query }: Call, features: Features): ReadOptions {
  const limit = integer(query, 'limit');
  const timeoutSeconds = integer(query, 'timeoutSeconds');
  return {
    labels: asBadRequest(() => LabelSelector.parse(query.get('labelSelector') ?? '')),
    fields: asBadRequest(() => FieldSelector.parse(query.get('fieldSelector') ?? '')),
    resourceVersion: query.get('resourceVersion') ?? '',
    match: matchOf(query.get('resourceVersionMatch') ?? ''),
    limit,
    continue: query.get('continue') ?? '',
    allowWatchBookmarks: flag(query, 'allowWatchBookmarks'),
    sendInitialEvents: flag(query, 'sendInitialEvents'),
    timeoutSeconds,
    part: features.shardedListAndWatch ? partOf(query) : undefined,
  };
}

function integer(query: URLSearchParams, name: string): number {
  const text = query.get(name);
  if (text === null || text === '') return 0;
  if (!/^[+-]?\d+$/.test(text)) badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  return Math.max(0, Number(text));
}

function asBadRequest<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof InformerError && error.code === 'argument') badRequest(error.message);
    throw error;
  }
}

function matchOf(text: string): ReadOptions['match'] {
  if (text === '' || text === 'Exact' || text === 'NotOlderThan') return text;
  const supported = ['Exact', 'NotOlderThan', ''];
  return invalidOptions('ListOptions', unsupportedValue('resourceVersionMatch', text, supported));
}

function checkMatch(options: ReadOptions): void {
  const { match, resourceVersion } = options;
  if (match === '') return;
  if (options.continue !== '')
    forbidden('resourceVersionMatch', 'resourceVersionMatch is forbidden when continue is provided');
  if (resourceVersion === '')
    forbidden('resourceVersionMatch', 'resourceVersionMatch is forbidden unless resourceVersion is provided');
  if (match === 'Exact' && resourceVersion === '0') {
    forbidden('resourceVersionMatch', 'resourceVersionMatch "Exact" is forbidden for resourceVersion "0"');
  }
}

function forbidden(field: string, detail: string): never {
  invalidOptions('ListOptions', forbiddenValue(field, detail));
}

function isVersion(text: string): boolean {
  return text === '' || /^\d+$/.test(text);
}

function versionProblem(text: string): string {
  const shown = JSON.stringify(text);
  return `resourceVersion: Invalid value: ${shown}: strconv.ParseUint: parsing ${shown}: invalid syntax`;
}
