import { CORE_TEXTS } from './core-texts.ts';
import { META_TEXTS } from './meta-texts.ts';
import { OTHER_TEXTS } from './other-texts.ts';

/** What every object has at its top. */
const COMMON: ReadonlyMap<string, string> = new Map([
  ['apiVersion', 'The version of the API this object is written in, such as apps/v1.'],
  ['kind', 'What the object is, such as Pod.'],
  ['metadata', 'Name, namespace, labels and what else every object carries.'],
  ['spec', 'What is wanted.'],
  ['status', 'What is the case, told by whoever runs the object; clients only read it.'],
]);

interface Texts {
  readonly messages: ReadonlyMap<string, string>;
  readonly fields: ReadonlyMap<string, string>;
}

let texts: Texts | undefined;

/** What a message is for, in a sentence; undefined where the table says nothing. */
export function describeMessage(name: string): string | undefined {
  return loaded().messages.get(name);
}

/** What a field of a message is for; undefined where the table says nothing. Conditions are all alike. */
export function describeField(message: string, field: string): string | undefined {
  const { fields } = loaded();
  return fields.get(`${message}.${field}`) ?? (message.endsWith('Condition') ? fields.get(`Condition.${field}`) : undefined);
}

/** What a field at the top of an object is for. */
export function describeCommon(field: string): string | undefined {
  return COMMON.get(field);
}

function loaded(): Texts {
  texts ??= parse([META_TEXTS, CORE_TEXTS, OTHER_TEXTS].join('\n'));
  return texts;
}

/** A line is a message and its text; indented below it its fields and theirs. */
function parse(source: string): Texts {
  const messages = new Map<string, string>();
  const fields = new Map<string, string>();
  let message = '';
  for (const line of source.split('\n').filter((l) => l.trim() !== '')) {
    const [name, text] = entry(line.trim());
    if (line.startsWith(' ')) fields.set(`${message}.${name}`, text);
    else {
      message = name;
      if (text !== '') messages.set(name, text);
    }
  }
  return { messages, fields };
}

function entry(line: string): [name: string, text: string] {
  const at = line.indexOf(' ');
  return at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + 1)];
}
