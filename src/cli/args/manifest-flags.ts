import { bool, choice, count, group, text } from './flag.ts';

/** The flags of `reconcile manifest`, beside those of `reconcile`. */
export const manifestFlags = group('MANIFEST', {
  image: text({ summary: 'image with Node and this program (see --dockerfile)', helpValue: 'IMAGE', noEnv: true }),
  replicas: count({
    summary: 'number of replicas (default: 1; with --shards: one for each shard); more than 1 implies --leader-elect',
    min: 1,
    noEnv: true,
  }),
  into: text({ summary: "namespace of the Deployment (default: the context's)", helpValue: 'NAMESPACE', noEnv: true }),
  'app-name': text({
    summary: 'name of the printed objects (default: from the hook and the type)',
    helpValue: 'NAME',
    noEnv: true,
  }),
  observed: text({
    summary: 'the file of reconcile --observe: the roles have what that run needed, too',
    helpValue: 'FILE',
    noEnv: true,
  }),
  'hook-path': text({
    summary: 'path of the hook in the image (default: a ConfigMap brings it)',
    helpValue: 'PATH',
    noEnv: true,
  }),
  program: text({
    summary: 'run this command of the image in place of a hook: a program with the library',
    helpValue: 'COMMAND',
    noEnv: true,
  }),
  'webhook-port': count({
    summary: 'with --program: the port of its webhooks, for a Service and the probes',
    min: 1,
    noEnv: true,
  }),
  'probe-port': count({ summary: 'with --program: the port of its probes, by HTTP', min: 1, noEnv: true }),
  dockerfile: bool({ summary: 'print a Dockerfile for the image instead', noEnv: true }),
  output: choice(['yaml', 'json'], { char: 'o', summary: 'format', default: 'yaml', noEnv: true }),
});
