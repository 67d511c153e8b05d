import { cellText } from './escape.ts';
import type { PlaceColumn } from './printer.ts';

/** The column of a table of several clusters. */
export const CLUSTER: PlaceColumn = { heading: 'CLUSTER', cell: ({ type }) => cellText(type.cluster ?? '') };
