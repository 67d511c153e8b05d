import type { ResourceSelection } from '../../client/discovery/resource-args.ts';
import { formatGroupResource } from '../../model/gvr.ts';
import { asksForAscii } from '../../output/tables/ascii-terminal.ts';
import { onlyNamespaceOf } from '../../query/answer/query.ts';
import { checkRollouts } from '../../stream/conditions/types-with-rollouts.ts';
import { type Layout, type OutputSurface, painterOf, printerOf } from '../session/output.ts';
import type { QueryPlan, ReadQuery } from './read-query.ts';

export interface PlannedScope {
  readonly selections: readonly ResourceSelection[];
  /** [''] = all. */
  readonly namespaces: readonly string[];
  /** See {@link Layout.places}. */
  readonly places?: Layout['places'];
}

/**
 * A query about these types and namespaces, printed for a surface. Throws `argument` for an expression that does not
 * fit the types.
 */
export async function queryPlanOf(
  query: ReadQuery,
  { selections, namespaces, places = [] }: PlannedScope,
  surface: OutputSurface,
): Promise<QueryPlan> {
  const types = selections.map(({ type }) => type);
  checkRollouts(query.filters, [], types);
  const isOneNamespace = onlyNamespaceOf(namespaces) !== undefined;
  const layout = {
    severalTypes: new Set(types.map(({ gvr }) => formatGroupResource(gvr))).size > 1,
    severalNamespaces: !isOneNamespace,
    places,
    single: places.length === 0 && selections.length === 1 && selections[0]?.names.length === 1 && isOneNamespace,
  };
  const printer = await printerOf(query.output, query.flags, layout, surface);
  const { stdout, env } = surface;
  const ascii = stdout.isTerminal && asksForAscii(env);
  const counting = {
    terminal: stdout.isTerminal,
    painter: await painterOf(query.flags, surface),
    ascii,
    bars: stdout.isTerminal ? { columns: stdout.columns ?? NARROWEST, ascii } : undefined,
  };
  return { ...query, selections, namespaces, printer, counting };
}

/** The columns of a terminal that does not say how many it has. */
const NARROWEST = 80;
