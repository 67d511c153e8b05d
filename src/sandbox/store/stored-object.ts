import { jsonText } from '../../kit/exact-json.ts';
import type { UnknownObject } from '../../model/object.ts';

/**
 * One state of one object. It never changes. Its JSON is made once and shared by every list and watch, as long as it is
 * the latest state.
 *
 * The text is without `kind` and `apiVersion`: a list of a built-in type sends items without them, a watch sends them.
 */
export class StoredObject {
  readonly key: string;
  readonly object: UnknownObject;
  readonly revision: number;
  #fields: string | undefined;

  constructor(key: string, object: UnknownObject, revision: number) {
    this.key = key;
    this.object = object;
    this.revision = revision;
  }

  /** The members of the JSON object after kind and apiVersion, with the closing brace: `"metadata":{…},"spec":{…}}`. */
  get fields(): string {
    this.#fields ??= fieldsOf(this.object);
    return this.#fields;
  }

  /** Releases the text. `fields` makes it again when it is read later. */
  forgetText(): void {
    this.#fields = undefined;
  }
}

/** The JSON of an object without its opening brace, kind and apiVersion. */
function fieldsOf(object: UnknownObject): string {
  const { kind, apiVersion } = object;
  const lead = `{"kind":"${kind}","apiVersion":"${apiVersion}",`;
  const text = jsonText(object);
  if (text.startsWith(lead)) return text.slice(lead.length); // the write path makes objects in this order
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = object;
  return jsonText(rest).slice(1);
}

/** The same object with another revision: what a watch sends when an object is deleted or leaves a selector. */
export function atRevision({ key, object }: StoredObject, revision: number): StoredObject {
  return new StoredObject(
    key,
    { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } },
    revision,
  );
}
