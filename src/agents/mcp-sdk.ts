import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import type { Readable, Writable } from 'node:stream';
import { InformerError } from '../kit/error.ts';

/** A request of an agent, as the SDK has checked it. */
export interface McpRequest {
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

/** The part of the SDK's `Server` that is used here. */
export interface McpServer {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  setRequestHandler(
    schema: unknown,
    handler: (request: McpRequest, extra: { readonly signal: AbortSignal }) => Promise<object>,
  ): void;
  notification(message: { readonly method: string; readonly params: object }): Promise<void>;
  connect(transport: object): Promise<void>;
  close(): Promise<void>;
  sendResourceUpdated(params: { readonly uri: string }): Promise<void>;
}

/** The part of the package @modelcontextprotocol/sdk that is used here. It is loaded where an agent is served only. */
export interface McpSdk {
  readonly Server: new (
    info: { readonly name: string; readonly version: string },
    options: { readonly capabilities: object; readonly instructions: string },
  ) => McpServer;
  /** The schemas of requests by their names. */
  readonly types: Readonly<Record<string, unknown>>;
  stdio(input: Readable, output: Writable): object;
  /** A transport for the HTTP requests of a session, of which `begins` learns the id; without it, for one request. */
  http(begins: ((id: string) => void) | undefined): McpHttpTransport;
}

export interface McpHttpTransport {
  handleRequest(request: Request): Promise<Response>;
  close(): Promise<void>;
}

const NAME = '@modelcontextprotocol/sdk';

/** Loads the SDK. Throws `config` with what to install if it is not there. */
export function loadMcpSdk(load: (path: string) => unknown = createRequire(import.meta.url)): McpSdk {
  const part = <T>(path: string) => load(`${NAME}/${path}`) as T;
  try {
    const { Server } = part<Pick<McpSdk, 'Server'>>('server/index.js');
    type Stdio = new (input: Readable, output: Writable) => object;
    const { StdioServerTransport } = part<{ StdioServerTransport: Stdio }>('server/stdio.js');
    return {
      Server,
      types: part('types.js'),
      stdio: (input, output) => new StdioServerTransport(input, output),
      http(begins) {
        type Http = new (options: object) => McpHttpTransport;
        const path = 'server/webStandardStreamableHttp.js';
        const { WebStandardStreamableHTTPServerTransport } = part<{ WebStandardStreamableHTTPServerTransport: Http }>(path); // biome-ignore format: one call
        const session = begins ? { sessionIdGenerator: randomUUID, onsessioninitialized: begins } : {};
        return new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true, ...session });
      },
    };
  } catch (cause) {
    throw new InformerError('config', `agents need the package ${NAME}, which cannot be loaded`, {
      cause,
      hint: `npm install -g ${NAME} installs it beside this program`,
    });
  }
}
