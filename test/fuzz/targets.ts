import type { FuzzTarget } from './target.ts';
import { decimals, durations, quantities } from './targets/amounts.ts';
import { cel, celFieldsSeen, celPushDown } from './targets/cel.ts';
import { gzipBodies } from './targets/gzip-bodies.ts';
import { execTemplates, hookOutput, hookReplies } from './targets/hooks.ts';
import { exactNumbers, managedFields } from './targets/json-values.ts';
import { fieldPaths, jsonPaths, kubectlJsonPaths } from './targets/jsonpath.ts';
import { kubeconfigMerges, kubeconfigTexts } from './targets/kubeconfigs.ts';
import { listBodies, listSplitter } from './targets/lists.ts';
import { anyObjects, copiedObjects, deepObjects } from './targets/objects.ts';
import { openApi } from './targets/openapi.ts';
import { fieldSelectors, labelSelectors } from './targets/selectors.ts';
import { serveAnswers, serveRequests, serveTexts } from './targets/serve.ts';
import { discovery, statuses } from './targets/server-answers.ts';
import { stores } from './targets/stores.ts';
import { tables } from './targets/tables.ts';
import { lines, liveTables, printedObjects } from './targets/terminal.ts';
import { watchLines, watchStreams } from './targets/watch-lines.ts';

/** All targets, in the order of the report. */
export const FUZZ_TARGETS: readonly FuzzTarget[] = [
  watchLines,
  watchStreams,
  listSplitter,
  listBodies,
  managedFields,
  exactNumbers,
  tables,
  discovery,
  statuses,
  openApi,
  gzipBodies,
  anyObjects,
  copiedObjects,
  deepObjects,
  stores,
  jsonPaths,
  kubectlJsonPaths,
  fieldPaths,
  cel,
  celPushDown,
  celFieldsSeen,
  labelSelectors,
  fieldSelectors,
  durations,
  quantities,
  decimals,
  kubeconfigTexts,
  kubeconfigMerges,
  hookReplies,
  hookOutput,
  execTemplates,
  serveRequests,
  serveTexts,
  serveAnswers,
  printedObjects,
  liveTables,
  lines,
];

/** The number of cases of each target, of a total. Each target has at least one. */
export function sharesOf(targets: readonly FuzzTarget[], total: number): number[] {
  const sum = targets.reduce((all, { share }) => all + share, 0);
  return targets.map(({ share }) => Math.max(1, Math.ceil((total * share) / sum)));
}
