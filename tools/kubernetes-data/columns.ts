import type { Exchange } from './recordings.ts';
import type { TypesData } from './types.ts';

interface Column {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
}

/**
 * `columns.json`: the columns by storage key: `pods`, `deployments.apps`. Under `''`: those of every type without a
 * printer.
 */
export type ColumnsData = Readonly<Record<string, readonly Column[]>>;

const LIST = /^\/(?:api|apis\/(?<group>[^/]+))\/v[^/]+\/(?:namespaces\/[^/]+\/)?(?<resource>[^/?]+)(?:\?|$)/;

/** The columns of the recorded Tables of built-in types. Types that no Table shows stay as they are. */
export function updateColumns(data: ColumnsData, exchanges: readonly Exchange[], types: TypesData): ColumnsData {
  const builtin = new Set(
    Object.entries(types).flatMap(([version, resources]) => Object.keys(resources).map((r) => storageKey(version, r))),
  );
  const recorded = new Map<string, readonly Column[]>();
  for (const { request, response } of exchanges) {
    const body = response.body as { kind?: string; columnDefinitions?: readonly Column[] } | undefined;
    const { group, resource } = LIST.exec(request.path)?.groups ?? {};
    const key = group ? `${resource}.${group}` : (resource ?? '');
    if (request.method === 'GET' && body?.kind === 'Table' && body.columnDefinitions && builtin.has(key))
      recorded.set(hasPrinter(body.columnDefinitions) ? key : '', body.columnDefinitions.map(columnOf));
  }
  return { ...data, ...Object.fromEntries(recorded) };
}

function storageKey(groupVersion: string, resource: string): string {
  const slash = groupVersion.indexOf('/');
  return slash < 0 ? resource : `${resource}.${groupVersion.slice(0, slash)}`;
}

function hasPrinter(columns: readonly Column[]): boolean {
  return columns.map(({ name }) => name).join() !== 'Name,Created At';
}

/** With its members in one order, whatever the order on the wire. */
function columnOf({ name, type, format, description, priority }: Column): Column {
  return { name, type, format, description, priority };
}
