/** A whole number with its thousands apart: `12,345`. Without Intl, whose first use takes a quarter of a start. */
export function thousands(count: number): string {
  const whole = Math.round(count);
  const digits = String(Math.abs(whole));
  const groups: string[] = [];
  for (let end = digits.length; end > 0; end -= 3) groups.unshift(digits.slice(Math.max(0, end - 3), end));
  return `${whole < 0 ? '-' : ''}${groups.join(',')}`;
}
