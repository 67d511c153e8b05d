const good = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'odd', uid: 'u-odd', controller: true };

/** `ownerReferences` that no API server stores, but a broken or hostile one may send. */
export const ODD_OWNER_REFERENCES: [unknown][] = [
  [null],
  [5],
  ['text'],
  [{}],
  [[null]],
  [[5, 'text']],
  [[{}]],
  [[{ apiVersion: 1, kind: {}, name: [], uid: 7 }]],
  [[{ ...good, uid: 7 }]],
  [[{ ...good, kind: null }]],
  [[{ ...good, apiVersion: undefined }]],
];
