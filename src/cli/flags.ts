import type { Interfaces } from '@oclif/core';
import { parseLongDuration } from '../kit/duration.ts';
import { InformerError } from '../kit/error.ts';
import type { FlagShape, Given } from './argv.ts';

/** What every flag of ours may say beside its value's type. */
interface Common {
  char?: Interfaces.AlphabetLowercase | Interfaces.AlphabetUppercase;
  summary: string;
  helpValue?: string;
  helpGroup?: string;
  hidden?: boolean;
}

/** The marks that {@link shapesOf} reads back from a definition. */
interface Marks {
  split?: boolean;
  implied?: string;
  noEnv?: boolean;
  yieldsTo?: string;
}

/** On or off; takes `=true|false` as kubectl's do. */
export function bool(common: Common & Pick<Marks, 'yieldsTo'> & { default?: boolean }): Interfaces.BooleanFlag<boolean> {
  return { type: 'boolean', allowNo: false, default: false, ...common } as never;
}

/** On, off, or not said, which leaves what a file says. */
function tristate(common: Common): Interfaces.BooleanFlag<boolean | undefined> {
  return { type: 'boolean', allowNo: true, ...common } as never;
}

/** One value; the last occurrence wins. */
export function text(common: Common & Marks & { default?: string }) {
  return valued<string>(common, (input) => input);
}

/** One of a few words; an unknown one is refused with the list. */
export function choice<const T extends string>(options: readonly T[], common: Common & Marks & { default?: T }) {
  return valued<T>({ helpValue: options.join('|'), ...common }, (input, name) => {
    const found = options.find((o) => o === input);
    if (found === undefined) throw badValue(name, input, `one of ${options.join(', ')}`);
    return found;
  });
}

/** Several values, one an occurrence; `split` also cuts each at its commas. */
export function list(common: Common & Marks): Interfaces.OptionFlag<string[] | undefined> {
  return valued<string>({ ...common, multiple: true }, (input) => input) as never;
}

/** A Go duration, or days and years before it (`2d`, `1d12h`), as milliseconds. */
export function duration(common: Common & { default?: number }) {
  return valued<number>({ helpValue: 'DURATION', ...common }, (input, name) => {
    try {
      return parseLongDuration(input);
    } catch (cause) {
      throw badValue(name, input, 'a duration such as 30s, 5m, 1h30m or 2d', cause);
    }
  });
}

/** The value of `--idle-timeout`; undefined when it is not given. Throws `argument` for 0, by which every stream were dead at once. */
export function idleMsOf(idleMs: number | undefined): number | undefined {
  if (idleMs === undefined || idleMs >= 1000) return idleMs;
  throw new InformerError('argument', '--idle-timeout must be at least 1s', { hint: 'a server sends a bookmark about every minute' });
}

/** A whole number of at least `min`, and at most `max`. */
export function count(common: Common & { default?: number; min?: number; max?: number }) {
  const { min = 0, max = Number.MAX_SAFE_INTEGER, ...rest } = common;
  return valued<number>({ helpValue: 'N', ...rest }, (input, name) => {
    if (/^-?\d+$/.test(input) && Number(input) >= min && Number(input) <= max) return Number(input);
    throw badValue(
      name,
      input,
      max === Number.MAX_SAFE_INTEGER ? `a whole number of at least ${min}` : `a whole number from ${min} to ${max}`,
    );
  });
}

/** A flag with a value, read by `read`; its error is the user's, so it says which flag and what was expected. */
function valued<T>(definition: object, read: (input: string, name: string) => T): Interfaces.OptionFlag<T | undefined> {
  return { type: 'option', input: [], multiple: false, read, ...definition } as never;
}

function badValue(name: string, input: string, expected: string, cause?: unknown): InformerError {
  return new InformerError('argument', `invalid argument "${input}" for "--${name}": expected ${expected}`, { cause });
}

/** A definition as the functions above make it: what oclif's help reads, our marks, and how its text is read. */
interface Definition extends Marks {
  readonly type: 'boolean' | 'option';
  readonly char?: string;
  readonly multiple?: boolean;
  readonly default?: unknown;
  read?(input: string, name: string): unknown;
}

/** A command's flag definitions as the argv grammar sees them. */
export function shapesOf(flags: object): FlagShape[] {
  return Object.entries(flags).map(([name, definition]) => {
    const flag = definition as Definition;
    return {
      name,
      char: flag.char,
      kind: flag.type === 'boolean' ? 'boolean' : 'value',
      repeatable: flag.multiple,
      split: flag.split,
      implied: flag.implied,
      noEnv: flag.noEnv,
      yieldsTo: flag.yieldsTo,
    };
  });
}

/** The values of a command's flags, from what was given and their defaults. Throws `argument` for what cannot be read. */
export function valuesOf<F extends Interfaces.FlagInput>(flags: F, given: ReadonlyMap<string, Given>): Interfaces.InferredFlags<F> {
  return Object.fromEntries(
    Object.entries(flags).map(([name, definition]) => [name, readValue(name, definition as unknown as Definition, given.get(name))]),
  ) as Interfaces.InferredFlags<F>;
}

function readValue(name: string, { type, multiple, read, default: builtIn }: Definition, given: Given | undefined): unknown {
  if (!given) return builtIn;
  if (type === 'boolean') return given.values.at(-1) === 'true';
  const values = given.values.map((text) => read?.(text, name));
  return multiple ? values : values.at(-1);
}

const CONNECTION = 'CONNECTION';

/** Whence defaults come; on every command with defaults. */
export const configFlags = {
  config: text({
    summary: "file of defaults and names (else kubectl-informer/config.yaml in the user's config folder)",
    helpValue: 'FILE',
  }),
} as const;

/** How to reach the cluster: kubectl's own flags, on every command. Source: cli-runtime genericclioptions ConfigFlags. */
export const connectionFlags = {
  kubeconfig: text({
    summary: 'path of the kubeconfig file (else KUBECONFIG, else ~/.kube/config)',
    helpValue: 'FILE',
    helpGroup: CONNECTION,
  }),
  context: text({ summary: 'kubeconfig context to use', helpGroup: CONNECTION, helpValue: 'NAME' }),
  cluster: text({ summary: 'kubeconfig cluster to use', helpGroup: CONNECTION, helpValue: 'NAME' }),
  user: text({ summary: 'kubeconfig user to use', helpGroup: CONNECTION, helpValue: 'NAME' }),
  server: text({ char: 's', summary: 'address of the API server', helpGroup: CONNECTION, helpValue: 'URL' }),
  token: text({ summary: 'bearer token', helpGroup: CONNECTION, helpValue: 'TOKEN' }),
  username: text({ summary: 'user name for basic authentication', helpGroup: CONNECTION, helpValue: 'NAME', hidden: true }),
  password: text({ summary: 'password for basic authentication', helpGroup: CONNECTION, helpValue: 'PASSWORD', hidden: true }),
  as: text({ summary: 'user to impersonate', helpGroup: CONNECTION, helpValue: 'USER' }),
  'as-group': list({ summary: 'group to impersonate (repeatable)', helpGroup: CONNECTION, helpValue: 'GROUP' }),
  'as-uid': text({ summary: 'uid to impersonate', helpGroup: CONNECTION, helpValue: 'UID' }),
  'as-user-extra': list({ summary: 'extra of the impersonated user (repeatable)', helpGroup: CONNECTION, helpValue: 'KEY=VALUE' }),
  'request-timeout': text({ summary: 'longest time for one request but a watch (0 = none)', helpGroup: CONNECTION, helpValue: 'DURATION' }),
  'insecure-skip-tls-verify': tristate({ summary: "do not check the server's certificate", helpGroup: CONNECTION }),
  'tls-server-name': text({ summary: "name to check the server's certificate for", helpGroup: CONNECTION, helpValue: 'NAME' }),
  'certificate-authority': text({ summary: 'file of the certificate authority', helpGroup: CONNECTION, helpValue: 'FILE' }),
  'client-certificate': text({ summary: 'file of the client certificate', helpGroup: CONNECTION, helpValue: 'FILE' }),
  'client-key': text({ summary: "file of the client certificate's key", helpGroup: CONNECTION, helpValue: 'FILE' }),
  'cache-dir': text({ summary: 'where discovery is kept', helpGroup: CONNECTION, helpValue: 'DIR' }),
  qps: count({ summary: 'requests a second, watches aside', default: 50, min: 1, helpGroup: CONNECTION }),
  burst: count({ summary: 'requests at once, watches aside', default: 300, min: 1, helpGroup: CONNECTION }),
  ...configFlags,
  sandbox: bool({ summary: 'run against an embedded server started for this command', helpGroup: CONNECTION }),
  scenario: text({ summary: 'what goes on in that server (implies --sandbox)', helpGroup: CONNECTION, helpValue: 'NAME' }),
  pods: count({ summary: 'how many pods a scenario fleet or churn has', helpGroup: CONNECTION }),
  rate: text({ summary: 'its changes per second, such as 500/s', helpGroup: CONNECTION, helpValue: 'N/s' }),
  seed: count({ summary: 'same seed, same story in that server', helpGroup: CONNECTION }),
  faults: text({ summary: 'what goes wrong in that server, such as cut@5:watch:pods', helpGroup: CONNECTION, helpValue: 'FAULT[,…]' }),
  v: count({ char: 'v', summary: 'how much to tell on stderr (6 = requests)', default: 0, helpGroup: CONNECTION }),
} as const;

/** Which objects: shared by `watch`, `query` and `reconcile`. */
export const selectionFlags = {
  namespace: list({ char: 'n', summary: 'namespaces, comma-separated', helpValue: 'NAME[,…]', split: true }),
  'all-namespaces': bool({ char: 'A', summary: 'all namespaces', yieldsTo: 'namespace' }),
  selector: text({ char: 'l', summary: 'label selector, evaluated by the server', helpValue: 'SELECTOR' }),
  'field-selector': text({ summary: 'field selector, evaluated by the server', helpValue: 'SELECTOR' }),
  'wait-for-crd': bool({ summary: 'wait for types the server does not have yet' }),
} as const;

/** How what is found gets printed: shared by `watch` and `query`. */
export const outputFlags = {
  output: text({ char: 'o', summary: 'wide, json, yaml, name, jsonpath=…, custom-columns=…, jq=…', helpValue: 'FORMAT' }),
  'no-headers': bool({ summary: 'leave out the headings' }),
  'show-labels': bool({ summary: 'all labels as the last column' }),
  'label-columns': list({ char: 'L', summary: 'labels to show as columns', helpValue: 'KEY[,…]', split: true }),
  'show-kind': bool({ summary: 'put the type before each name' }),
  'show-managed-fields': bool({ summary: 'keep metadata.managedFields' }),
  'show-secrets': bool({ summary: "show Secrets' values instead of hmac:… marks" }),
  color: choice(['auto', 'always', 'never'], { summary: 'when to colour', default: 'auto' }),
} as const;

/** What kubectl users type from habit. Without effect, but that `query` and `watch --once` take missing names for no error with `--ignore-not-found`. */
export const habitFlags = {
  watch: bool({ char: 'w', summary: 'taken for kubectl habits', hidden: true }),
  'output-watch-events': bool({ summary: 'taken for kubectl habits', hidden: true }),
  'chunk-size': count({ summary: 'taken for kubectl habits', hidden: true }),
  'ignore-not-found': bool({ summary: 'taken for kubectl habits', hidden: true }),
  all: bool({ summary: 'taken for kubectl habits', hidden: true }),
} as const;
