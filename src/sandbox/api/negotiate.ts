import { notAcceptable } from '../status/statuses.ts';

/** The form in which a client asks for objects. */
export type Form = 'object' | 'table' | 'metadata';

/** The result of content negotiation: how an answer is encoded. */
export interface AnswerFormat {
  readonly form: Form;
  readonly syntax: 'json' | 'yaml';
  readonly pretty: boolean;
  /** How much of its object a table row contains. */
  readonly includeObject: 'None' | 'Metadata' | 'Object';
  /** Whether the client wants no managedFields: `drop=metadata.managedFields`. Unknown fields are ignored. */
  readonly dropsManagedFields: boolean;
}

/** The media types of answers. Protobuf is not among them: a client that accepts JSON too gets JSON. */
export const MEDIA_TYPES: readonly string[] = ['application/json', 'application/yaml'];

const FORMS: Readonly<Record<string, Form>> = {
  Table: 'table',
  PartialObjectMetadata: 'metadata',
  PartialObjectMetadataList: 'metadata',
};

interface AcceptedType {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

/**
 * Picks the representation from Accept, from the options `pretty` and `includeObject`, and from User-Agent (see {@link
 * isPretty}). Throws 406 when the client accepts no type that the server has. A watch is always JSON.
 */
export function negotiate(headers: ReadonlyMap<string, string>, query: URLSearchParams, watch: boolean): AnswerFormat {
  const accepted = parseAccept(headers.get('accept'));
  for (const candidate of accepted) {
    const found = offered(candidate, watch);
    if (found) return { ...found, pretty: isPretty(headers, query), includeObject: includeObjectOf(query) };
  }
  return notAcceptable([...MEDIA_TYPES, 'application/json;stream=watch']);
}

function offered(
  { type, parameters }: AcceptedType,
  watch: boolean,
): Pick<AnswerFormat, 'form' | 'syntax' | 'dropsManagedFields'> | undefined {
  const syntax = syntaxOf(type);
  if (!syntax || (watch && syntax === 'yaml')) return undefined;
  const as = parameters.get('as');
  const dropsManagedFields = parameters.get('drop')?.split('+').includes('metadata.managedFields') ?? false;
  if (as === undefined) return { form: 'object', syntax, dropsManagedFields };
  const form = FORMS[as];
  if (!form || parameters.get('g') !== 'meta.k8s.io' || parameters.get('v') !== 'v1') return undefined;
  return { form, syntax, dropsManagedFields };
}

function syntaxOf(type: string): AnswerFormat['syntax'] | undefined {
  if (type === '*/*' || type === 'application/*' || type === 'application/json') return 'json';
  return type === 'application/yaml' ? 'yaml' : undefined;
}

/** The media types of an Accept header, highest quality first. Without a header every type is accepted. */
export function parseAccept(accept: string | undefined): AcceptedType[] {
  const types = (accept ?? '').split(',').filter((part) => part.trim() !== '');
  if (types.length === 0) return [{ type: '*/*', parameters: new Map(), quality: 1 }];
  return types.map(parseMediaType).sort((a, b) => b.quality - a.quality);
}

function parseMediaType(text: string): AcceptedType {
  const [type = '', ...rest] = text.split(';').map((part) => part.trim());
  const parameters = new Map(rest.map((part) => part.split('=', 2) as [string, string]));
  const quality = Number(parameters.get('q') ?? 1);
  return { type: type.toLowerCase(), parameters, quality: Number.isNaN(quality) ? 1 : quality };
}

const BROWSERS = ['curl', 'Wget', 'Mozilla/5.0'];

/**
 * Whether an answer is indented: as the option `pretty` says; without it for curl, Wget and browsers.
 * Source: apiserver handlers/negotiation isPrettyPrint.
 */
export function isPretty(headers: ReadonlyMap<string, string>, query: URLSearchParams): boolean {
  const pretty = query.get('pretty');
  if (pretty !== null) return pretty !== 'false' && pretty !== '0';
  const agent = headers.get('user-agent') ?? '';
  return BROWSERS.some((name) => agent.startsWith(name));
}

function includeObjectOf(query: URLSearchParams): AnswerFormat['includeObject'] {
  const value = query.get('includeObject');
  return value === 'None' || value === 'Object' ? value : 'Metadata';
}
