export interface Platform {
  selector: { matchLabels: Record<string, string> };
  uri: string;
  sha256: string;
  files: [{ from: string; to: string }, ...{ from: string; to: string }[]];
  bin: string;
}

export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  spec: {
    version: string;
    homepage: string;
    shortDescription: string;
    description: string;
    caveats: string;
    platforms: [Platform, Platform, ...Platform[]];
  };
}

export function krewManifest(of: {
  main: { version: string; homepage: string };
  archive: string;
  sha256: string;
}): Manifest;

export function krewFaults(manifest: Manifest, entries: readonly string[]): string[];
