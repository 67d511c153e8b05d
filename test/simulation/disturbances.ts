import type { Fault } from '../../src/sandbox/faults/fault.ts';
import { pick, type RandomSource } from './random.ts';
import type { World } from './world.ts';

/** Every fault of the sandbox, and every disturbance of a server or a connection. */
export const DISTURBANCES = [
  'cut',
  'stall',
  'truncate',
  'empty',
  'gone',
  'status',
  'delay',
  'slow',
  'duplicate',
  'refuse',
  'garbage',
  'compact',
  'restart',
  'definition',
  'replace',
  'half-open',
] as const;
export type Disturbance = (typeof DISTURBANCES)[number];

/** Disturbs the server, or prepares a fault for later requests. Returns its name and details, for the trace. */
export function disturb(world: World, random: RandomSource): [Disturbance, string] {
  const kind = pick(random, DISTURBANCES);
  world.halfOpen = undefined; // nothing else may happen while it is measured
  switch (kind) {
    case 'garbage':
      world.tap.toSpoil++;
      return [kind, kind];
    case 'compact': {
      const watches = random() < 0.5;
      world.sandbox.compact({ watches });
      return [kind, `compact ${watches ? 'all' : 'pages'}`];
    }
    case 'restart':
      return [kind, restart(world, random)];
    case 'definition':
      return [kind, world.toggleDefinition() ?? 'no definition to take away'];
    case 'replace':
      return [
        kind,
        world.replaceHistory(pick(random, ['restore', 'restore', 'wipe']), random, pick(random, DOWN_MS)) ?? 'not now',
      ];
    case 'half-open':
      return [kind, world.breakSilently(Math.floor(random() * 3), pick(random, [0, 0, 10_000, 60_000]))];
    default:
      return [kind, arm(world, kind, random)];
  }
}

/** How long a server is down when it restarts, ms. */
const DOWN_MS = [0, 0, 3000, 40_000];

function restart(world: World, random: RandomSource): string {
  const how = { keepHistory: random() < 0.5, downMs: pick(random, DOWN_MS) };
  return world.restart(how) ? `restart ${JSON.stringify(how)}` : 'is restarting already';
}

function arm(world: World, kind: Fault['kind'], random: RandomSource): string {
  const fault = faultOf(kind, random);
  const times = 1 + Math.floor(random() * 3);
  const watch = pick(random, [true, true, false, undefined]);
  world.sandbox.faults.add({ fault, times, match: { method: 'GET', watch } });
  return `${JSON.stringify(fault)} *${times} ${watch === undefined ? '' : watch ? 'watch' : 'list'}`;
}

function faultOf(kind: Fault['kind'], random: RandomSource): Fault {
  const after = Math.floor(random() * 4);
  switch (kind) {
    case 'cut':
      return random() < 0.5 ? { kind, after } : { kind, bytes: Math.floor(random() * 1500) };
    case 'status': {
      const code = pick(random, [401, 403, 429, 500, 503, 504] as const);
      return { kind, code, ...(code === 429 ? { retryAfterSeconds: 1 + Math.floor(random() * 5) } : {}) };
    }
    case 'delay':
      return { kind, ms: Math.floor(random() * 20_000) };
    case 'slow':
    case 'lag':
      return { kind, ms: Math.floor(random() * 700) };
    case 'refuse':
      return { kind };
    default:
      return { kind, after };
  }
}
