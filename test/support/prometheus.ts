import { createPrometheusMetrics } from '../../src/ops/prometheus.ts';

/** A provider without the metrics of the process, and the values that it would serve: series → value. */
export async function readableMetrics() {
  const metrics = await createPrometheusMetrics({ process: false });
  return { metrics, values: async () => valuesIn(await metrics.text()) };
}

/** The series in a text of Prometheus, with their labels sorted, and their values. */
export function valuesIn(text: string): Record<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(
    lines.map((line) => {
      const cut = line.lastIndexOf(' ');
      return [sorted(line.slice(0, cut)), Number(line.slice(cut + 1))];
    }),
  );
}

function sorted(series: string): string {
  return series.replace(
    /\{(.*)\}$/,
    (_, labels: string) =>
      `{${labels
        .match(/\w+="(?:[^"\\]|\\.)*"/g)
        ?.sort()
        .join()}}`,
  );
}
