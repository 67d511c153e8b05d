// A plugin for the build: of client-node the program takes the legacy logins of a kubeconfig only. Its HTTP, its proxies
// and its OpenID Connect are never called (the transport and the room client/auth do that), so what they need is not
// bundled: 1.2 MB, most of it undici. A call of such a part would be an error that names it.
const UNUSED = ['hpagent', 'openid-client', 'socks', 'socks-proxy-agent', 'undici'];
const IMPORT = /import (?:\* as (\w+)|\{([^}]*)\}) from '([\w-]+)';/g;

export const clientNodeAlone = {
  name: 'client-node-alone',
  transform(code, id) {
    if (!isClientNode(id)) return undefined;
    return code.replace(IMPORT, (line, whole, parts, module) => {
      if (!UNUSED.includes(module)) return line;
      const fail = `function () { throw new Error('${module} is not a part of this program'); }`;
      const names = whole ?? parts.split(',').map((part) => part.trim().split(' as ').at(-1));
      const found = [names].flat().filter(Boolean);
      return found.map((name) => `const ${name} = ${fail};`).join(' ');
    });
  },
};

const isClientNode = (id) => /@kubernetes[\\/]client-node[\\/]dist[\\/]/.test(id ?? '');
