/** A conversion from one version to another. A version may lack its group. */
export interface ConversionRule {
  readonly fromVersion: string;
  readonly toVersion: string;
}

/**
 * The shortest way from one version to another; of equally long ones that whose versions are written as they are asked
 * for. Undefined if there is none. Source: shell-operator pkg/webhook/conversion/chain.go.
 */
export function conversionChain<R extends ConversionRule>(
  rules: readonly R[],
  from: string,
  to: string,
): readonly R[] | undefined {
  const seen = new Set<R>();
  let ways: R[][] = [[]];
  while (ways.length > 0) {
    const longer = ways.flatMap((way) => {
      const at = way.at(-1)?.toVersion ?? from;
      const next = exactFirst(rules, ({ fromVersion }) => fromVersion, at).filter((rule) => !seen.has(rule));
      for (const rule of next) seen.add(rule);
      return next.map((rule) => [...way, rule]);
    });
    const [found] = exactFirst(longer, (way) => way.at(-1)?.toVersion ?? '', to);
    if (found) return found;
    ways = longer;
  }
  return undefined;
}

/** The items with this version, those with its very text first. */
function exactFirst<T>(items: readonly T[], versionOf: (item: T) => string, version: string): T[] {
  const alike = items.filter((item) => isSameVersion(versionOf(item), version));
  return alike.sort((a, b) => Number(versionOf(b) === version) - Number(versionOf(a) === version));
}

function isSameVersion(a: string, b: string): boolean {
  if (a === b) return true;
  return a.includes('/') !== b.includes('/') && shortVersion(a) === shortVersion(b);
}

const shortVersion = (version: string) => version.slice(version.indexOf('/') + 1);
