/** When something that lasts is reported again, counted from its beginning, ms; then every ten minutes. */
const AT_MS = [30_000, 60_000, 120_000, 300_000, 600_000];
const THEN_EVERY_MS = 600_000;

/** When a reminder is due, counted from the beginning of what lasts, ms. The first has the number 0. */
export function remindAt(reminder: number): number {
  const last = AT_MS.length - 1;
  return AT_MS[reminder] ?? (AT_MS[last] as number) + THEN_EVERY_MS * (reminder - last);
}
