import type { CelProgram } from '../../expr/cel/cel.ts';
import { cellsOf, type TableColumn } from '../../model/cells.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import type { CellComparison } from './cell-comparison.ts';
import type { CompiledCondition, EventVariables } from './condition.ts';
import { PrintedCells } from './printed-cells.ts';

/**
 * The condition of one `--where`: evaluates an expression over the printed cells of an object, whatever the type of the
 * object. `comparison` must be the one that the program was compiled with; its remark becomes the remark of the
 * condition.
 */
export function whereConditionOf(program: CelProgram, comparison: CellComparison): CompiledCondition {
  const cells = new CellsByColumns();
  return {
    source: program.source,
    readsEvent: program.variables.has('EVENT'),
    remark: () => comparison.remark(),
    test(variables) {
      const { object, event, now, cluster } = variables as EventVariables;
      return program.test(cells.of(object).variablesFor(object, now.getTime(), event, cluster));
    },
  };
}

/**
 * One {@link PrintedCells} for each list of columns. Rows of several types may take turns, and then nothing is computed
 * again.
 */
class CellsByColumns {
  readonly #known = new Map<readonly TableColumn[] | undefined, PrintedCells>();

  of(object: ReadonlyObject): PrintedCells {
    const columns = cellsOf(object)?.columns;
    let cells = this.#known.get(columns);
    if (cells) return cells;
    cells = new PrintedCells(columns);
    if (this.#known.size >= MOST_COLUMNS) this.#known.clear();
    this.#known.set(columns, cells);
    return cells;
  }
}

/** Each watch brings its own list of columns. The lists of watches that have ended are not needed any more. */
const MOST_COLUMNS = 64;
