import type { Parked } from '../../controller/history/parked.ts';
import type { CronSchedule } from '../../hooks/triggers/cron-schedule.ts';
import type { TriggerFilter } from '../../hooks/triggers/trigger-filter.ts';
import type { Lister } from '../../informer/store/lister.ts';
import type { Clock } from '../../kit/clock.ts';
import { formatGroupResource } from '../../model/gvr.ts';
import { type ObjectKey, partsOfKey } from '../../model/key.ts';
import type { UnknownObject } from '../../model/object.ts';
import { cellText } from '../../output/escape.ts';
import { AlignedTable } from '../../output/tables/table.ts';
import type { WatchTarget } from '../session/informers.ts';
import type { Session } from '../session/session.ts';
import type { StreamFilters } from '../session/stream-filters.ts';
import type { ReconcilePlan } from './reconcile-plan.ts';
import { sharedText } from './sharing-reports.ts';

/** The notice about actions of a hook that may not write. */
export const ACTIONS_ARE_SHOWN =
  'actions are shown, not sent; --allow-write sends them, --dry-run lets the server check them';

/** Says what a user may expect of the hook and these flags do not allow, and what they do not keep it from. */
export function sayWhatIsNotDone(session: Session, { hook, mode, passCredentials, replay }: ReconcilePlan): void {
  const { form, clusterTool } = hook;
  if (clusterTool !== undefined && !passCredentials) {
    session.notice(
      `the hook runs ${clusterTool} without a way to the cluster (its KUBECONFIG is empty): --pass-credentials gives it one`,
    );
  }
  if (mode === 'write') return;
  if (form !== 'module' && passCredentials) {
    const doer = form === 'command' ? 'command' : 'hook';
    const reply = mode === 'dry-run' ? 'is only checked' : 'needs --allow-write';
    session.notice(`the ${doer} has your credentials: what it does itself is done, and only what it replies ${reply}`);
  } else if (mode === 'describe' && form !== 'command')
    session.notice(replay ? 'actions are shown, not sent: a recording takes no writes' : ACTIONS_ARE_SHOWN);
}

/**
 * `7 namespaces, hook guard.ts, 1 worker`: that it runs is seen also where nothing calls for a run. Where filters leave
 * objects out, how many of them match, and why none runs at the start.
 */
export async function startText(
  { hook, workers, filters, schedules, lease }: ReconcilePlan,
  { type, informer, names }: WatchTarget,
  filter: TriggerFilter,
  clock: Clock,
): Promise<string> {
  const { lister } = informer;
  const running = `hook ${hook.name}, ${workers} worker${workers === 1 ? '' : 's'}${scheduleText(schedules, clock.now())}`;
  if (lease?.sharing) return `${sharedText(type.gvr)}, ${running}`; // it has no keys yet
  const keys = [...lister.keys()].filter((key) => !names || names.has(partsOfKey(key).name));
  const count = keys.length;
  const what = count === 1 ? type.singular || type.gvr.resource : formatGroupResource(type.gvr);
  return [
    `${count} ${what}`,
    ...absentText(names, keys),
    ...(await matchText(filters, filter, { keys, lister, clock })),
    running,
  ].join(', ');
}

/** The names on the command line that no object has: a second type there is taken for a name. */
function absentText(names: ReadonlySet<string> | undefined, keys: readonly ObjectKey[]): string[] {
  const present = new Set(keys.map((key) => partsOfKey(key).name));
  const absent = [...(names ?? [])].filter((name) => !present.has(name));
  if (absent.length === 0) return [];
  const more =
    absent.length > MOST_ABSENT ? [...absent.slice(0, MOST_ABSENT), `${absent.length - MOST_ABSENT} more`] : absent;
  return [`${more.join(', ').replace(/, ([^,]*)$/, ' and $1')} ${absent.length === 1 ? 'does' : 'do'} not exist yet`];
}

/** Names shown of those that no object has. */
const MOST_ABSENT = 3;

/** The first time at which all keys are queued. */
function scheduleText(schedules: readonly CronSchedule[], now: number): string {
  const [next] = schedules.flatMap((each) => each.next(now) ?? []).sort((a, b) => a - b);
  return next === undefined
    ? ''
    : `, all keys again at ${new Date(next).toISOString().replace('.000Z', 'Z')} (--schedule)`;
}

interface Listed {
  readonly keys: readonly ObjectKey[];
  readonly lister: Lister<UnknownObject>;
  readonly clock: Clock;
}

async function matchText({ rules }: StreamFilters, filter: TriggerFilter, listed: Listed): Promise<string[]> {
  if (listed.keys.length === 0) return [];
  const { conditions = [], name, excludeName } = rules;
  const ofObjects = [
    ...conditions.filter(({ readsEvent }) => !readsEvent).map(({ source }) => source),
    ...(name ? ['--name'] : []),
    ...(excludeName ? ['--exclude-name'] : []),
  ];
  const matching = ofObjects.length === 0 ? listed.keys.length : await matchingOf(filter, listed);
  const text = ofObjects.length === 0 ? [] : [`${matching} match ${ofObjects.join(' and ')}`];
  const { passed, droppedBy } = filter.initial;
  return passed > 0 || matching === 0 ? text : [...text, `none runs before a change comes (${droppedBy})`];
}

/** A count lets other code run after this time, ms. */
const LONGEST_TURN_MS = 8;

/** How many objects meet the rules about objects. A large cache has to decode them. */
async function matchingOf(filter: TriggerFilter, { keys, lister, clock }: Listed): Promise<number> {
  let matching = 0;
  let turnAt = clock.monotonic();
  for (const key of keys) {
    const object = lister.get(key);
    if (object && filter.unmet(object) === undefined) matching++;
    if (clock.monotonic() - turnAt < LONGEST_TURN_MS) continue;
    await clock.yield();
    turnAt = clock.monotonic();
  }
  return matching;
}

/** Rows shown of the keys that were given up. */
const MOST_PARKED = 50;

/** The keys that were given up, as kubectl prints tables. */
export function parkedTable(parked: readonly Parked[]): string {
  const rows = [
    ['KEY', 'ATTEMPTS', 'LAST ERROR'],
    ...parked
      .slice(0, MOST_PARKED)
      .map(({ key, attempts, error }) => [key, String(attempts), error.replace(/^terminal error: /, '')].map(cellText)),
  ];
  const table = new AlignedTable();
  for (const row of rows) table.fit(row);
  const more = parked.length > MOST_PARKED ? `and ${parked.length - MOST_PARKED} more\n` : '';
  return `${rows.map((row) => `${table.line(row).trimEnd()}\n`).join('')}${more}`;
}
