// What every program here says when it is done: one line of JSON. Plain JavaScript, as Node's reading of TypeScript
// would be measured too.

/** @param {{ objects: number, from: { at: number, cpu: NodeJS.CpuUsage, rss: number } }} result */
export function done({ from, ...result }) {
  const { user, system } = process.cpuUsage(from.cpu);
  const line = { ...result, ms: performance.now() - from.at, cpuMs: (user + system) / 1000, baseRssMb: from.rss / 1e6 };
  process.stdout.write(`${JSON.stringify(line)}\n`, () => process.exit(0));
}

/** The state before the work that is measured. */
export function start() {
  return { at: performance.now(), cpu: process.cpuUsage(), rss: process.memoryUsage.rss() };
}

/** GETs a path, and gives each chunk to `take`. */
export async function get(url, take, headers = {}) {
  const { get: request } = await import('node:http');
  await new Promise((resolve, reject) => {
    request(url, { headers: { accept: 'application/json', ...headers } }, (response) => {
      response
        .on('data', (chunk) => take(chunk, response))
        .on('end', resolve)
        .on('error', reject);
    }).on('error', reject);
  });
}
