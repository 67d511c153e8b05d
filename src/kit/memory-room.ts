import { thousands } from './thousands.ts';

const MIB = 1024 * 1024;

/** The memory of this process, as V8 and the system count it. All sizes are in bytes. */
export interface ProcessMemory {
  /** The size of the heap, garbage included, and of the memory outside that belongs to it. Cheap. */
  used(): { readonly heap: number; readonly outside: number };
  /** The size of the heap's old generation, garbage included. */
  old(): number;
  /** Frees all garbage at once, which takes up to a second for each GB. */
  collect(): void;
  /** The pages that the process occupies. */
  resident(): number;
  /** V8's limit of the old generation. */
  readonly heapLimit: number;
  /** The memory of the machine, or of the container. */
  readonly total: number;
}

/**
 * Notices that the memory of this process is nearly full, before V8 or the system ends the process.
 * A question costs some microseconds. Only if the heap seems full does it free the garbage, so that what it counts is
 * in use; V8 does the same at this point, again and again.
 */
export class MemoryRoom {
  readonly #memory: ProcessMemory;
  /** The size of the old generation at which the garbage is freed next. */
  #collectAt = 0;

  constructor(memory: ProcessMemory = processMemory()) {
    this.#memory = memory;
  }

  /** The part of the memory that is nearly full, if any: `52 of the 64 MiB of its heap are in use`. */
  shortage(): string | undefined {
    const memory = this.#memory;
    const { heap, outside } = memory.used();
    if (heap > SHARE_OF_HEAP * memory.heapLimit && this.#isHeapFull())
      return `${inMib(memory.old())} of the ${inMib(memory.heapLimit)} MiB of its heap are in use`;
    const most = SHARE_OF_ALL * memory.total;
    if (heap + outside < most) return undefined;
    const resident = memory.resident();
    return resident < most ? undefined : `${inMib(resident)} of ${inMib(memory.total)} MiB are in use`;
  }

  #isHeapFull(): boolean {
    const memory = this.#memory;
    const most = SHARE_OF_HEAP * memory.heapLimit;
    const seems = memory.old();
    if (seems <= most || seems < this.#collectAt) return false;
    memory.collect();
    const held = memory.old();
    const isFull = held > most;
    this.#collectAt = isFull ? 0 : held + (memory.heapLimit - held) / 4;
    return isFull;
  }
}

/**
 * The share of the heap that may be in use. Above it V8 ends a process that spends most of its time on garbage. Source:
 * v8 src/heap/heap.cc (CheckIneffectiveMarkCompact).
 */
const SHARE_OF_HEAP = 0.8;
/** The share of the memory of the machine, or of the container. */
const SHARE_OF_ALL = 0.9;

const inMib = (bytes: number) => thousands(bytes / MIB);

function processMemory(): ProcessMemory {
  const { getHeapSpaceStatistics, getHeapStatistics } = process.getBuiltinModule('node:v8');
  const { isMainThread, resourceLimits } = process.getBuiltinModule('node:worker_threads');
  let collect: (() => void) | undefined;
  return {
    used: () => {
      const { used_heap_size: heap, external_memory: outside } = getHeapStatistics();
      return { heap, outside };
    },
    old: () => {
      const spaces = getHeapSpaceStatistics().filter(({ space_name }) => !space_name.startsWith('new_'));
      return spaces.reduce((sum, { space_used_size }) => sum + space_used_size, 0);
    },
    collect: () => {
      collect ??= collector();
      collect();
    },
    resident: () => process.memoryUsage.rss(),
    heapLimit: oldGenerationLimit({
      heapLimit: getHeapStatistics().heap_size_limit,
      options: [...(process.env.NODE_OPTIONS ?? '').split(/\s+/), ...process.execArgv],
      workerMib: isMainThread ? undefined : resourceLimits.maxOldGenerationSizeMb,
    }),
    total: Math.min(
      process.constrainedMemory() || Number.POSITIVE_INFINITY,
      process.getBuiltinModule('node:os').totalmem(),
    ),
  };
}

/** V8's own collection, which is a global of the contexts that are made while this flag is set. */
function collector(): () => void {
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  setFlagsFromString('--expose-gc');
  try {
    return process.getBuiltinModule('node:vm').runInNewContext('gc') as () => void;
  } finally {
    setFlagsFromString('--no-expose-gc');
  }
}

/** The limits and sizes of the heap, from V8 and Node. */
export interface HeapSettings {
  /** V8's limit of the whole heap, bytes. */
  readonly heapLimit: number;
  /** The options of Node; the last one of a name counts. */
  readonly options: readonly string[];
  /** The limit of a worker thread, MiB. */
  readonly workerMib?: number | undefined;
}

/**
 * The limit of the old generation, bytes. V8 gives that of the whole heap, which has three young half-spaces more. An
 * option may give either. Without one V8 makes the young generation at most 3/64 of the old one. Source: v8
 * src/heap/heap.cc (YoungGenerationSizeFromOldGenerationSize).
 */
export function oldGenerationLimit({ heapLimit, options, workerMib }: HeapSettings): number {
  const given = (name: string) => {
    const values = options.map((option) => OPTION.exec(option.replaceAll('_', '-')) ?? []);
    const [, , mib = 0] = values.findLast(([, option]) => option === name) ?? [];
    return Number(mib) * MIB;
  };
  const old = given('max-old-space-size');
  if (old > 0) return Math.min(old, heapLimit);
  const half = given('max-semi-space-size') || (given('max-old-space-size-percentage') > 0 ? LARGEST_HALF : 0);
  const rest = half > 0 ? heapLimit - 3 * half : (heapLimit * 64) / 67;
  return Math.min(rest > 0 ? rest : heapLimit / 2, (workerMib ?? Number.POSITIVE_INFINITY) * MIB);
}

const OPTION = /^--([a-z-]+)=(\d+)$/;

/** A young half-space, where an option gave the size of the old generation only. */
const LARGEST_HALF = 64 * MIB;
