import { loadCel } from '../../expr/cel/load-cel.ts';
import { type Address, addressText, valuesAt } from '../../model/field-path.ts';
import { isSecretResource } from '../../model/gvr.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import type { Sample } from '../../query/answer/samples.ts';
import { DurationCell } from '../../stream/conditions/cell-comparison.ts';
import { PrintedCells } from '../../stream/conditions/printed-cells.ts';
import { withKind } from '../../stream/shown-object.ts';
import type { Server } from '../session/session.ts';
import type { Facts } from './hint.ts';
import { hintedValue, MOST_VALUES, nearValue } from './near-value.ts';

/**
 * Why nothing matches: a line for each text that an expression compares a field or a column with, that none of the
 * objects has there, and that looks like a misspelling of one that some have. Any other text may come later, and is no
 * mistake. Values of Secrets are not looked at.
 */
export async function misspeltValues(
  { plan: { filters = [], wheres = [] }, samples }: Facts,
  { clock }: Server,
): Promise<string[]> {
  const open = samples.filter(({ type, objects }) => !isSecretResource(type.gvr) && objects.length > 0);
  if (open.length === 0 || filters.length + wheres.length === 0) return [];
  const { textsCompared } = await loadCel();
  const ofFilters = filters.flatMap(({ flag, ast }) =>
    textsCompared(ast).map(({ address, text }) => ({
      asked: `${flag}: ${addressText(address)} == ${JSON.stringify(text)}`,
      text,
      valuesOf: (object: ReadonlyObject, type: ResourceType) => valuesAt(withKind(object, type), address),
    })),
  );
  const cells = new PrintedCells();
  const nowMs = clock.now();
  const ofWheres = wheres.flatMap(({ flag, ast, variables }) =>
    textsCompared(ast, [...variables]).map(({ address, text }) => ({
      asked: `${flag}: ${columnText(address)} == ${JSON.stringify(text)}`,
      text,
      valuesOf: (object: ReadonlyObject) => cellAt(cells.variablesFor(object, nowMs), address),
    })),
  );
  return [...ofFilters, ...ofWheres].flatMap(({ asked, text, valuesOf }) => {
    const values = textsIn(open, valuesOf);
    if (values.size === 0 || values.has(text)) return [];
    const near = nearValue(
      text,
      [...values].filter((value) => !differsInNumbers(value, text)),
    );
    return near === undefined ? [] : [`${asked} holds for none; did you mean ${JSON.stringify(hintedValue(near))}?`];
  });
}

/** `web-1` is another name than `web-2`, and `1/1` another state than `1/2`: not one that is misspelt. */
const differsInNumbers = (a: string, b: string) => a.replace(/\d+/g, '') === b.replace(/\d+/g, '');

const columnText = ([first, second]: Address) =>
  first === 'cells' ? `cells[${JSON.stringify(second)}]` : String(first);

function cellAt(variables: Readonly<Record<string, unknown>>, [name, ...below]: Address): unknown[] {
  return name === 'cells' ? valuesAt(variables.cells, below) : [variables[String(name)]];
}

/** The texts among the values. Others are compared by other rules. */
function textsIn(
  samples: readonly Sample[],
  valuesOf: (object: ReadonlyObject, type: ResourceType) => readonly unknown[],
): Set<string> {
  const texts = new Set<string>();
  for (const { type, objects } of samples) {
    for (const object of objects) {
      for (const value of valuesOf(object, type)) {
        const text = value instanceof DurationCell ? value.text : value;
        if (typeof text === 'string' && text !== '') texts.add(text);
      }
      if (texts.size >= MOST_VALUES) return texts;
    }
  }
  return texts;
}
