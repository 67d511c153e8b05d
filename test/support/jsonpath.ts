/** The object of the JSONPath tests: a config map with most kinds of values. */
export const object = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'cm', labels: { 'app.kubernetes.io/name': 'web', x: '1' } },
  spec: {
    nul: null,
    empty: [],
    n: 3,
    f: 1.5,
    big: 1000000,
    t: true,
    html: '<a>&',
    list: [
      { k: 'a', n: 1, v: { z: 1, a: '<&>' } },
      { k: 'b', n: 2 },
      { k: 'c', n: 3, x: null },
    ],
    nums: [1, 2, 3, 4, 5],
    m: { a: 2, b: 1 },
    holes: [{ l: [1] }, { l: [] }, { l: [2, 3] }],
  },
};
