// The software bill of materials: which packages are in the built files. Source: CycloneDX 1.5, JSON; package URLs.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * A bill for `main`, the package.json of this package, and the folders of the packages that are bundled into it. The
 * same packages give the same text: it has no time, and its serial number is made from the rest.
 */
export async function sbom(main, folders) {
  const packages = await Promise.all(
    folders.map(async (folder) => JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'))),
  );
  const components = [...new Map(packages.map((one) => [purl(one), component(one, 'library')])).values()];
  components.sort((a, b) => (a.purl < b.purl ? -1 : 1));
  const own = component(main, 'application');
  const bill = {
    metadata: { component: own, licenses: own.licenses },
    components,
    dependencies: [
      { ref: own['bom-ref'], dependsOn: components.map((one) => one['bom-ref']) },
      ...components.map((one) => ({ ref: one['bom-ref'], dependsOn: [] })),
    ],
    compositions: [{ aggregate: 'complete', assemblies: [own['bom-ref']] }],
  };
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify(bill))}`,
    version: 1,
    ...bill,
  };
}

function component({ name, version, license, description }, type) {
  const [scope, short] = name.startsWith('@') ? name.split('/') : [undefined, name];
  const reference = purl({ name, version });
  return {
    type,
    'bom-ref': reference,
    ...(scope === undefined ? {} : { group: scope }),
    name: short,
    version,
    ...(typeof description === 'string' ? { description } : {}),
    scope: 'required',
    licenses: license.includes(' ') ? [{ expression: license }] : [{ license: { id: license } }],
    purl: reference,
  };
}

/** `pkg:npm/%40scope/name@1.2.3` */
const purl = ({ name, version }) => `pkg:npm/${name.replace('@', '%40')}@${version}`;

/** A UUID of version 8, whose bits are those of a hash. Source: RFC 9562. */
function uuidOf(text) {
  const hex = createHash('sha256').update(text).digest('hex');
  const variant = ((Number.parseInt(hex[16], 16) & 3) | 8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
