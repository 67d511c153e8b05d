// npm run bench [-- --quick]: CPU time of each stage against the first row of its bench. See docs/ARCHITECTURE.md for the stages.
import { decodeList, decodeWatch } from './decode.ts';
import { measure } from './harness.ts';
import { fillIndexer } from './indexer.ts';
import { sandboxUnderLoad } from './sandbox.ts';
import { cycleKeys } from './workqueue.ts';

const isQuick = process.argv.includes('--quick');
const count = isQuick ? 1000 : 10_000;
const benches = [decodeList(count), decodeWatch(count), fillIndexer(count), cycleKeys(count)];

for (const bench of benches) {
  console.log(`\n${bench.name} (${bench.count} × ${bench.unit}; CPU time, median of ${isQuick ? 3 : 7})`);
  for (const { name, medianMs, perUnitNs, ratio } of await measure(bench, isQuick ? 3 : 7)) {
    console.log(
      `  ${name.padEnd(48)} ${medianMs.toFixed(1).padStart(9)} ms ${(perUnitNs / 1000).toFixed(2).padStart(9)} µs/${bench.unit} ${`×${ratio.toFixed(2)}`.padStart(8)}`,
    );
  }
}

console.log('\nthe sandbox under load (CPU time of the process, garbage collection included)');
for (const line of await sandboxUnderLoad(isQuick ? 5_000 : 50_000)) console.log(`  ${line}`);
