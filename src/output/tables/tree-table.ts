import { humanDuration } from '../../kit/duration.ts';
import { cellAt } from '../../model/cell-ages.ts';
import { cellsOf } from '../../model/cells.ts';
import { statesOf } from '../cell-states.ts';
import { cellText } from '../escape.ts';
import { type Painter, plainPainter } from '../painter.ts';
import { type PlaceColumn, type PrintedObject, qualifiedName, typeName } from '../printer.ts';
import { AlignedTable } from './table.ts';

/** An object to print, and what is below it. */
export interface PrintedTree {
  readonly item: PrintedObject;
  readonly isAsked: boolean;
  readonly children: readonly PrintedTree[];
}

/** Trees of owners, to print. */
export interface PrintedTrees {
  readonly trees: readonly PrintedTree[];
  /** The trees as data. */
  records(): readonly object[];
}

export interface TreeTableOptions {
  /** The time of ages, ms. */
  readonly now: number;
  readonly painter?: Painter | undefined;
  readonly noHeaders: boolean;
  /** The first columns. */
  readonly places?: readonly PlaceColumn[] | undefined;
  readonly withNamespace: boolean;
  /** Draws branches with characters of ASCII. */
  readonly ascii: boolean;
}

/** The cells of an object in the server's table. */
export interface TreeFacts {
  readonly ready: string;
  readonly status: string;
  readonly restarts: string;
}

/** Reads readiness, status and restarts from the cells that types have for them, as they are at this time, ms. */
export function factsOf({ object }: PrintedObject, now: number): TreeFacts {
  const row = cellsOf(object);
  const cell = (heading: string) => {
    const i = row?.columns.findIndex(({ name }) => name.toUpperCase() === heading) ?? -1;
    const value = row && i >= 0 ? cellAt(row, i, now) : undefined;
    return value === undefined || value === null ? '' : cellText(String(value));
  };
  const [ready, desired] = [cell('READY') || cell('COMPLETIONS') || cell('SUCCESSFUL'), cell('DESIRED')];
  return {
    ready: desired !== '' && /^\d+$/.test(ready) ? `${ready}/${desired}` : ready,
    status: cell('STATUS') || cell('PHASE'),
    restarts: cell('RESTARTS'),
  };
}

/** A ReplicaSet that a rollout has left behind: it is to have no pods, and has none. */
const isLeftBehind = ({ item, isAsked, children }: PrintedTree): boolean =>
  item.type.kind === 'ReplicaSet' && !isAsked && children.length === 0 && /^0?\/0$/.test(factsOf(item, 0).ready);

const LINES = { more: '├─ ', last: '└─ ', through: '│  ', blank: '   ' };
const ASCII_LINES = { more: '|- ', last: '`- ', through: '|  ', blank: '   ' };

interface Line {
  readonly branch: string;
  readonly tree: PrintedTree | undefined;
  /** In place of an object. */
  readonly text?: string;
}

/** {@link treeTable}; no headings where there is no tree. */
export const treesAsTable = ({ trees }: PrintedTrees, options: TreeTableOptions): string =>
  trees.length === 0 ? '' : treeTable(trees, options);

/** Trees of objects, a row for each, with readiness, status, restarts and age. */
export function treeTable(trees: readonly PrintedTree[], options: TreeTableOptions): string {
  const { painter = plainPainter, noHeaders, places = [], withNamespace, now } = options;
  const before = [...places.map(({ heading }) => heading), ...(withNamespace ? ['NAMESPACE'] : [])];
  const lines = trees.flatMap((tree) => linesOf(tree, '', '', options.ascii ? ASCII_LINES : LINES));
  const rows = lines.map(({ branch, tree, text = '' }) => {
    if (!tree) return [...before.map(() => ''), `${branch}${text}`];
    const { object, type } = tree.item;
    const { ready, status, restarts } = factsOf(tree.item, now);
    const name = cellText(qualifiedName(object.metadata.name ?? '', type));
    const place = [
      ...places.map((place) => place.cell(tree.item)),
      ...(withNamespace ? [cellText(object.metadata.namespace ?? '')] : []),
    ];
    return [...place, `${branch}${name}`, ready, status, restarts, ageOf(object.metadata.creationTimestamp, now)];
  });
  const headings = [...before, 'NAME', 'READY', 'STATUS', 'RESTARTS', 'AGE'];
  const table = new AlignedTable();
  for (const row of noHeaders ? rows : [headings, ...rows]) table.fit(row);
  const body = rows.map((row, i) => table.line(row, (cell, column) => paint(cell, headings[column], lines[i] as Line)));
  return (noHeaders ? '' : table.line(headings, painter.heading)) + body.join('');

  function paint(this: void, cell: string, heading: string | undefined, { branch, tree }: Line): string {
    if (!tree) return painter.faint(cell);
    if (heading === 'NAME') return branch + painter.type(typeName(tree.item.type), cell.slice(branch.length));
    const state = statesOf(heading ?? '')?.(cell.trimEnd());
    return state ? painter.state(state, cell) : cell;
  }
}

function linesOf(tree: PrintedTree, branch: string, indent: string, drawing: typeof LINES): Line[] {
  const left = tree.children.filter(isLeftBehind);
  const shown: (PrintedTree | undefined)[] = tree.children.filter((child) => !left.includes(child));
  if (left.length > 0) shown.push(undefined);
  const below = shown.flatMap((child, i) => {
    const [own, further] = i === shown.length - 1 ? [drawing.last, drawing.blank] : [drawing.more, drawing.through];
    if (child) return linesOf(child, indent + own, indent + further, drawing);
    const text = `(${left.length} ReplicaSet${left.length === 1 ? '' : 's'} without pods)`;
    return [{ branch: indent + own, tree: undefined, text }];
  });
  return [{ branch, tree }, ...below];
}

function ageOf(created: string | null | undefined, now: number): string {
  const at = Date.parse(created ?? '');
  return Number.isNaN(at) ? '<unknown>' : humanDuration(now - at);
}
