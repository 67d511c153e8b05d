interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const DAYS = 'sun mon tue wed thu fri sat'.split(' ');

const FIELDS: readonly Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: MONTHS },
  { min: 0, max: 6, names: DAYS },
];

const DESCRIPTORS = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'];
const DURATION = /^[+-]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;

/** The problem of a cron schedule, in the words of a server. Source: robfig/cron v3 ParseStandard. */
export function scheduleProblem(schedule: string): string | undefined {
  if (schedule.startsWith('@')) return descriptorProblem(schedule);
  const fields = schedule.split(/\s+/).filter((field) => field !== '');
  if (fields.length !== 5) return `expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`;
  for (const [i, bounds] of FIELDS.entries()) {
    const ranges = (fields[i] ?? '').split(',').filter((range) => range !== '');
    for (const range of ranges) {
      const problem = rangeProblem(range, bounds);
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}

function descriptorProblem(descriptor: string): string | undefined {
  if (DESCRIPTORS.includes(descriptor)) return undefined;
  if (!descriptor.startsWith('@every ')) return `unrecognized descriptor: ${descriptor}`;
  const duration = descriptor.slice('@every '.length);
  if (duration.length <= 100 && DURATION.test(duration)) return undefined;
  return `failed to parse duration ${descriptor}: time: invalid duration ${JSON.stringify(duration)}`;
}

function rangeProblem(text: string, bounds: Bounds): string | undefined {
  const [span = '', step, ...moreSteps] = text.split('/');
  const [low = '', high, ...moreEnds] = span.split('-');
  const isAll = low === '*' || low === '?';
  const start = isAll ? bounds.min : numberOf(low, bounds.names);
  if (typeof start === 'string') return start;
  if (!isAll && moreEnds.length > 0) return `too many hyphens: ${text}`;
  const given = isAll ? bounds.max : high === undefined ? start : numberOf(high, bounds.names);
  if (typeof given === 'string') return given;
  if (moreSteps.length > 0) return `too many slashes: ${text}`;
  const size = step === undefined ? 1 : numberOf(step);
  if (typeof size === 'string') return size;
  const end = step !== undefined && high === undefined ? bounds.max : given;
  if (start < bounds.min) return `beginning of range (${start}) below minimum (${bounds.min}): ${text}`;
  if (end > bounds.max) return `end of range (${end}) above maximum (${bounds.max}): ${text}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${text}`;
  return size === 0 ? `step of range should be a positive number: ${text}` : undefined;
}

/** A number of a schedule, or the problem of its text. Names count from the least value of the field. */
function numberOf(text: string, names?: readonly string[]): number | string {
  const named = names?.indexOf(text.toLowerCase()) ?? -1;
  if (named >= 0) return names === MONTHS ? named + 1 : named;
  if (/^[+-]?\d{1,15}$/.test(text))
    return Number(text) < 0 ? `negative number (${Number(text)}) not allowed: ${text}` : Number(text);
  return `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`;
}

/** Whether the clock of this process knows a time zone. A server has the same database. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z0-9_+/-]+$/.test(name) || name.startsWith('+') || name.startsWith('-')) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
