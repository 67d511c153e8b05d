import type { SyncedCache } from './cache-process.ts';
import type { CompactMeasured } from './compact-rows.ts';
import type { TextTable } from './text-table.ts';

/** A target, what was measured for it, and what limits it. */
interface Target {
  readonly work: string;
  readonly target: string;
  readonly measured: number | undefined;
  readonly most: number;
  readonly show: (value: number) => string;
  readonly limit: string;
}

const ratio = (value: number) => `${value.toFixed(2)} ×`;
const gigabytes = (value: number) => `${(value / 1e9).toFixed(2)} GB`;
const milliseconds = (value: number) => `${value.toFixed(value < 10 ? 2 : 0)} ms`;
const number = (value: number) => value.toLocaleString('en-US');

/** The targets of a compact store, as rows. */
export function compactTargets(measured: CompactMeasured): TextTable {
  const rows = targetsOf(measured).map(({ work, target, measured: value, most, show, limit }) => [
    work,
    target,
    value === undefined ? 'not measured' : show(value),
    value === undefined ? '' : value <= most ? 'yes' : '**no**',
    limit,
  ]);
  return { title: 'Targets', head: ['work', 'target', 'measured', 'met', 'what limits it'], rows };
}

function targetsOf({ compared, grown, storms, clientGo }: CompactMeasured): Target[] {
  const { objects, plain, compact, kept } = compared;
  const [least] = grown;
  const most = grown.at(-1);
  if (!least || !most) throw new Error('there is no cache of another size');
  const peer = clientGo.find((row) => row.objects === objects);
  const peerRss = peer && 'rss' in peer ? peer.rss : undefined;
  const before = grown.at(-2) ?? least;
  const perObject = (of: (cache: SyncedCache) => number, from = least) =>
    of(most) / most.objects / (of(from) / from.objects);
  const pods = `${number(objects)} pods`;
  const atMost = (most: number, show = ratio) => ({ target: `≤ ${show(most)}`, most, show });
  return [
    {
      work: `settled RSS, ${pods}, beside \`objects\``,
      measured: compact.rss / plain.rss,
      ...atMost(0.35),
      limit: 'the process itself, which both have; beyond it, the handles and the compressed texts',
    },
    {
      work: `settled RSS, ${pods}, beside client-go dynamic`,
      measured: peerRss === undefined ? undefined : compact.rss / peerRss,
      ...atMost(0.06),
      limit: 'the process itself',
    },
    {
      work: `settled RSS, ${number(most.objects)} pods, two indexes`,
      measured: most.rss,
      ...atMost(1.5e9, gigabytes),
      limit: 'the handles, keys and index entries in V8’s heap; the compressed texts',
    },
    {
      work: `peak RSS while ${number(most.objects)} pods are listed`,
      measured: most.peakRss,
      ...atMost(1.5e9, gigabytes),
      limit: 'garbage that V8 has not collected yet, beside what is settled',
    },
    {
      work: `sync CPU, ${pods}, beside \`objects\``,
      measured: compact.cpuMs / plain.cpuMs,
      ...atMost(1.35),
      limit: 'making the text of each object, and compressing it; garbage collection is less than with `objects`',
    },
    {
      work: `CPU per object, ${number(least.objects)} → ${number(most.objects)}`,
      measured: perObject(({ cpuMs }) => cpuMs),
      ...atMost(1.15),
      limit: 'the smallest cache pays for the warming up of Node’s code',
    },
    {
      work: `CPU per object, ${number(before.objects)} → ${number(most.objects)}`,
      measured: perObject(({ cpuMs }) => cpuMs, before),
      ...atMost(1.15),
      limit: 'garbage collection, which visits all handles',
    },
    {
      work: `memory per object beyond the process, ${number(least.objects)} → ${number(most.objects)}`,
      measured: perObject(({ rss, base }) => rss - base.rss),
      ...atMost(1.15),
      limit: 'the fixed part counts for the smallest cache; the formula below has it by itself',
    },
    {
      work: `point lookup by index, cold object, p99, ${pods}`,
      measured: compact.coldP99Ms,
      ...atMost(1, milliseconds),
      limit:
        'garbage collections that fall between, set off by what decompression allocates; the median is decompression and JSON.parse',
    },
    {
      work: `point lookup by index, cold object, p99, ${number(most.objects)} pods`,
      measured: most.coldP99Ms,
      ...atMost(1, milliseconds),
      limit: 'the same: each visits a million handles',
    },
    {
      work: 'point lookup by index, hot object, beside `objects`',
      measured: compact.hotUs / plain.hotUs,
      ...atMost(2),
      limit: 'one more indirection',
    },
    {
      work: `full scan with a CEL filter whose fields are kept, per object, ${pods}, beside \`objects\``,
      measured: Math.max(kept.scanUs / plain.scanUs, kept.fewUs / plain.fewUs),
      ...atMost(4),
      limit: 'making an object of the fields and of what the handle has',
    },
    {
      work: `sync CPU with the fields of two filters kept, ${pods}, beside \`objects\``,
      measured: kept.cpuMs / plain.cpuMs,
      ...atMost(1.35),
      limit: 'the text of the fields of each object, by which equal ones are found',
    },
    {
      work: `full scan with a CEL filter whose fields nothing looked at before, per object, ${pods}, beside \`objects\``,
      measured: compact.scanUs / plain.scanUs,
      ...atMost(10),
      limit:
        'JSON.parse of each object, which alone takes 20 times as long as the filter; from then on its fields are kept',
    },
    {
      work: `longest block of the event loop, ${pods}`,
      measured: compact.blockMs,
      ...atMost(20, milliseconds),
      limit: 'garbage collection',
    },
    {
      work: `longest block of the event loop, ${number(most.objects)} pods`,
      measured: most.blockMs,
      ...atMost(50, milliseconds),
      limit: 'garbage collection, and maps that grow',
    },
    ...storms.map(({ objects, of, warm, end }) => ({
      work: `settled RSS after a storm on ${number(of)} of ${number(objects)} pods, beside the warm-up`,
      measured: end.rss / warm.rss,
      ...atMost(1.1),
      limit: 'blocks that are half empty before they are repacked, and memory that the C library keeps',
    })),
  ];
}
