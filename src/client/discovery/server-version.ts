/** The response of /version. Source: apimachinery version.Info. */
export interface ServerVersion {
  major: string;
  minor: string;
  gitVersion: string;
}

/**
 * Whether a server has this version or a later one. Vendors write `31+` as minor version, or give only a gitVersion
 * such as `v1.31.2-gke.100`. A server without a version counts as older.
 */
export function isAtLeast(version: Partial<ServerVersion>, major: number, minor: number): boolean {
  const [theirMajor, theirMinor] = numbersIn(version);
  return theirMajor > major || (theirMajor === major && theirMinor >= minor);
}

/** The version numbers; NaN if there are none, which no comparison accepts. */
function numbersIn({ major, minor, gitVersion }: Partial<ServerVersion>): [major: number, minor: number] {
  const given = [Number.parseInt(major ?? '', 10), Number.parseInt(minor ?? '', 10)] as [number, number];
  if (!given.some(Number.isNaN)) return given;
  const [, gitMajor, gitMinor] = /^v?(\d+)\.(\d+)/.exec(gitVersion ?? '') ?? [];
  return [Number(gitMajor), Number(gitMinor)];
}
