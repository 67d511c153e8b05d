/** Where the space for young objects stops growing unless said otherwise, bytes. */
const DEFAULT_LIMIT = 8 * 1024 * 1024;

/**
 * Keeps V8's space for young objects small, from the time it has grown to `limitBytes` (8 MiB). Left alone it grows to 128 MB while lists are
 * read, and most of it is garbage: a cache is filled with objects that stay. It is a setting of the whole process, so a library does not make
 * it by itself; the program does. What it saves and costs is measured in docs/performance.md.
 *
 * `node --max-semi-space-size` says the same, but counts only on Node's own command line. Promises nothing for engines other than V8.
 * Source: v8 src/heap/new-spaces.cc (the growth factor is read each time).
 */
export function keepYoungGenerationSmall({ limitBytes = DEFAULT_LIMIT }: { limitBytes?: number } = {}): void {
  const { getHeapSpaceStatistics, setFlagsFromString } = process.getBuiltinModule('node:v8');
  const youngBytes = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0;
  const observer = new PerformanceObserver(() => {
    if (youngBytes() < limitBytes) return;
    observer.disconnect();
    setFlagsFromString('--semi-space-growth-factor=1');
  });
  observer.observe({ entryTypes: ['gc'] });
}
