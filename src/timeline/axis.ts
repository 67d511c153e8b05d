/** A time below a picture. */
export interface AxisTick {
  readonly at: number;
  readonly text: string;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The distances between times that a reader can count in, ms. */
const STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  ...[1, 2, 3, 6, 12].map((n) => n * HOUR),
  ...[1, 2, 7, 14, 30, 90, 180, 365].map((n) => n * DAY),
];

/** Round times of a range, as many as there is room for, UTC: as precise as their distance needs. */
export function axisTicks({ from, to }: { readonly from: number; readonly to: number }, most: number): AxisTick[] {
  const countOf = (step: number) => Math.floor(to / step) - Math.ceil(from / step) + 1;
  const step = STEPS.find((each) => countOf(each) <= most) ?? (STEPS.at(-1) as number);
  const hasDays = Math.floor(from / DAY) !== Math.floor(to / DAY);
  const first = Math.ceil(from / step) * step;
  return Array.from({ length: Math.min(most, countOf(step)) }, (_, i) => {
    const at = first + i * step;
    return { at, text: tickText(at, step, hasDays) };
  });
}

function tickText(at: number, step: number, hasDays: boolean): string {
  const [day = '', time = ''] = new Date(at).toISOString().split('T');
  if (step >= DAY) return day.slice(5);
  if (step < MINUTE) return time.slice(0, 8);
  return hasDays && at % DAY === 0 ? day.slice(5) : time.slice(0, 5);
}
