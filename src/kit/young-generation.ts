/** The default limit of the space for young objects, bytes. */
const DEFAULT_LIMIT = 24 * 1024 * 1024;
/** V8's own. */
const GROWTH_FACTOR = 2;

/**
 * Stops the growth of V8's space for young objects at `limitBytes` (24 MiB). By default it grows to 128 MB while lists
 * are read, and most of that is garbage, because the objects of a cache leave this space soon. The setting applies to
 * the whole process, so the library does not change it by itself; the program does. docs/performance.md has
 * measurements.
 *
 * `node --max-semi-space-size` has the same effect, but only on Node's own command line. No promise for engines other
 * than V8. Source: v8 src/heap/new-spaces.cc (the growth factor is read each time).
 */
export function keepYoungGenerationSmall({ limitBytes = DEFAULT_LIMIT }: { limitBytes?: number } = {}): void {
  const { getHeapSpaceStatistics, setFlagsFromString } = process.getBuiltinModule('node:v8');
  const youngBytes = () =>
    getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0;
  let grows = true;
  const observer = new PerformanceObserver(() => {
    // V8 reduces the space of a process that has little to do, and then it must be able to grow back
    const isSmall = youngBytes() < limitBytes;
    if (isSmall === grows) return;
    grows = isSmall;
    setFlagsFromString(`--semi-space-growth-factor=${grows ? GROWTH_FACTOR : 1}`);
  });
  observer.observe({ entryTypes: ['gc'] });
}
