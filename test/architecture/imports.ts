import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** One import between two files of src, type-only ones included. Paths are relative to src, with forward slashes. */
export interface Import {
  readonly from: string;
  readonly to: string;
}

const SPECIFIER = /(?:^|[^.\w])(?:import|export)\s*(?:type\s+)?(?:[\w*{}\s,$]+?\s*from\s*)?\(?\s*['"]([^'"]+)['"]/g;

/** Every relative import and re-export below `src`, static, dynamic or type-only. */
export function importsOf(src: string): Import[] {
  return filesOf(src).flatMap((file) =>
    specifiersOf(readFileSync(path.join(src, file), 'utf8'))
      .filter((specifier) => specifier.startsWith('.'))
      .map((specifier) => ({
        from: file,
        to: path.posix.normalize(path.posix.join(path.posix.dirname(file), specifier)),
      })),
  );
}

export function filesOf(src: string): string[] {
  return readdirSync(src, { recursive: true, encoding: 'utf8' })
    .map((file) => file.split(path.sep).join('/'))
    .filter((file) => file.endsWith('.ts'))
    .sort();
}

export function specifiersOf(text: string): string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
  return [...code.matchAll(SPECIFIER)].map((match) => match[1] as string);
}

/** Every ring among files: each as the list of its members. (Tarjan's strongly connected components.) */
export function ringsOf(imports: readonly Import[]): string[][] {
  const targets = new Map<string, string[]>();
  for (const { from, to } of imports) targets.set(from, [...(targets.get(from) ?? []), to]);
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const open: string[] = [];
  const rings: string[][] = [];
  const visit = (file: string): number => {
    order.set(file, order.size);
    let lowest = order.get(file) as number;
    open.push(file);
    for (const to of targets.get(file) ?? []) {
      if (!order.has(to)) lowest = Math.min(lowest, visit(to));
      else if (open.includes(to)) lowest = Math.min(lowest, order.get(to) as number);
    }
    low.set(file, lowest);
    if (lowest === order.get(file)) {
      const ring = open.splice(open.indexOf(file));
      if (ring.length > 1 || (targets.get(file) ?? []).includes(file)) rings.push(ring);
    }
    return lowest;
  };
  for (const file of targets.keys()) if (!order.has(file)) visit(file);
  return rings;
}
