/** Fields whose values a server makes up: the first time one is seen it is learned, afterwards it must come again. */
const MADE_UP = new Set(['uid', 'resourceVersion', 'continue']);

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const AGE = /^((\d+[smhdy])+|<unknown>)$/;

/**
 * Compares what a server answered with what a real one answered. Times, ages, uids and resource versions differ between
 * two servers, so they are matched by place and must then correspond everywhere. Everything else must be equal, except
 * the order of keys.
 */
export class WireCompare {
  /** Recorded value → ours. */
  readonly #ours = new Map<string, string>();

  learn(recorded: string, ours: string): void {
    this.#ours.set(recorded, ours);
  }

  /** A recorded request, in the values of our server. */
  translate(text: string): string {
    return text.replace(
      /(resourceVersion=|continue=)([^&]+)|"uid":"([^"]+)"|"resourceVersion":"([^"]+)"/g,
      (whole, key, value, uid, rv) => {
        if (key) return `${key}${this.#ours.get(value) ?? value}`;
        if (uid) return `"uid":"${this.#ours.get(uid) ?? uid}"`;
        return rv ? `"resourceVersion":"${this.#ours.get(rv) ?? rv}"` : whole;
      },
    );
  }

  /** Where the two differ, as readable lines. Paths that start with one of `ignore` are not looked at. */
  differences(recorded: unknown, ours: unknown, ignore: readonly string[] = []): string[] {
    const found: string[] = [];
    this.#compare(recorded, ours, '', ignore, found);
    return found;
  }

  #compare(recorded: unknown, ours: unknown, at: string, ignore: readonly string[], found: string[]): void {
    if (ignore.some((path) => at === path || at.startsWith(`${path}.`) || at.startsWith(`${path}[`))) return;
    if (typeof recorded === 'string' && typeof ours === 'string') {
      if (!this.#sameText(recorded, ours, at)) found.push(`${at}: ${clip(recorded)} ≠ ${clip(ours)}`);
      return;
    }
    if (typeof recorded !== 'object' || typeof ours !== 'object' || recorded === null || ours === null) {
      if (recorded !== ours) found.push(`${at}: ${clip(recorded)} ≠ ${clip(ours)}`);
      return;
    }
    if (Array.isArray(recorded) !== Array.isArray(ours)) found.push(`${at}: a list and no list`);
    const [left, right] = [recorded as Record<string, unknown>, ours as Record<string, unknown>];
    if (Array.isArray(recorded) && Array.isArray(ours) && recorded.length !== ours.length) {
      found.push(`${at}: ${recorded.length} items ≠ ${ours.length}`);
    }
    for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
      const inner = Array.isArray(recorded) ? `${at}[${key}]` : at === '' ? key : `${at}.${key}`;
      this.#compare(left[key], right[key], inner, ignore, found);
    }
  }

  #sameText(recorded: string, ours: string, at: string): boolean {
    if (recorded === ours) return true;
    if (/cells\[\d+\]$/.test(at) && AGE.test(recorded) && AGE.test(ours)) return true;
    const key = at.slice(at.lastIndexOf('.') + 1);
    if (MADE_UP.has(key) || /\.name$|cells\[0\]$/.test(at)) {
      const known = this.#ours.get(recorded);
      if (known !== undefined) return known === ours;
      const learns = MADE_UP.has(key) || isGeneratedPair(recorded, ours);
      if (learns) this.#ours.set(recorded, ours);
      return learns;
    }
    if (TIME.test(recorded) && TIME.test(ours)) return true;
    return generic(recorded) === generic(ours);
  }
}

function isGeneratedPair(recorded: string, ours: string): boolean {
  const base = /^(.*-)[a-z0-9]{5}$/.exec(recorded)?.[1];
  return base !== undefined && ours.startsWith(base) && ours.length === recorded.length;
}

/** Messages name revisions, uids and times of the server that made them. */
function generic(message: string): string {
  return message
    .replace(/current: \d+/, 'current: N')
    .replace(/too old resource version: \d+ \(\d+\)/, 'too old resource version: N (N)')
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UID')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, 'TIME')
    .replace(/(resourceVersion\\*":\\*")\d+/g, '$1N')
    .replace(/127\.0\.0\.1:\d+/, '127.0.0.1:PORT')
    .replace(/hash=[0-9A-F]+/, 'hash=HASH');
}

function clip(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 16000 ? `${text.slice(0, 160)}…` : text;
}
