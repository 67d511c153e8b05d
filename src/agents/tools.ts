import { NAMESPACE_INDEX } from '../informer/store/object-index.ts';
import { shortDuration } from '../kit/duration.ts';
import { InformerError } from '../kit/error.ts';
import { compareText } from '../kit/text-order.ts';
import { formatGroupResource, formatGvr, sameGvr } from '../model/gvr.ts';
import { isWatchable } from '../model/resource-type.ts';
import { toYaml } from '../output/objects/yaml.ts';
import type { Found } from '../query/answer/found.ts';
import { treeTypes } from '../query/answer/tree-types.ts';
import { LAST_APPLIED } from '../stream/redact.ts';
import { shownObject } from '../stream/shown-object.ts';
import type { AgentAnswer, AgentCaches } from './agent-caches.ts';
import { fitted, quotedText } from './budget.ts';
import { changes } from './changes-tool.ts';
import { explainedLines, freshnessLines } from './freshness-line.ts';
import { historyTool, oneObject, storyTool } from './past-tools.ts';
import { servedCountText } from './served-counts.ts';
import { withoutDefaults } from './server-defaults.ts';
import { headingsIn, narrowing, objectRows } from './shown-rows.ts';
import { tokensOf } from './token-count.ts';
import { askedWords, nowOf, partIn, selection, type Tool, type ToolContext, toolAnswer } from './tool.ts';
import type { Arguments, ToolName } from './tool-schemas.ts';
import { waitFor } from './wait-tool.ts';

/** Objects of which rows are made at most: more than any budget has room for. */
const MOST_ROWS = 400;
/** Characters of a value of an object that `get` shows, where no path asks for it alone. */
const MOST_OF_VALUE = 200;

const types: Tool = async ({ text }, context) => {
  const { caches, signal } = context;
  const match = text('match')?.toLowerCase();
  const { types: served } = await caches.session.client.discovery.snapshot();
  const isAsked = (name: string) => match === undefined || name.toLowerCase().includes(match);
  const cached = caches.types.targets.filter(({ type }) => isAsked(formatGroupResource(type.gvr)));
  const ids = new Set(cached.map(({ type }) => formatGroupResource(type.gvr)));
  const all = served.filter((type) => type.preferred && isWatchable(type) && isAsked(`${formatGroupResource(type.gvr)} ${type.kind} ${type.shortNames.join(' ')}`)); // biome-ignore format: one condition
  const others = all
    .filter(({ gvr }, i) => !ids.has(formatGroupResource(gvr)) && all.findIndex((each) => sameGvr(each.gvr, gvr)) === i)
    .sort((a, b) => compareText(formatGroupResource(a.gvr), formatGroupResource(b.gvr)));
  const counts = await caches.served.of(others, signal);
  const rows = [...Map.groupBy(others, ({ gvr }) => gvr.group)].map(
    ([group, of]) => `${group || 'core'}: ${of.map(({ gvr }) => `${gvr.resource}${servedCountText(counts.get(formatGvr(gvr)))}`).join(', ')}`, // biome-ignore format: one text
  );
  const counted = cached.map(({ type, informer }) => `${formatGroupResource(type.gvr)}\t${informer.lister.size}`);
  const head = counted.length > 0 ? ['cached types with their objects, then the types that a first question caches'] : ['no type is cached yet; a first question caches one of']; // biome-ignore format: one line
  const times = [...counts.values()].flatMap(({ count, at }) => (count === undefined ? [] : [at]));
  const oldest = Math.min(...times);
  const asked = times.length === 0 ? [] : [`numbers of types that are not cached: as the server gave them up to ${shortDuration(Math.max(0, nowOf(context) - oldest))} ago; none: not counted in time`]; // biome-ignore format: one line
  const freshness = [...freshnessLines(cached, nowOf(context)), ...asked];
  return toolAnswer({ head, rows: [...counted, ...rows], narrow: (left) => [`${left} more groups; narrow by match`] }, { targets: cached, freshness }, context); // biome-ignore format: one line
};

const query: Tool = async (args, context) => {
  const { text, list, number } = args;
  const skip = Math.max(0, Math.floor(number('skip') ?? 0));
  const limit = skip + Math.min(MOST_ROWS, number('limit') ?? MOST_ROWS);
  const answer = await context.caches.find(text('type') ?? '', { ...selection(args), 'sort-by': text('sort'), limit }, context.signal); // biome-ignore format: one call
  const { result, count, found } = answer;
  const chosen = result.kind === 'objects' ? result.objects.slice(skip) : [];
  if (chosen.length === 0)
    return toolAnswer({ head: [`${count} found`], rows: placesInstead(args, answer) }, answer, context);
  const { redactor } = context.caches;
  const shown = { columns: list('columns'), paths: list('paths') };
  const rowsOf = (objects: readonly Found[]) => objectRows(objects, shown, { redactor, now: answer.at ?? nowOf(context) }); // biome-ignore format: one line
  const room = await roomFor(chosen, rowsOf, context.budget);
  const objects = chosen.slice(0, room);
  const after = count - skip;
  const narrowed = narrowing(found);
  const goesOn = (left: number) =>
    left < after ? `skip ${skip + after - left} goes on` : 'no row has room: ask with more tokens';
  const narrow = (left: number) => [...narrowed(Math.min(left, after)), goesOn(left)];
  const head = [`${count} found${skip > 0 ? `, from ${skip + 1} on` : ''}`];
  return toolAnswer({ head, rows: await rowsOf(objects), count: headingsIn(objects) + after, narrow }, answer, context);
};

/** Objects from whose rows the length of all rows is guessed. */
const FIRST_ROWS = 8;

/** The number of objects whose rows fill a budget, with some to spare: to make a row reads its object. */
async function roomFor(
  chosen: readonly Found[],
  rowsOf: (objects: readonly Found[]) => Promise<readonly string[]>,
  budget: number,
): Promise<number> {
  if (chosen.length <= 2 * FIRST_ROWS) return chosen.length;
  const first = await rowsOf(chosen.slice(0, FIRST_ROWS));
  const tokens = tokensOf(first.join('\n')) / FIRST_ROWS;
  return FIRST_ROWS + Math.ceil((1.5 * budget) / Math.max(tokens, FEWEST_IN_ROW));
}

const FEWEST_IN_ROW = 2;

const count: Tool = async (args, context) => {
  const answer = await context.caches.find(args.text('type') ?? '', { ...selection(args), count: true }, context.signal); // biome-ignore format: one call
  const head = [`${answer.count} found`];
  return toolAnswer({ head, rows: placesInstead(args, answer) }, answer, context);
};

const MOST_PLACES = 8;

/** Of types without any object in the namespaces that were asked: the namespaces that have some. */
function placesInstead({ text }: Arguments, { count, targets }: AgentAnswer): string[] {
  const namespace = text('namespace');
  if (count > 0 || namespace === undefined) return [];
  const asked = namespace.split(',');
  return targets.flatMap(({ type, informer: { lister } }) => {
    const places = type.namespaced ? lister.indexValues(NAMESPACE_INDEX).filter((place) => place !== '') : [];
    if (places.length === 0 || places.some((place) => asked.includes(place))) return [];
    const more = places.length > MOST_PLACES ? ', …' : '';
    const some = places.sort(compareText).slice(0, MOST_PLACES).join(', ');
    return [
      quotedText(`no ${formatGroupResource(type.gvr)} are in ${namespace}; there are some in ${some}${more}`, 400),
    ];
  });
}

async function counted(type: string, flags: Readonly<Record<string, unknown>>, context: ToolContext): Promise<string> {
  const answer = await context.caches.find(type, flags, context.signal);
  const { result, count: all, plan } = answer;
  if (result.kind !== 'rows') throw new InformerError('argument', 'there is nothing to group by');
  const names = plan.measures.map(({ verb, expression }) => `\t${verb} ${expression.text}`).join('');
  const rows = result.rows.map(({ value, count: n, amounts }) =>
    [n, ...amounts.map((amount) => amount?.readable ?? ''), quotedText(value ?? '')].join('\t'),
  );
  const head = [`${all} found; count${names}\tvalue`];
  const source = { ...answer, notices: [...result.remarks, ...answer.notices] };
  return toolAnswer({ head, rows, narrow: (left) => [`${left} more values; narrow by where, filter or namespace`] }, source, context); // biome-ignore format: one line
}

const values: Tool = async (args, context) => {
  const { eq, in: among, prefix, range, ...rest } = selection(args);
  return counted(args.text('type') ?? '', { ...rest, values: args.text('of'), limit: args.number('limit') }, context);
};

const group: Tool = async (args, context) => {
  const { text, list } = args;
  const measures = { sum: list('sum'), min: list('min'), max: list('max'), avg: list('avg') };
  const flags = { ...selection(args), ...measures, 'group-by': text('by'), 'sort-by': text('sort'), limit: args.number('limit') }; // biome-ignore format: one record
  return counted(text('type') ?? '', flags, context);
};

const tree: Tool = async (args, context) => {
  const flags = { namespace: args.text('namespace'), selector: args.text('labels'), tree: args.text('with') ?? '' };
  const { caches, signal } = context;
  const { selections } = await caches.targetsOf(args.text('type') ?? '');
  const beside = await treeTypes(selections.map(({ type }) => type), [], caches.session.client); // biome-ignore format: one call
  const { text, notices, targets } = await caches.print(args.text('type') ?? '', flags, { signal, beside });
  const rows = text.split('\n').filter((line) => line.trim() !== '');
  const short = rows.map((line) => quotedText(line.trimEnd().replace(/(?<=\S) {2,}(?=[^ ├└│])/g, '  '), 160));
  return toolAnswer({ rows: short, narrow: (left) => [`${left} more lines; narrow by name or namespace`] }, { targets, notices }, context); // biome-ignore format: one line
};

const get: Tool = async (args, context) => {
  const { list } = args;
  const { answer, found } = await oneObject(args, context);
  const { redactor } = context.caches;
  const paths = list('paths');
  if (paths.length > 0) {
    const rows = await objectRows([found], { columns: [], paths }, { redactor, now: answer.at ?? nowOf(context) }); // biome-ignore format: one call
    return toolAnswer({ rows }, answer, context);
  }
  const rows = toYaml(leanOf(found, redactor)).trimEnd().split('\n');
  return toolAnswer({ rows, narrow: (left) => [`${left} more lines; paths such as .spec or .status.conditions chooses`] }, answer, context); // biome-ignore format: one line
};

/**
 * An object without what an agent does not need: empty fields, values by default, managedFields, and the copy that
 * `kubectl apply` keeps.
 */
function leanOf({ object, type }: Found, redactor: AgentCaches['redactor']): unknown {
  const shown = shownObject(object, type, { redactor });
  const { [LAST_APPLIED]: _, ...annotations } = (shown.metadata.annotations ?? {}) as Record<string, string>;
  const { spec } = shown as { spec?: unknown };
  const own = spec === undefined ? {} : { spec: withoutDefaults(spec, type) };
  return lean({ ...shown, ...own, metadata: { ...shown.metadata, annotations } });
}

function lean(value: unknown): unknown {
  if (typeof value === 'string') return quotedText(value, MOST_OF_VALUE);
  if (Array.isArray(value)) return value.map(lean);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const kept = Object.entries(value).map(([name, each]) => [quotedText(name, 120), lean(each)] as const);
  return Object.fromEntries(kept.filter(([, each]) => !isEmpty(each)));
}

const isEmpty = (value: unknown) =>
  value === null || value === '' || (typeof value === 'object' && Object.keys(value as object).length === 0);

const wait: Tool = async (args, context) => {
  const { text, list } = args;
  const ended = await waitFor(
    context.caches,
    {
      type: askedWords(args),
      part: partIn(args),
      for: list('for'),
      until: list('until'),
      failIf: list('failIf'),
      stays: text('stays'),
      timeout: text('timeout'),
      strict: args.flag('strict'),
    },
    context,
  );
  const { how, why, ms, object, losses, targets } = ended;
  const { redactor } = context.caches;
  const rows = object ? await objectRows([object], { columns: [], paths: [] }, { redactor, now: nowOf(context) }) : [];
  const lost =
    losses > 0
      ? [`changes may have been missed ${losses} times meanwhile: states between two lists were not seen`]
      : [];
  return toolAnswer(
    {
      head: [`${how} after ${shortDuration(ms)}`, ...lost],
      rows: [...(how === 'met' ? [] : [quotedText(why, 300)]), ...rows],
    },
    { targets },
    context,
  );
};

const explain: Tool = async ({ text }, context) => {
  const type = text('type');
  const targets = type === undefined ? context.caches.types.targets : (await context.caches.targetsOf(type)).targets;
  const lines = targets.flatMap((target) => explainedLines(target, nowOf(context)));
  return fitted({ head: targets.length === 0 ? ['no type is cached yet'] : [], rows: lines, foot: [] }, context.budget);
};

/** The functions of the tools. */
export const TOOLS: Readonly<Record<ToolName, Tool>> = {
  types,
  query,
  count,
  values,
  group,
  tree,
  get,
  changes,
  history: historyTool,
  story: storyTool,
  wait,
  explain,
};
