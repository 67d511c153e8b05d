export {
  cellText,
  continued,
  neutralised,
  neutralisedButColours,
  neutralisedButDrawing,
  safeJson,
} from '../kit/escape.ts';
