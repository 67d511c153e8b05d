/** What /version says. Source: apimachinery version.Info. */
export interface ServerVersion {
  major: string;
  minor: string;
  gitVersion: string;
}

/** Whether a server is of that version or later. Vendors write `31+` for the minor, or leave it to gitVersion: `v1.31.2-gke.100`. */
export function isAtLeast(version: Partial<ServerVersion>, major: number, minor: number): boolean {
  const [theirMajor, theirMinor] = numbersIn(version);
  return theirMajor > major || (theirMajor === major && theirMinor >= minor);
}

/** NaN where it does not say, which is less than nothing. */
function numbersIn({ major, minor, gitVersion }: Partial<ServerVersion>): [major: number, minor: number] {
  const told = [Number.parseInt(major ?? '', 10), Number.parseInt(minor ?? '', 10)] as [number, number];
  if (!told.some(Number.isNaN)) return told;
  const [, gitMajor, gitMinor] = /^v?(\d+)\.(\d+)/.exec(gitVersion ?? '') ?? [];
  return [Number(gitMajor), Number(gitMinor)];
}
