import { builtin } from '../../kit/builtin.ts';

/** The end of a name that replaces generateName: letters and digits that make no words. Source: apimachinery util/rand. */
const NAME_CHARACTERS = 'bcdfghjklmnpqrstvwxz2456789';
/** More than the five of a server, because the name is taken for its own after a crash. */
const NAME_LENGTH = 10;
/** The longest part of generateName, so that the name has at most 63 characters. */
const LONGEST_BASE = 63 - NAME_LENGTH;

/** The name for an object with `generateName`, drawn here so that a repeated request finds the object that it made. */
export function drawnName(generateName: string): string {
  const bytes = [...builtin.crypto().randomBytes(NAME_LENGTH)];
  const end = bytes.map((byte) => NAME_CHARACTERS[byte % NAME_CHARACTERS.length]).join('');
  return `${generateName.slice(0, LONGEST_BASE)}${end}`;
}
