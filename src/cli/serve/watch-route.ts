import type { Writable } from 'node:stream';
import { abortable, scope } from '../../kit/abort.ts';
import { InformerError, messageOf } from '../../kit/error.ts';
import { jsonText } from '../../kit/exact-json.ts';
import type { StreamedAnswer, WholeAnswer } from '../../kit/http-listener.ts';
import { formatGroupVersion, formatGvr } from '../../model/gvr.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import { refuseBeyondRights, seesMarks } from '../../serve/api/caller-rights.ts';
import { type CallerAccess, jsonError, ndjson } from '../../serve/api/routes.ts';
import { type RequestedPart, selectorOf, whyNotCached } from '../../serve/hold/cached-view.ts';
import { maskedCondition } from '../../serve/hold/masked-view.ts';
import type { QueryRequest } from '../../serve/protocol.ts';
import type { CompiledCondition } from '../../stream/conditions/condition.ts';
import { Enveloper, eventWordOf } from '../../stream/envelope.ts';
import { type StreamTarget, streamEvents } from '../../stream/event-stream.ts';
import { createFilterGate, type FilterGate } from '../../stream/filter-gate.ts';
import { endMarker } from '../../stream/markers.ts';
import { outagesOf } from '../../stream/outage.ts';
import { Redactor } from '../../stream/redact.ts';
import { StreamSummary } from '../../stream/summary.ts';
import type { Given } from '../args/argv.ts';
import { valuesOf } from '../args/flag.ts';
import { queryFlags } from '../args/query-flags.ts';
import { objectFiltersOf } from '../query/read-filters.ts';
import { namespacesOf, type Session } from '../session/session.ts';
import type { CachedTypes } from './cached-types.ts';
import { requestOfParameters } from './query-parameters.ts';

/** The parameters of `/v1/watch`: what is watched. The form is fixed. */
const PARAMETERS = [
  'namespace',
  'all-namespaces',
  'selector',
  'field-selector',
  'filter',
  'where',
  'name',
  'exclude-name',
  'show-secrets',
  'output',
];

/** How long a quiet stream is without a line, ms: an empty one shows that the serve is alive. */
const ALIVE_MS = 30_000;

export interface WatchRouteOptions {
  readonly session: Session;
  readonly types: CachedTypes;
  /** Makes the marks of all answers of the serve. */
  readonly redactor: Redactor;
  /** Values of Secrets may be shown over a port. */
  readonly showsSecrets: boolean;
}

/**
 * `/v1/watch`: the events of types as JSON lines, in the envelope of `watch -o json --markers`. First the objects that
 * are there, then SYNCED for each type, then every change; GAP and RELISTED where changes may have been missed, END at
 * the end. A slow reader gets the latest state of each object, and a GAP that says so; it never makes the caches wait.
 * Empty lines have no meaning.
 */
export class WatchRoute {
  readonly #options: WatchRouteOptions;
  readonly #redactor: Redactor;

  constructor(options: WatchRouteOptions) {
    this.#options = options;
    this.#redactor = options.redactor;
  }

  async answer(url: URL, access: CallerAccess): Promise<WholeAnswer | StreamedAnswer> {
    try {
      const request = requestOfParameters(url.searchParams);
      refuseBeyondRights(request, access, this.#options);
      const targets = await this.#read(request, seesMarks(access, this.#options));
      return ndjson((body) => this.#stream(body, targets));
    } catch (error) {
      const hint = error instanceof InformerError ? error.hint : undefined;
      return jsonError(error instanceof NotCached ? 404 : 400, messageOf(error), hint);
    }
  }

  async #read(request: QueryRequest, isMasked: boolean): Promise<Watched> {
    const other = Object.keys(request.given).find((name) => !PARAMETERS.includes(name));
    if (other !== undefined)
      throw new InformerError('argument', `/v1/watch has no parameter ${other}`, {
        hint: `it has type, ${PARAMETERS.filter((name) => name !== 'output').join(', ')}`,
      });
    const { session, types } = this.#options;
    const flags = valuesOf(queryFlags, new Map(Object.entries(request.given as Record<string, Given>)));
    const { filters } = await objectFiltersOf(flags);
    const part: RequestedPart = {
      names: [],
      namespaces: namespacesOf(flags, session.config),
      selector: flags.selector,
      fieldSelector: flags['field-selector'],
    };
    const selections = await session.resolve(request.words);
    const targets = selections.map(({ type, names }): StreamTarget => {
      const target = types.find(type);
      if (!target) throw new NotCached(`this serve does not hold ${formatGvr(type.gvr)}`);
      const reason = whyNotCached(target, part);
      if (reason !== undefined) throw new NotCached(reason);
      const { informer } = target;
      const namespaces = type.namespaced ? part.namespaces : undefined;
      return { type, informer, namespaces, ...(names.length === 0 ? {} : { names: new Set(names) }) };
    });
    const watched = targets.map(({ type }) => type);
    const shown = (condition: CompiledCondition) =>
      isMasked ? maskedCondition(condition, watched, this.#redactor) : condition;
    const conditions = [inPart(targets, part), ...filters.conditions.map(shown)];
    return {
      targets,
      showSecrets: flags['show-secrets'],
      gate: (clock) =>
        createFilterGate({
          conditions,
          name: filters.name,
          excludeName: filters.excludeName,
          clock,
        }),
    };
  }

  async #stream(body: Writable, { targets, showSecrets, gate }: Watched): Promise<void> {
    const { session } = this.#options;
    const { clock } = session;
    using ending = scope(session.signal);
    body.once('close', () => ending.abort(new InformerError('closed', 'the reader has ended')));
    body.once('error', (error) => ending.abort(error));
    const redactor = showSecrets ? new Redactor({ showSecrets: true }) : this.#redactor;
    const enveloper = new Enveloper({ clock, redactor });
    const summary = new StreamSummary();
    const line = async (record: object) => {
      if (body.write(`${jsonText(record)}\n`) || body.destroyed) return;
      await abortable(new Promise<void>((resolve) => void body.once('drain', resolve)), ending.signal);
    };
    const alive = () => {
      if (!body.writableNeedDrain) body.write('\n');
      timer = clock.after(ALIVE_MS, alive);
    };
    let timer = clock.after(ALIVE_MS, alive);
    const lost = { relists: 0, gaps: 0, resumed: 0 };
    try {
      await streamEvents(
        {
          targets,
          enveloper,
          gate: gate(clock),
          overflow: { policy: 'coalesce', clock },
          summary,
          print: (event) => {
            summary.count(eventWordOf(event));
            return line(event);
          },
          mark: (marker) => {
            if (marker.type === 'RELISTED') lost.relists++;
            if (marker.type === 'GAP') lost.gaps++;
            return line(marker);
          },
        },
        ending.signal,
      );
    } catch (error) {
      if (!ending.signal.aborted) throw error;
    } finally {
      timer.cancel();
    }
    if (body.destroyed) return;
    const outages = outagesOf(targets, clock.now());
    const end = { reason: 'the serve ends', exitCode: 0, summary: summary.counts(lost), outages };
    body.end(`${jsonText(endMarker(enveloper, end))}\n`);
  }
}

/** Thrown for what a serve does not have. */
class NotCached extends InformerError {
  constructor(message: string) {
    super('argument', message, { hint: 'serve TYPE adds it' });
  }
}

interface Watched {
  readonly targets: readonly StreamTarget[];
  readonly showSecrets: boolean;
  gate(clock: Session['clock']): FilterGate;
}

/** The condition that an object is in the part of its type that is watched. One that leaves the part is a deletion. */
function inPart(targets: readonly StreamTarget[], part: RequestedPart): CompiledCondition {
  const kindOf = (apiVersion: unknown, kind: unknown) => `${apiVersion} ${kind}`;
  const matchers = new Map(
    targets.map(({ type, namespaces }) => {
      const selected = selectorOf(type, part);
      const isIn = ({ metadata }: ReadonlyObject) =>
        namespaces === undefined || namespaces.includes('') || namespaces.includes(metadata.namespace ?? '');
      const matches = (object: ReadonlyObject) => isIn(object) && (selected?.(object) ?? true);
      return [kindOf(formatGroupVersion(type.gvr), type.kind), matches] as const;
    }),
  );
  return {
    source: 'the namespaces and selectors of the request',
    readsEvent: false,
    test({ object }) {
      const subject = object as ReadonlyObject;
      return matchers.get(kindOf(subject.apiVersion, subject.kind))?.(subject) ?? true;
    },
  };
}
