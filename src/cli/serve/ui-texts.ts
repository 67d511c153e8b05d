import { cellsOf } from '../../model/cells.ts';
import { statesOf } from '../../output/cell-states.ts';
import { toYaml } from '../../output/objects/yaml.ts';
import { columnsOf } from '../../output/tables/columns.ts';
import { valuePair } from '../../output/value-text.ts';
import { lookedAtByFilters } from '../../query/answer/looked-at.ts';
import type { UiPrintedColumn, UiProgram, UiTexts } from '../../serve/ui/ui-program.ts';
import { checkWhere } from '../../stream/conditions/printed-cells.ts';
import { objectFiltersOf } from '../query/read-filters.ts';

/** The page writes columns, YAML and values as the commands print them. */
export const uiTexts: UiTexts = {
  columns(type, server): UiPrintedColumn[] {
    const narrow = new Set(columnsOf(server, type, { withNamespace: true }).map(({ heading }) => heading));
    return columnsOf(server, type, { withNamespace: true, wide: true }).map((column) => {
      const stateOf = statesOf(column.heading);
      return {
        heading: column.heading,
        isWide: !narrow.has(column.heading),
        cell: (object, now) => column.cell({ object, type, cells: cellsOf(object), now }),
        state: (cell) => stateOf?.(cell)?.charAt(0) ?? ' ',
      };
    });
  },
  yaml: (object) => toYaml(object, { sorted: true }),
  values: valuePair,
};

/** Compiles `--where` and `--filter` for the page, in the way of `query`. */
export const compileConditions: UiProgram['compile'] = async ({ where, filter }, columns) => {
  const { filters } = await objectFiltersOf({
    where: where === undefined ? [] : [where],
    filter: filter === undefined ? [] : [filter],
  });
  if (columns) for (const program of filters.wheres) checkWhere(program, columns, { ofEvents: false });
  return { conditions: filters.conditions, looked: await lookedAtByFilters(filters) };
};
