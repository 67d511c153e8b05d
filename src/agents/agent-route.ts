import { RecordingReader } from '../cli/record/recording-reader.ts';
import type { MoreRoutes } from '../cli/serve/serve-run.ts';
import type { ServeRoutes } from '../serve/api/routes.ts';
import { AgentCaches } from './agent-caches.ts';
import { AgentDoor } from './agent-door.ts';
import { HttpAgents } from './http-agents.ts';
import { loadMcpSdk } from './mcp-sdk.ts';
import { RecentChanges } from './recent-changes.ts';
import { pastInProcesses } from './recorded-tools.ts';

/** `/mcp`: agents over streamable HTTP, on the port of `serve --listen` with its token. The first request loads the SDK. */
export const agentRoutes: MoreRoutes = (served): ServeRoutes => {
  let agents: HttpAgents | undefined;
  const open = () => {
    const { session, types, redactor, recording } = served;
    const caches = new AgentCaches({ session, types, redactor });
    const log = { note: (line: string) => served.session.notice(line) };
    const sdk = loadMcpSdk();
    const past = recording === undefined ? undefined : pastInProcesses(new RecordingReader(session.io.env), recording);
    const door = new AgentDoor({ sdk, caches, changes: new RecentChanges(caches), log, past });
    return new HttpAgents(door, sdk, served.session.clock);
  };
  return {
    '/mcp': {
      methods: ['POST', 'GET', 'DELETE'],
      answer(request) {
        agents ??= open();
        return agents.answer(request);
      },
    },
  };
};
