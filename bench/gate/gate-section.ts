import { markdownOf } from '../text-table.ts';
import { type GateRecord, verdictTable } from './record.ts';

const METHOD = `Both builds run in turn against the same server, which sends the bench's own pods over TLS: base and now, now and base, and so on. The ratio is that of the medians; it lies between the two figures beside it with about nine chances in ten. To measure again: \`npm run bench:gate\` ([how it decides](https://github.com/kubectl-informer/kubectl-informer/blob/main/bench/README.md#the-gate)).`;

/** The section of docs/performance.md about what became slower, and faster, since the base of the last recorded gate. */
export function gateSection(record: GateRecord): string[] {
  const { date, load, rows, incomparable, base, notes = [] } = record;
  const slower = rows.filter(({ isSlower }) => isSlower).map(({ name }) => `\`${name}\``);
  const found =
    slower.length === 0
      ? `No row takes more than 1.05 times the CPU time that it took at ${base.slice(0, 8)}.`
      : `**Slower** than at ${base.slice(0, 8)}: ${slower.join(', ')}.`;
  const left = incomparable.map(({ name, reason }) => `Not compared: \`${name}\`. The base says: ${reason}.`);
  const { title } = verdictTable(record);
  return [
    '## Since the last version',
    found,
    `${title}. Measured ${date.slice(0, 10)}; load before the first run ${load.toFixed(1)}.`,
    markdownOf(verdictTable(record)),
    ...left,
    ...notes,
    METHOD,
  ];
}
