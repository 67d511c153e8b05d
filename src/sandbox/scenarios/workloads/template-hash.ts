const LETTERS = 'bcdfghjklmnpqrstvwxz2456789';

/** The `pod-template-hash` of a template: equal for equal templates, with the characters that real ones have. */
export function templateHash(template: unknown): string {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(JSON.stringify(template))) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return [...String(hash)].map((digit, i) => LETTERS[(Number(digit) * 2 + i) % LETTERS.length]).join('');
}
