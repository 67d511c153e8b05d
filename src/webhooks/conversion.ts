import { messageOf } from '../kit/error.ts';
import { isJsonMap } from '../kit/exact-json.ts';
import type { UnknownObject } from '../model/object.ts';
import type { ConvertAllFn, ConvertFn } from './review.ts';

/** The request of a ConversionReview. Source: apiextensions/v1 ConversionRequest. */
export interface ConversionRequest {
  readonly uid: string;
  readonly desiredAPIVersion: string;
  readonly objects: readonly UnknownObject[];
}

/** The response to a ConversionReview: all objects in the wanted version, or the reason why there are none. */
export async function converted(
  { uid, desiredAPIVersion, objects }: ConversionRequest,
  convertAll: ConvertAllFn,
  signal: AbortSignal,
): Promise<object> {
  try {
    const convertedObjects = await convertAll(objects, desiredAPIVersion, { signal, uid });
    return { uid, convertedObjects, result: { status: 'Success' } };
  } catch (error) {
    return { uid, convertedObjects: [], result: { status: 'Failure', message: messageOf(error) } };
  }
}

/** Converts one object after the other. Metadata that a conversion must not change is that of the object before. */
export function eachConverted(converterOf: (kind: string, group: string) => ConvertFn | undefined): ConvertAllFn {
  return async (objects, apiVersion, { signal }) => {
    const results: UnknownObject[] = [];
    for (const object of objects) {
      const group = groupOf(String(object.apiVersion));
      const convert = converterOf(String(object.kind), group);
      if (!convert) throw new Error(`this webhook does not convert ${String(object.kind)}.${group}`);
      results.push(await one(object, apiVersion, convert, signal));
    }
    return results;
  };
}

async function one(
  object: UnknownObject,
  apiVersion: string,
  convert: ConvertFn,
  signal: AbortSignal,
): Promise<UnknownObject> {
  if (object.apiVersion === apiVersion) return object;
  const { kind = '', metadata } = object;
  const result: unknown = await convert({ ...object, metadata: { ...metadata } }, apiVersion, { signal });
  if (!isJsonMap(result)) throw new Error(`the converter of ${String(kind)} returned no object`);
  const { labels, annotations } = (isJsonMap(result.metadata) ? result.metadata : {}) as UnknownObject['metadata'];
  const { labels: _labels, annotations: _annotations, ...kept } = metadata;
  return {
    ...result,
    apiVersion,
    kind,
    metadata: { ...kept, ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}) },
  };
}

const groupOf = (apiVersion: string) => (apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '');
