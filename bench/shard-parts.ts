import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { type Programs, runner } from './programs.ts';
import { median } from './results.ts';
import { type ShardServer, startShardServer } from './shard-server.ts';

/** What one replica took. Bytes are those of JSON; memory is what the cache added, after garbage collection. */
interface Taken {
  readonly objects: number;
  readonly bytes: number;
  readonly cpuMs: number;
  readonly heap: number;
  readonly rss: number;
  readonly dividedBy?: 'server' | 'client';
  /** CPU of the API server for this replica alone. */
  readonly serverMs: number;
}

/** The cost of the parts beside that of the whole collection, in one run on one server. */
export interface PartsOfWhole {
  readonly isSharding: boolean;
  readonly whole: Taken;
  /** The median of the parts. */
  readonly part: Taken;
  /** The same for the changes, of which `bytes` and `cpuMs` are counted. */
  readonly wholeChanges: Pick<Taken, 'bytes' | 'cpuMs' | 'serverMs'>;
  readonly partChanges: Pick<Taken, 'bytes' | 'cpuMs' | 'serverMs'>;
}

export interface PartsOptions {
  readonly pods: number;
  readonly of: number;
  readonly changes: number;
  readonly isSharding: boolean;
  /** How long the last changes may be on their way, ms. */
  readonly arrivingMs?: number | undefined;
}

const ARRIVING_MS = 2000;

/** Runs one informer of everything and then one of each part, one after another, so that each has the machine. */
export async function partsOfWhole(
  programs: Programs,
  { pods, of, changes, isSharding, arrivingMs = ARRIVING_MS }: PartsOptions,
): Promise<PartsOfWhole> {
  await using server = await startShardServer(programs, { pods, isSharding });
  const whole = await replicaOf(programs, server, [], { changes, arrivingMs });
  if (whole.list.objects !== pods) throw new Error(`the whole has ${whole.list.objects} of ${pods} pods`);
  const parts: Replica[] = [];
  for (let index = 0; index < of; index++)
    parts.push(await replicaOf(programs, server, [index, of], { changes, arrivingMs }));
  const held = parts.reduce((sum, { list }) => sum + list.objects, 0);
  if (held !== pods) throw new Error(`the parts have ${held} of ${pods} pods`);
  const expected = isSharding ? 'server' : 'client';
  if (parts.some(({ list }) => list.dividedBy !== expected)) throw new Error(`not all are divided by the ${expected}`);
  const middle = (of: (replica: Replica) => number) => median(parts.map(of)) ?? Number.NaN;
  return {
    isSharding,
    whole: whole.list,
    part: {
      objects: middle(({ list }) => list.objects),
      bytes: middle(({ list }) => list.bytes),
      cpuMs: middle(({ list }) => list.cpuMs),
      heap: middle(({ list }) => list.heap),
      rss: middle(({ list }) => list.rss),
      serverMs: middle(({ list }) => list.serverMs),
    },
    wholeChanges: whole.changes,
    partChanges: {
      bytes: middle((replica) => replica.changes.bytes),
      cpuMs: middle((replica) => replica.changes.cpuMs),
      serverMs: middle((replica) => replica.changes.serverMs),
    },
  };
}

interface Replica {
  readonly list: Taken;
  readonly changes: Pick<Taken, 'bytes' | 'cpuMs' | 'serverMs'>;
}

async function replicaOf(
  { library }: Programs,
  server: ShardServer,
  part: readonly number[],
  { changes, arrivingMs }: Required<Pick<PartsOptions, 'changes' | 'arrivingMs'>>,
): Promise<Replica> {
  const { command, args } = runner('part', library, server.kubeconfig, ...part);
  const before = await server.cpuMs();
  const child = spawn(command, ['--expose-gc', ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => JSON.parse((await lines.next()).value ?? 'null') as Omit<Taken, 'serverMs'>;
  const list = { ...(await next()), serverMs: (await server.cpuMs()) - before };
  const atChanges = await server.cpuMs();
  await server.change(changes);
  await new Promise((resolve) => setTimeout(resolve, arrivingMs));
  const serverMs = (await server.cpuMs()) - atChanges;
  child.stdin.end('\n');
  const after = await next();
  return { list, changes: { bytes: after.bytes - list.bytes, cpuMs: after.cpuMs, serverMs } };
}
