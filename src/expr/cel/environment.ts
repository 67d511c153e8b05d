import { Environment } from '@marcbachmann/cel-js';
import { Quantity } from '../../model/quantity.ts';
import { CEL_FUNCTIONS } from './functions.ts';
import { IpAddress, IpBlock } from './ip-address.ts';
import { LIST_INDEX_SIGNATURES } from './list-functions.ts';
import { MACRO_SIGNATURES, macroCheck } from './macro-check.ts';

/** The name of a CEL type. `dyn` is any type, which is checked only during evaluation. */
export type CelType = 'dyn' | 'string' | 'int' | 'double' | 'bool' | 'timestamp' | 'duration' | 'map' | 'list';

/** The limits of one expression. Larger expressions are refused. */
const LIMITS = {
  maxAstNodes: 10_000,
  maxDepth: 200,
  maxListElements: 5_000,
  maxMapEntries: 1_000,
  maxCallArguments: 16,
};

const OPTIONS = { enableOptionalTypes: true, homogeneousAggregateLiterals: false, limits: LIMITS };

const NAMES: Readonly<Partial<Record<CelType, string>>> = {
  timestamp: 'google.protobuf.Timestamp',
  duration: 'google.protobuf.Duration',
};

const parents = new Map<boolean, Environment>();

/** The parser and type checker for expressions over these variables. With `unlisted`, other names are variables too. */
export function environmentFor(variables: Readonly<Record<string, CelType>>, unlisted: boolean): Environment {
  const parent = parents.get(unlisted) ?? extended(unlisted);
  parents.set(unlisted, parent);
  const environment = parent.clone();
  for (const [name, type] of Object.entries(variables)) environment.registerVariable(name, NAMES[type] ?? type);
  return environment;
}

class Sets {}
class Addresses {}
class Lists {}
class Strings {}

/** The library's functions and the signatures of {@link CEL_FUNCTIONS}. It only checks them; `compile.ts` runs them. */
function extended(unlistedVariablesAreDyn: boolean): Environment {
  const environment = new Environment({ ...OPTIONS, unlistedVariablesAreDyn })
    .registerType('quantity', Quantity as unknown as new () => Quantity)
    .registerType('net.IP', IpAddress as unknown as new () => IpAddress)
    .registerType('net.CIDR', IpBlock as unknown as new () => IpBlock)
    .registerType('Sets', Sets)
    .registerConstant('sets', 'Sets', new Sets())
    .registerType('Addresses', Addresses)
    .registerConstant('ip', 'Addresses', new Addresses())
    .registerType('Lists', Lists)
    .registerConstant('lists', 'Lists', new Lists())
    .registerType('Strings', Strings)
    .registerConstant('strings', 'Strings', new Strings());
  for (const signature of MACRO_SIGNATURES)
    environment.registerFunction(signature, macroCheck as unknown as () => undefined);
  environment.registerFunction('OptionalNamespace.ofNonZeroValue(dyn): optional<dyn>', unused, { async: false });
  for (const signature of [
    ...CEL_FUNCTIONS.flatMap(({ signatures }) => signatures),
    ...LIST_INDEX_SIGNATURES,
    ...SET_SIGNATURES,
  ]) {
    environment.registerFunction(signature, unused, { async: false });
  }
  for (const [left, right] of MIXED) {
    for (const op of ['+', '-', '*', '/']) environment.registerOperator(`${left} ${op} ${right}: double`, unused);
  }
  for (const type of ['quantity', 'net.IP', 'net.CIDR', 'optional']) {
    environment.registerOperator(`${type} == ${type}`, unused);
  }
  for (const type of ['quantity', 'net.IP', 'net.CIDR', 'optional', ...Object.values(NAMES)]) {
    environment.registerOperator(`${type} == null`, unused);
  }
  for (const op of ['<', '<=', '>', '>=']) {
    environment.registerOperator(`quantity ${op} quantity: bool`, unused);
    environment.registerOperator(`bytes ${op} bytes: bool`, unused);
  }
  return environment.registerOperator('int == double', unused);
}

const unused = () => undefined;

const SET_SIGNATURES = ['contains', 'intersects', 'equivalent'].map((name) => `Sets.${name}(list, list): bool`);
const MIXED = [
  ['int', 'double'],
  ['double', 'int'],
];
