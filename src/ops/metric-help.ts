import data from './metric-help.json' with { type: 'json' };

/** The meaning of each metric, for its `# HELP` line. The first lines are those of client-go and controller-runtime. */
const HELP: Readonly<Record<string, string>> = data;

/** The help text of a metric. An unknown one is described by its own words. */
export function helpOf(name: string): string {
  return HELP[name] ?? name.replaceAll('_', ' ');
}
