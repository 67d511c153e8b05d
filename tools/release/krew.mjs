// The manifest with which krew installs the plugin, and krew's rules for it.
// Source: krew's own validation of manifests, and the naming guide of its index.

/** One manifest for the systems on which a file with a `#!` line is a program. */
export function krewManifest({ main, archive, sha256 }) {
  const home = main.homepage.replace(/#.*$/, '');
  const version = `v${main.version}`;
  const platform = (os, arch) => ({
    selector: { matchLabels: { os, arch } },
    uri: `${home}/releases/download/${version}/${archive}`,
    sha256,
    files: [
      { from: 'kubectl-informer.mjs', to: '.' },
      { from: 'LICENSE', to: '.' },
      { from: 'THIRD-PARTY-LICENCES.txt', to: '.' },
    ],
    bin: 'kubectl-informer.mjs',
  });
  return {
    apiVersion: 'krew.googlecontainertools.github.com/v1alpha2',
    kind: 'Plugin',
    metadata: { name: 'informer' },
    spec: {
      version,
      homepage: home,
      shortDescription: 'Watch, query and reconcile by informers',
      description:
        'Streams filtered events of any resources through broken connections, and says what it may have missed. ' +
        'Answers indexed questions from a cache, and runs reconcile hooks from a work queue.',
      caveats:
        'This plugin needs Node 22.19 or newer on PATH.\n' +
        'krew installs one program. For completion, link it under a second name:\n' +
        '  ln -s "$(command -v kubectl-informer)" ~/.local/bin/kubectl_complete-informer',
      platforms: ['linux', 'darwin'].flatMap((os) => ['amd64', 'arm64'].map((arch) => platform(os, arch))),
    },
  };
}

/** What krew would refuse about a manifest whose archive has `entries` (files, by their path in it). */
export function krewFaults(manifest, entries) {
  const { apiVersion, kind, metadata, spec = {} } = manifest;
  const faults = [];
  const need = (holds, fault) => holds || faults.push(fault);
  need(apiVersion === 'krew.googlecontainertools.github.com/v1alpha2', 'apiVersion');
  need(kind === 'Plugin', 'kind');
  need(/^[\w-]+$/.test(metadata?.name ?? ''), 'metadata.name: letters, digits, _ and - only');
  need(!/^kube/i.test(metadata?.name ?? ''), 'metadata.name begins with kube');
  need(/^v\d+\.\d+\.\d+(-[\w.]+)?(\+[\w.]+)?$/.test(spec.version ?? ''), 'spec.version: v and a semantic version');
  need(spec.shortDescription !== undefined && spec.shortDescription.length <= 50, 'spec.shortDescription: 1 to 50');
  need(!/[\r\n]/.test(spec.shortDescription ?? ''), 'spec.shortDescription: one line');
  need(/^https:\/\//.test(spec.homepage ?? ''), 'spec.homepage');
  need(Array.isArray(spec.platforms) && spec.platforms.length > 0, 'spec.platforms: at least one');
  for (const [at, platform] of (spec.platforms ?? []).entries())
    faults.push(...platformFaults(platform, entries).map((fault) => `spec.platforms[${at}].${fault}`));
  const places = (spec.platforms ?? []).map(({ selector }) => JSON.stringify(selector));
  need(new Set(places).size === places.length, 'spec.platforms: two for one system');
  return faults;
}

function platformFaults({ selector, uri, sha256, bin, files }, entries) {
  const faults = [];
  const need = (holds, fault) => holds || faults.push(fault);
  const labels = Object.entries(selector?.matchLabels ?? {});
  need(labels.length > 0 && labels.every(([name]) => name === 'os' || name === 'arch'), 'selector: os and arch only');
  need(/^https:\/\/.+\.(tar\.gz|zip)$/.test(uri ?? ''), 'uri: a .tar.gz or .zip');
  need(/^[0-9a-f]{64}$/.test(sha256 ?? ''), 'sha256');
  need(Array.isArray(files) && files.length > 0, 'files: at least one');
  for (const { from, to } of files ?? []) {
    need(entries.includes(from), `files: the archive has no ${from}`);
    need(to !== '' && !to.startsWith('/') && !to.split('/').includes('..'), `files: ${to} leads outside`);
  }
  need(typeof bin === 'string' && files?.some(({ from, to }) => to === '.' && from === bin), 'bin: not among files');
  return faults;
}
