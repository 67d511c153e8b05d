import { expect, test } from 'vitest';
import { addressesInList, addressesOf } from '../../../src/expr/jsonpath/fields-read.ts';
import { addressText } from '../../../src/model/field-path.ts';

test.each<[string, string[]]>([
  ['.metadata.nam', ['.metadata.nam']],
  ['spec/replicas', [".['spec/replicas']".slice(1)]],
  ['{.spec.containers[*].image}', ['.spec.containers[*].image']],
  ['{.status.conditions[?(@.type=="Ready")].status}', ['.status.conditions[*].status']],
  ['{.metadata.name}{"\\t"}{.spec.nodeNam}', ['.metadata.name', '.spec.nodeNam']],
  [
    '{range .spec.containers[*]}{.name} {.imag}{end}',
    ['.spec.containers[*]', '.spec.containers[*].name', '.spec.containers[*].imag'],
  ],
  ["{.metadata.labels['app.kubernetes.io/name']}", [".metadata.labels['app.kubernetes.io/name']"]],
  ["{.spec['k.dot']}", ['.spec']],
  ["{.data['app.properties'].x}", ['.data']],
  ["{.spec['']}", [".spec['']"]],
  ["{['a.b']}", []],
  ['{..image}', []],
  ['{.items[*].metadata.name}', []],
  ['$.spec.containers[?(@.image)]', []],
  ['{.broken', []],
])('%s prints %j', (template, expected) => {
  expect(addressesOf(template).map(addressText)).toEqual(expected);
});

test.each<[string, string[]]>([
  ['{.items[*].metadata.nam}', ['.metadata.nam']],
  ['{.items[0].metadata.nam}{.metadata.continue}', ['.metadata.nam']],
  ['{range .items[*]}{.metadata.nam}{"\\n"}{end}', ['.metadata.nam']],
  ['{.items}', []],
  ['{.items[*]}', []],
  ['{.items.x}', []],
  ['{.metadata.nam}', ['.metadata.nam']],
  ['{.broken', []],
])('%s prints %j of objects, alone or in a list', (template, expected) => {
  expect(addressesInList(template).map(addressText)).toEqual(expected);
});
