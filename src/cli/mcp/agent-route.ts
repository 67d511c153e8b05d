import type { ServerRequest, WholeAnswer } from '../../kit/http-listener.ts';
import { PROTOCOL, type ServeRoutes } from '../../serve/api/routes.ts';
import type { MoreRoutes } from '../serve/serve-run.ts';
import { AgentCaches } from './agent-caches.ts';
import { AgentDoor } from './agent-door.ts';
import { loadMcpSdk } from './mcp-sdk.ts';
import { RecentChanges } from './recent-changes.ts';

/**
 * `/mcp`: agents over streamable HTTP, on the port of `serve --listen` with its token. Each request is answered by
 * itself, so there are tools and resources here, and no subscriptions. The SDK is loaded by the first request.
 */
export const agentRoutes: MoreRoutes = (served): ServeRoutes => {
  let opened: AgentDoor | undefined;
  const open = () => {
    const caches = new AgentCaches(served);
    const log = { note: (line: string) => served.session.notice(line) };
    return new AgentDoor({ sdk: loadMcpSdk(), caches, changes: new RecentChanges(caches), log });
  };
  return {
    '/mcp': {
      methods: ['POST'],
      answer(request) {
        opened ??= open();
        return answered(request, opened);
      },
    },
  };
};

async function answered(request: ServerRequest, door: AgentDoor): Promise<WholeAnswer> {
  const { method, url, headers, signal } = request;
  const texts = Object.entries(headers).filter((each): each is [string, string] => typeof each[1] === 'string');
  const body = (await request.text()) ?? '';
  const transport = loadMcpSdk().http();
  const server = door.open('agent over HTTP', { subscribes: false });
  try {
    await server.connect(transport);
    const asked = new Request(new URL(url, 'http://serve'), { method, headers: texts, body, signal });
    const response = await transport.handleRequest(asked);
    const type = response.headers.get('content-type') ?? 'application/json';
    return { status: response.status, type, body: await response.text(), headers: PROTOCOL };
  } finally {
    await server.close();
  }
}
