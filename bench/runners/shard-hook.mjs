// A hook that waits as one that asks another program does, and writes down what it ran: TIME KEY, a line each.
import { appendFileSync } from 'node:fs';

const file = `${process.env.KUBECTL_INFORMER_BENCH_RUNS}-${process.pid}`;
const waitMs = Number(process.env.KUBECTL_INFORMER_BENCH_WAIT_MS);

export default async function reconcile({ key }) {
  appendFileSync(file, `${Date.now()} ${key}\n`);
  await new Promise((resolve) => setTimeout(resolve, waitMs));
}
